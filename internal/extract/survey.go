package extract

import "strings"

// survey is what can be said of a page before its tree is built. A few bytes may become a tree of any size: an element for
// formatting that is left open, such as <b>, is made anew in every block that follows, and one page may leave hundreds open.
type survey struct {
	// tags are the places at which a tag or a comment may begin.
	tags int
	// leaks are the formatting elements that may stay open beyond the block in which they began; equal ones count once, for
	// of these a parser makes three at most.
	leaks int
	// roots are the tags of the root and the body, whose attributes the parser gathers anew at each of them.
	roots, rootAttributes int
}

// scanEffort is what a byte weighs in a tag that is followed to its end, however far that is.
const scanEffort = 16

// maxSurveyed is how far a tag is followed: longer ones count as if they left an element open.
const maxSurveyed = 4 << 10

// formatting are the elements that the HTML standard makes anew. At most one <a> is open at a time, so that is none of them.
var formatting = map[string]bool{
	"b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "nobr": true, "s": true, "small": true,
	"strike": true, "strong": true, "tt": true, "u": true,
}

// inline are elements that may stand inside formatting without any influence on how it ends.
var inline = map[string]bool{
	"a": true, "abbr": true, "br": true, "cite": true, "del": true, "img": true, "ins": true, "kbd": true, "label": true,
	"mark": true, "q": true, "samp": true, "span": true, "sub": true, "sup": true, "time": true, "var": true, "wbr": true,
}

// surveyor goes through a page, tag by tag. It does not know which tags are real, and which stand in a script, a comment or
// a value, so it takes every one for real that may do harm, and lets an element end only where nothing but text and plain
// inline tags stand between its two tags: then both are real, or none is.
type surveyor struct {
	survey
	rd   *reader
	text string
	// open are the formatting elements that may still end well, by their start tags.
	open []openTag
	// busy is where the last tag ends that was followed; leaked are the start tags of elements that did not end well.
	busy   int
	leaked map[string]bool
}

type openTag struct{ name, whole string }

// surveyPage looks through a page.
func surveyPage(text string, rd *reader) (survey, error) {
	s := surveyor{rd: rd, text: text, leaked: map[string]bool{}}
	last := 0
	for at := strings.IndexByte(text, '<'); at >= 0; at = nextTag(text, at) {
		if err := rd.strive(at - last + 1); err != nil {
			return survey{}, err
		}
		last = at
		s.tags++
		if err := s.tag(at); err != nil {
			return survey{}, err
		}
	}
	s.leak()
	return s.survey, nil
}

// nextTag is the place of the next "<" behind one.
func nextTag(text string, at int) int {
	next := strings.IndexByte(text[at+1:], '<')
	if next < 0 {
		return -1
	}
	return at + 1 + next
}

func (s *surveyor) tag(at int) error {
	name, closing, isTag := tagName(s.text[at:])
	switch {
	case !isTag && !closing && len(s.open) > 0 && !strings.HasPrefix(s.text[at+1:], "!") && !strings.HasPrefix(s.text[at+1:], "?") && at >= s.busy:
		return nil // a "<" in a text
	case isTag && formatting[name] && !closing:
		return s.begin(at, name)
	case isTag && !closing && (name == "html" || name == "body"):
		s.roots++
		end, attributes, _ := tagEnd(s.text[at:])
		s.rootAttributes += attributes
		s.leak()
		return s.rd.strive(end * scanEffort)
	case len(s.open) == 0:
		return nil
	case isTag && at >= s.busy && formatting[name]:
		return s.end(at, name)
	case isTag && at >= s.busy && inline[name]:
		_, err := s.follow(at)
		return err
	}
	s.leak()
	return nil
}

// begin takes in the start tag of a formatting element.
func (s *surveyor) begin(at int, name string) error {
	if at < s.busy {
		s.leak()
		s.leaks++
		return nil
	}
	end, err := s.follow(at)
	if end > 0 {
		s.open = append(s.open, openTag{name, s.text[at:end]})
	} else {
		s.leaks++
	}
	return err
}

// end takes in an end tag: of the element that was opened last, or of none that can be told.
func (s *surveyor) end(at int, name string) error {
	last := len(s.open) - 1
	if s.open[last].name != name {
		s.leak()
		return nil
	}
	s.open = s.open[:last]
	_, err := s.follow(at)
	return err
}

// follow goes to the end of a tag. It gives zero, and nothing that is open can end well any more, if that is too far.
func (s *surveyor) follow(at int) (int, error) {
	text := s.text[at:min(len(s.text), at+maxSurveyed)]
	end, _, ok := tagEnd(text)
	s.busy = at + end
	if !ok {
		s.leak()
		return 0, s.rd.strive(end)
	}
	return s.busy, s.rd.strive(end)
}

// leak gives up what is open.
func (s *surveyor) leak() {
	for _, o := range s.open {
		if !s.leaked[o.whole] {
			s.leaked[o.whole] = true
			s.leaks++
		}
	}
	s.open = s.open[:0]
}
