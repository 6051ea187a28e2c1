package guard

import (
	"container/list"
	"time"

	"github.com/weir-collect/weir/internal/robots"
)

// entry is what is known of one origin. It is not changed once it is shared.
type entry struct {
	// rules are those for our agent alone; the rest of the file is not kept.
	rules robots.Rules
	// outcome is what rules come from.
	outcome robots.Outcome
	// readAt is when the site gave them; zero when it could not be reached.
	readAt time.Time
	// until is when they are to be asked for again.
	until time.Time
	// trouble says why the site could not be reached.
	trouble string
}

// cache remembers the most recently used origins.
type cache struct {
	max    int
	order  *list.List
	places map[string]*list.Element
}

type place struct {
	origin string
	entry  entry
}

func newCache(limit int) cache {
	return cache{max: limit, order: list.New(), places: map[string]*list.Element{}}
}

func (c *cache) get(origin string) (entry, bool) {
	element, ok := c.places[origin]
	if !ok {
		return entry{}, false
	}
	c.order.MoveToFront(element)
	return element.Value.(*place).entry, true
}

func (c *cache) put(origin string, e entry) {
	if element, ok := c.places[origin]; ok {
		element.Value.(*place).entry = e
		c.order.MoveToFront(element)
		return
	}
	c.places[origin] = c.order.PushFront(&place{origin: origin, entry: e})
	for c.order.Len() > c.max {
		oldest := c.order.Remove(c.order.Back()).(*place)
		delete(c.places, oldest.origin)
	}
}
