package guard

import (
	"container/list"
	"sync"
	"time"

	"github.com/weir-collect/weir/internal/robots"
)

// DefaultBytes is how much a Cache holds unless it is told otherwise: the rules of some ten thousand sites of the usual
// size.
const DefaultBytes = 64 << 20

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
	// bytes is about what rules take.
	bytes int64
}

// Cache remembers the most recently used origins of any number of Guards, within a bound of bytes: sites say how long their
// files are, and there may be any number of sites. It may be used from many goroutines.
type Cache struct {
	most int64

	mu     sync.Mutex
	bytes  int64
	order  *list.List
	places map[place]*list.Element
}

// place is where an entry is found: what one guard knows says nothing to another, who goes by another name.
type place struct {
	guard  *Guard
	origin string
}

// kept is an entry in its place.
type kept struct {
	place
	entry entry
}

// ofPlace is about what an entry takes beside its texts and rules.
const ofPlace = 512

func (k *kept) weight() int64 {
	return ofPlace + int64(len(k.origin)+len(k.entry.trouble)) + k.entry.bytes
}

// NewCache is an empty cache of about so many bytes; 0 stands for DefaultBytes.
func NewCache(bytes int64) *Cache {
	if bytes <= 0 {
		bytes = DefaultBytes
	}
	return &Cache{most: bytes, order: list.New(), places: map[place]*list.Element{}}
}

func (c *Cache) get(g *Guard, origin string) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.places[place{g, origin}]
	if !ok {
		return entry{}, false
	}
	c.order.MoveToFront(element)
	return element.Value.(*kept).entry, true
}

// put remembers an entry and forgets others for it, the least recently used first. One that is larger than the whole cache
// is not remembered, and costs nobody else a place.
func (c *Cache) put(g *Guard, origin string, e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := place{g, origin}
	if element, ok := c.places[at]; ok {
		c.remove(element)
	}
	k := &kept{place: at, entry: e}
	if k.weight() > c.most {
		return
	}
	c.places[at] = c.order.PushFront(k)
	c.bytes += k.weight()
	for c.bytes > c.most {
		c.remove(c.order.Back())
	}
}

// remove forgets an entry. It is called with the lock held.
func (c *Cache) remove(element *list.Element) {
	k := c.order.Remove(element).(*kept)
	delete(c.places, k.place)
	c.bytes -= k.weight()
}
