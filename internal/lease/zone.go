package lease

import (
	"errors"
	"time"
)

// Zone is a time zone as far as it is needed: when its clocks are how far from UTC. The table carries this and not a
// zone's name, since a zone database differs from machine to machine, and a workflow must come to the same result on all.
type Zone struct {
	Name string `json:"name"`
	// Offsets are in the order of time. The first holds also before its time, the last for ever after.
	Offsets []Offset `json:"offsets"`
}

// Offset is what a zone's clocks are ahead of UTC from a moment on.
type Offset struct {
	From    time.Time `json:"from"`
	Seconds int       `json:"seconds"`
}

// ZoneOf reads a location's clock changes between two moments. Call it outside of workflows, with a span of some years,
// and give its result to Configure.
func ZoneOf(location *time.Location, from, until time.Time) Zone {
	zone := Zone{Name: location.String()}
	for at := from; ; {
		local := at.In(location)
		_, seconds := local.Zone()
		zone.Offsets = append(zone.Offsets, Offset{From: at.Round(0).UTC(), Seconds: seconds})
		_, end := local.ZoneBounds()
		if end.IsZero() || !end.Before(until) {
			return zone
		}
		at = end
	}
}

func (z Zone) check() error {
	if len(z.Offsets) == 0 {
		return errors.New("the time zone has no offsets: fill it with ZoneOf")
	}
	for i, o := range z.Offsets {
		if i > 0 && !o.From.After(z.Offsets[i-1].From) {
			return errors.New("the time zone's offsets are not in the order of time: fill it with ZoneOf")
		}
	}
	return nil
}

// offset is what the zone's clocks are ahead of UTC at a moment.
func (z Zone) offset(at time.Time) time.Duration {
	seconds := z.Offsets[0].Seconds
	for _, o := range z.Offsets[1:] {
		if at.Before(o.From) {
			break
		}
		seconds = o.Seconds
	}
	return time.Duration(seconds) * time.Second
}

// wall is what the zone's clocks show at a moment, as a time that says UTC.
func (z Zone) wall(at time.Time) time.Time { return at.UTC().Add(z.offset(at)) }

// moment is when the zone's clocks show a time: the first of two when they are put back over it, and the moment of the
// change when they are put forward over it.
func (z Zone) moment(wall time.Time) time.Time {
	for i := 0; ; i++ {
		o := z.Offsets[i]
		at := wall.Add(-time.Duration(o.Seconds) * time.Second)
		if i > 0 && at.Before(o.From) {
			// The clocks jumped from before this time to after it: otherwise the offset before would have had it.
			return o.From
		}
		if i+1 == len(z.Offsets) || at.Before(z.Offsets[i+1].From) {
			return at
		}
	}
}
