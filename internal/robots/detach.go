package robots

import (
	"slices"
	"strings"
	"unsafe"
)

// Detached are the same rules in memory of their own, for keeping: what was parsed holds on to whole lines of the file,
// however little of them counts. bytes is about what they take.
func (r Rules) Detached() (own Rules, bytes int64) {
	own = r
	own.rules = slices.Clone(r.rules)
	for i := range own.rules {
		rule := &own.rules[i]
		rule.pieces = detached(rule.pieces, &bytes)
		rule.folded = detached(rule.folded, &bytes)
		bytes += int64(unsafe.Sizeof(*rule)) + int64(len(rule.text))
	}
	return own, bytes
}

// detached copies texts and counts what the copy takes. None stay none: that has a meaning.
func detached(texts []string, bytes *int64) []string {
	if texts == nil {
		return nil
	}
	own := make([]string, len(texts))
	for i, text := range texts {
		own[i] = strings.Clone(text)
		*bytes += int64(len(text)) + int64(unsafe.Sizeof(text))
	}
	return own
}
