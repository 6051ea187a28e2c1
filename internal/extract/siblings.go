package extract

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// bySiblings are the pseudo-classes that count siblings.
var bySiblings = regexp.MustCompile(`(?i):(?:nth|only|first|last)-`)

// siblingPasses is how many times over a selector goes through the siblings of an element: once for its pseudo-classes, and
// once more, inside of that, for each "~".
func siblingPasses(selector string) int {
	passes := strings.Count(selector, "~") - strings.Count(selector, "~=")
	if bySiblings.MatchString(selector) {
		passes++
	}
	return passes
}

// maxMatch bounds what it costs to match one element, which cannot be broken off.
const maxMatch = 100_000_000

// siblingCount charges the matching of elements, one after the other. What a selector does with descendants is left out: the
// tree is at most 512 deep.
type siblingCount struct {
	passes int
	// tags are the names of the elements that may match at all; nil for any.
	tags map[string]bool
	// counts are the numbers of children of elements that have many.
	counts map[*html.Node]int
}

// many is a number of children that is not counted twice.
const many = 64

func (s *siblingCount) charge(n *html.Node, rd *reader) error {
	if s.passes == 0 || n.Type != html.ElementNode || s.tags != nil && !s.tags[n.Data] {
		return rd.strive(1)
	}
	count := s.children(n.Parent)
	if math.Pow(float64(count), float64(s.passes)) > maxMatch {
		return fmt.Errorf("an element has %d children, too many for a selector that compares siblings %d times over; simplify it", count, s.passes)
	}
	return rd.strive(1 + count)
}

func (s *siblingCount) children(parent *html.Node) int {
	if count, known := s.counts[parent]; known {
		return count
	}
	count := 0
	for range parent.ChildNodes() {
		count++
	}
	if count > many {
		if s.counts == nil {
			s.counts = map[*html.Node]int{}
		}
		s.counts[parent] = count
	}
	return count
}

// lastCompound is what stands behind the last combinator of a selector.
var lastCompound = regexp.MustCompile(`^(?:.*[\s>+~])?([a-zA-Z][a-zA-Z0-9-]*)((?:[.#:][a-zA-Z0-9_-]+(?:\([0-9n+ -]*\))?)*)$`)

// matchedTags are the names of the elements that a group of selectors may match; nil where that cannot be told.
func matchedTags(group cascadia.SelectorGroup) map[string]bool {
	tags := map[string]bool{}
	for _, selector := range group {
		parts := lastCompound.FindStringSubmatch(selector.String())
		if parts == nil {
			return nil
		}
		tags[parts[1]] = true
	}
	return tags
}
