package config

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // so that a zone is known, and the same, in a container without a zone database

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// Bounds of the keys that say how hard a source may be asked, and when.
const (
	maxCeiling       = lease.MostCeiling
	maxPace          = 10_000.0
	maxBurst         = 1000
	minBreakerWindow = time.Second
	maxBreakerWindow = time.Hour
	maxBreakerFaults = 10_000
	minBreakerOpen   = time.Second
	maxBreakerOpen   = time.Hour
	longestOpen      = 24 * time.Hour
)

func checkLimits(s collection.Source, path string, p *problems) {
	checkRange(p, path+".ceiling", s.Ceiling, 1, maxCeiling)
	checkRange(p, path+".pace", s.Pace, 0, maxPace)
	checkRange(p, path+".burst", s.Burst, 1, maxBurst)
	checkHours(s.Hours, path+".hours", p)
	checkBreaker(s.Breaker, path+".breaker", p)
}

func checkHours(h collection.Hours, path string, p *problems) {
	if _, err := location(h.Zone); err != nil {
		p.add(path+".zone", shown(h.Zone), err.Error())
	}
	if h.Zone != "" && len(h.Windows) == 0 {
		p.add(path+".windows", "", "zone is set, but there are no windows, so the source is always open: list some, or take zone away")
	}
	for i, text := range h.Windows {
		if _, err := lease.ParseWindow(text); err != nil {
			p.add(fmt.Sprintf("%s.windows[%d]", path, i), "", err.Error())
		}
	}
}

func checkBreaker(b collection.Breaker, path string, p *problems) {
	checkRange(p, path+".window", b.Window, minBreakerWindow, maxBreakerWindow)
	checkRange(p, path+".faults", b.Faults, 1, maxBreakerFaults)
	checkRange(p, path+".percent", b.Percent, 1, 100)
	checkRange(p, path+".open", b.Open, minBreakerOpen, maxBreakerOpen)
	if b.MaxOpen < b.Open {
		p.add(path+".max_open", durationText(b.MaxOpen), "use at least breaker.open, "+durationText(b.Open))
	} else {
		checkRange(p, path+".max_open", b.MaxOpen, minBreakerOpen, longestOpen)
	}
}

// location is the time zone of that name; UTC for none. "Local" would make a source's hours depend on the machine.
func location(zone string) (*time.Location, error) {
	loaded, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, errors.New("write the name of a time zone, for instance Europe/London, or nothing for UTC")
	}
	return loaded, nil
}
