package lease

import (
	"testing"
	"time"
)

// TestPlots plays what draws seldom bring about.
func TestPlots(t *testing.T) {
	at := func(seconds int, kind string, number int) fault {
		return fault{At: time.Duration(seconds) * time.Second, Kind: kind, For: 2 * time.Second, Number: number}
	}
	// Leases are made longer, and two of three workers are cut off under such leases before something happens to the owner.
	longer := func(kind string, number int) []fault {
		cut := func(worker int) fault {
			return fault{At: 8 * time.Second, Kind: "partition", Worker: worker, For: 9 * time.Second}
		}
		return []fault{at(2, "use-ttl", 0), cut(1), cut(2), at(9, kind, number)}
	}
	for name, p := range map[string]plot{
		"some requests always fail":          {Ceiling: 40, Workers: 2, FaultEvery: 5},
		"longer leases, and the owner lost":  {Ceiling: 6, Workers: 3, Faults: longer("owner-lost", 0)},
		"longer leases, and the owner reset": {Ceiling: 6, Workers: 3, Faults: longer("reset", 1)},
		"longer requests, and both":          {Ceiling: 6, Workers: 3, Linger: true, Faults: append(longer("owner-lost", 0), at(16, "reset", 0))},
		"shorter requests, and a worker lost before": {Ceiling: 6, Workers: 2, Linger: true, Faults: []fault{
			{At: 8 * time.Second, Kind: "partition", For: 9 * time.Second}, {At: 9900 * time.Millisecond, Kind: "freeze", For: 4 * time.Second},
			at(10, "use-linger", 0),
		}},
		"an outage played again": {Ceiling: 6, Workers: 3, Faults: []fault{at(2, "outage", 0), at(9, "reset", 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			p.Chaos, p.Calm = 20*time.Second, 8*simTTL
			for p.Seed = range 10 {
				w := newWorld(t, p)
				w.run()
				w.measure()
			}
		})
	}
}
