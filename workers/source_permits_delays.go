package workers

import (
	"container/list"
	"time"

	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/robots"
)

// mostDelays bounds how many origins' intervals are remembered for one source.
const mostDelays = 4096

// delays are the intervals that the robots.txt files of one source's origins ask for, as they were last read. Of several the
// longest counts, since the source is asked as one. What a file asks for is forgotten when the file would have to be read
// anew before the next request to its origin, and when others have been read since that are as many as are remembered.
type delays struct {
	most     int
	byOrigin map[string]*list.Element
	// order has the wish that was read longest ago in front.
	order list.List // of wish
	// counts says of every interval, as it is obeyed, how many origins ask for it; longest is the longest of these, zero for
	// none.
	counts  map[lease.Millis]int
	longest lease.Millis
	// read says that any file has been read.
	read bool
}

// wish is the interval that the robots.txt of one origin asks for.
type wish struct {
	origin string
	delay  time.Duration
	readAt time.Time
}

// obeyed is the interval as it is kept to.
func (w wish) obeyed() lease.Millis { return lease.Milliseconds(min(w.delay, robots.LongestDelay)) }

func newDelays(most int) *delays {
	return &delays{most: most, byOrigin: map[string]*list.Element{}, counts: map[lease.Millis]int{}}
}

// learn takes in what an origin asks for; zero if nothing. It says whether the source is now to be asked at a longer
// interval than before, and whether this origin asks for more than is obeyed and did not ask for the same before.
func (d *delays) learn(now time.Time, origin string, delay time.Duration) (longer, beyond bool) {
	w := wish{origin: origin, delay: delay, readAt: now}
	before, last := d.longest, time.Duration(0)
	d.read = true
	if element, ok := d.byOrigin[origin]; ok {
		last = element.Value.(wish).delay
		d.forget(element)
	}
	if delay > 0 {
		if d.order.Len() >= d.most {
			d.forget(d.order.Front())
		}
		d.byOrigin[origin] = d.order.PushBack(w)
		d.counts[w.obeyed()]++
		d.longest = max(d.longest, w.obeyed())
	}
	return d.longest > before, delay > robots.LongestDelay && delay != last
}

// inForce is the interval to keep to; nil before any file was read.
func (d *delays) inForce(now time.Time) *lease.Millis {
	if !d.read {
		return nil
	}
	for front := d.order.Front(); front != nil && now.Sub(front.Value.(wish).readAt) >= robots.MaxTTL; front = d.order.Front() {
		d.forget(front)
	}
	longest := d.longest
	return &longest
}

func (d *delays) forget(element *list.Element) {
	w := d.order.Remove(element).(wish)
	delete(d.byOrigin, w.origin)
	if d.counts[w.obeyed()]--; d.counts[w.obeyed()] > 0 {
		return
	}
	delete(d.counts, w.obeyed())
	if w.obeyed() < d.longest {
		return
	}
	d.longest = 0
	for each := range d.counts {
		d.longest = max(d.longest, each)
	}
}
