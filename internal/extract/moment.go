package extract

import (
	"fmt"
	"strings"
	"time"
)

// isoLayouts are read when a rule names no layouts: RFC 3339, and ISO 8601 without a zone, without seconds or without a
// time. Go accepts a fraction of a second behind any of them.
var isoLayouts = []string{
	time.RFC3339,
	"2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02T15:04:05-0700",
	"2006-01-02T15:04:05-07",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
	"2006-01-02",
}

// parseMoment reads a date or a date with time and writes it in ISO form. A date is the one that the text names,
// whatever its zone. A datetime keeps the offset of the text, and has the field's zone where the text names none; a
// text without a time stands for the start of its day. A text that two layouts read differently is refused.
func parseMoment(text string, f *field) (any, error) {
	text = strings.TrimSpace(text)
	layouts := f.layouts
	if len(layouts) == 0 {
		layouts = isoLayouts
	}
	var read, by string
	for _, layout := range layouts {
		wall, err := time.ParseInLocation(layout, text, time.UTC)
		if err != nil {
			continue
		}
		again, err := f.moment(text, layout, wall)
		if err != nil {
			return nil, err
		}
		if read != "" && again != read {
			return nil, fmt.Errorf("%s is %s by the layout %q and %s by %q; keep the one of the layouts that the site writes", quote(text), read, by, again, layout)
		}
		read, by = again, layout
	}
	if read == "" {
		return nil, fmt.Errorf("%s is not a %s in any of the layouts %q", quote(text), f.kind, layouts)
	}
	return read, nil
}

// moment writes what a text is by one layout. wall is what the clocks show by it.
func (f *field) moment(text, layout string, wall time.Time) (string, error) {
	if f.kind == typeDate {
		return wall.Format(time.DateOnly), nil
	}
	var t time.Time
	var err error
	if namesZone(layout) {
		t, err = time.ParseInLocation(layout, text, f.zone)
		t = fromGreenwich(t)
		if name, ok := invented(t, f.zone); ok {
			return "", fmt.Errorf("%s names the zone %q, whose offset is not known; set zone, or cut it off with match", quote(text), name)
		}
	} else {
		t, err = instant(wall, f.zone, !namesHour(layout))
	}
	if err != nil {
		return "", fmt.Errorf("%s is not a %s: %w", quote(text), f.kind, err)
	}
	return t.Format(time.RFC3339Nano), nil
}

// fromGreenwich mends how package time reads a zone like GMT+2: it keeps the offset, but takes the clock's time for that of Greenwich.
func fromGreenwich(t time.Time) time.Time {
	name, offset := t.Zone()
	if !isGreenwichOffset(name) {
		return t
	}
	return t.Add(-time.Duration(offset) * time.Second)
}

// isGreenwichOffset says whether a zone's name is of the form GMT+2. No zone of the time zone database has a name like that.
func isGreenwichOffset(name string) bool {
	return len(name) > 3 && strings.HasPrefix(name, "GMT") && strings.ContainsRune("+-", rune(name[3]))
}

// invented says that package time knew a zone's name only as a name and gave it the offset zero.
func invented(t time.Time, zone *time.Location) (string, bool) {
	name, offset := t.Zone()
	known := name == "" || name == "UTC" || name == "GMT" || isGreenwichOffset(name) || t.Location() == time.UTC || t.Location() == zone
	return name, offset == 0 && !known
}
