package sizing

// crew is the workers of a fleet of which some are started when jobs wait and stopped when they idle. A fleet of fixed
// size is a crew whose floor is its limit.
type crew struct {
	floor, limit int
	delay, keep  int64

	paid     int     // starting, working or idle
	starting []int64 // when each started worker is there, soonest first
	// idle is since when each idle worker idles, longest first. The last to become idle is the first to work again, so
	// that the others may be stopped.
	idle []int64

	from, end, last int64 // the counted months, and up to when wages are booked
	wages           int64 // worker microseconds paid inside them
	peak            int
}

func newCrew(p Params, workers int) *crew {
	c := &crew{floor: workers, limit: workers, from: p.warmUp(), end: p.end()}
	if p.Elastic != nil {
		c.floor = min(p.Elastic.Floor, workers)
		c.delay = micros(p.Elastic.StartDelayMinutes)
		c.keep = micros(p.Elastic.StopAfterIdleMinutes)
	}
	c.paid, c.peak = c.floor, c.floor
	c.idle = make([]int64, c.floor, workers)
	return c
}

// pay books wages up to a moment.
func (c *crew) pay(now int64) {
	if span := min(now, c.end) - max(c.last, c.from); span > 0 {
		c.wages += span * int64(c.paid)
	}
	c.last = max(c.last, now)
}

// stop sends away the workers above the floor that have idled long enough by now.
func (c *crew) stop(now int64) {
	for c.paid > c.floor && len(c.idle) > 0 && c.idle[0]+c.keep <= now {
		c.pay(c.idle[0] + c.keep)
		c.idle = c.idle[1:]
		c.paid--
	}
}

// want starts workers for jobs that no worker on its way will take.
func (c *crew) want(now int64, jobs int) {
	for jobs > len(c.starting) && c.paid < c.limit {
		c.pay(now)
		c.paid++
		c.peak = max(c.peak, c.paid)
		c.starting = append(c.starting, now+c.delay)
	}
}

func (c *crew) arrive(now int64) {
	c.starting = c.starting[1:]
	c.idle = append(c.idle, now)
}

// work takes an idle worker; there must be one.
func (c *crew) work() { c.idle = c.idle[:len(c.idle)-1] }

func (c *crew) release(now int64) { c.idle = append(c.idle, now) }
