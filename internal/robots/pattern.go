package robots

import "strings"

// pattern is the path of a rule, cut at its wildcards. Its pieces are in normal form.
type pattern struct {
	pieces []string
	// folded are the pieces with the query folded; nil when the pattern has no "?".
	folded []string
	// anchored says that the pattern ends with "$": what it matches ends there.
	anchored bool
	// length is how many octets the pattern has, which decides between rules (RFC 9309, section 2.2.2).
	length int
}

func newPattern(s string) pattern {
	var p pattern
	s, p.anchored = strings.CutSuffix(s, "$")
	inQuery := false
	raw := strings.Split(s, "*")
	p.length = len(raw) - 1
	if p.anchored {
		p.length++
	}
	for _, piece := range raw {
		piece = normalise(piece)
		var folded string
		folded, inQuery = foldQuery(piece, inQuery)
		p.pieces = append(p.pieces, piece)
		p.folded = append(p.folded, folded)
		p.length += len(piece)
	}
	if !inQuery {
		p.folded = nil
	}
	return p
}

// matches says whether the pattern matches from the start of a target.
func (p pattern) matches(t target) bool {
	return glob(p.pieces, p.anchored, t.plain) || p.folded != nil && glob(p.folded, p.anchored, t.folded)
}

// glob places each piece at the first spot where it fits. With no other wildcard than "*" there is never a reason to take a
// later one, so the work is bounded by the length of both, whatever a stranger writes.
func glob(pieces []string, anchored bool, s string) bool {
	s, ok := strings.CutPrefix(s, pieces[0])
	if !ok {
		return false
	}
	if len(pieces) == 1 {
		return !anchored || s == ""
	}
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		at := strings.Index(s, piece)
		if at < 0 {
			return false
		}
		s = s[at+len(piece):]
	}
	if anchored {
		return strings.HasSuffix(s, pieces[last])
	}
	return strings.Contains(s, pieces[last])
}
