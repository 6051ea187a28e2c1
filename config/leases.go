package config

import (
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// What a table knows of a zone's clock changes: at least a year back, for windows that are open while it is made, and at
// least enough years on to outlast any worker's run.
const (
	zoneYearsBack  = 1
	zoneYearsAhead = 5
)

// zoneSpan is made of whole years, so that processes with the same configuration come to the same, whenever in a year they
// start.
func zoneSpan(now time.Time) (from, until time.Time) {
	newYear := func(year int) time.Time { return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC) }
	year := now.UTC().Year()
	return newYear(year - zoneYearsBack), newYear(year + zoneYearsAhead + 1)
}

// Leases is what the owner of the ceilings must know: every source, in the order of the configuration, and what holds for
// all. It looks up when clocks change, from at least a year before now to five years after, and does not otherwise depend on
// now; call it outside of workflows. Of a configuration whose hours Validate refuses it makes one that lease.Table refuses.
func (c Config) Leases(now time.Time) ([]lease.SourceConfig, lease.Settings) {
	sources := make([]lease.SourceConfig, len(c.Sources))
	for i, s := range c.Sources {
		sources[i] = lease.SourceConfig{
			Source:  s.Name,
			Ceiling: s.Ceiling,
			Rate:    lease.PerSecond(s.Pace),
			Burst:   s.Burst,
			Linger:  linger(s),
			Methods: methodNames(s), FallbackAfter: s.FallbackAfter,
			Hours: leaseHours(s.Hours, now),
			Breaker: lease.BreakerConfig{
				Window:  lease.Milliseconds(s.Breaker.Window),
				Faults:  s.Breaker.Faults,
				Percent: s.Breaker.Percent,
				Open:    lease.Milliseconds(s.Breaker.Open),
				MaxOpen: lease.Milliseconds(s.Breaker.MaxOpen),
			},
		}
	}
	return sources, lease.Settings{TTL: lease.Milliseconds(c.Fleet.LeaseTTL)}
}

// linger is how long a request may go on at the source once the lease of its worker has ended: the timeout, the longest
// that a request can take. A worker that is alive cancels its requests before, and the system of one that was killed closes
// its sockets. But a machine that lost its power or its network closes nothing that the source could see, and the source
// works on what it was asked; the last request may have begun just before the lease ended.
func linger(s collection.Source) lease.Millis { return lease.Milliseconds(s.Timeout) }

// leaseHours is nil for a source that is always open. What cannot be read makes hours without windows, which the table
// refuses: a source must not be open when nobody can say whether it is.
func leaseHours(h collection.Hours, now time.Time) *lease.Hours {
	if len(h.Windows) == 0 {
		return nil
	}
	zone, err := location(h.Zone)
	if err != nil {
		return &lease.Hours{}
	}
	windows := make([]lease.Window, len(h.Windows))
	for i, text := range h.Windows {
		if windows[i], err = lease.ParseWindow(text); err != nil {
			return &lease.Hours{}
		}
	}
	from, until := zoneSpan(now)
	return &lease.Hours{Zone: lease.ZoneOf(zone, from, until), Windows: windows}
}

// methodNames are the names of a source's methods, the preferred one first; nil for a source that is asked in one way.
func methodNames(s collection.Source) []string {
	var names []string
	for _, m := range s.Methods {
		names = append(names, m.Name)
	}
	return names
}
