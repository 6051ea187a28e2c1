package extract

import (
	"fmt"
	"time"
)

// clockSpan is how far around a time on the wall the offsets of its zone are looked at: further than any offset from UTC.
const clockSpan = 36 * time.Hour

// instant is the moment at which the clocks of a zone show what those of UTC show at wall. What they never show, or show twice,
// is no moment. The start of a day is always one, if the zone had the day: where its midnight is left out the day begins
// later, and where it comes twice the day begins with the first.
func instant(wall time.Time, zone *time.Location, startOfDay bool) (time.Time, error) {
	earlier, later := offsetAt(wall.Add(-clockSpan), zone), offsetAt(wall.Add(clockSpan), zone)
	first, second := wall.Add(-earlier).In(zone), wall.Add(-later).In(zone)
	shown, shownLater := offsetAt(first, zone) == earlier, offsetAt(second, zone) == later
	switch {
	case shown && shownLater && !first.Equal(second) && !startOfDay:
		return time.Time{}, fmt.Errorf("the clocks of %s show it twice, when they are set back; read the offset with one of the layouts, or set type: date",
			zone)
	case shown:
		return first, nil
	case shownLater:
		return second, nil
	case startOfDay && first.Day() == wall.Day():
		return first, nil
	}
	return time.Time{}, fmt.Errorf("it does not exist in %s, whose clocks are set forward over it; set zone to that of the site, or set type: date", zone)
}

func offsetAt(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}
