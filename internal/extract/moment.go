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
// text without a time stands for the start of its day.
func parseMoment(text string, f *field) (any, error) {
	text = strings.TrimSpace(text)
	layouts := f.layouts
	if len(layouts) == 0 {
		layouts = isoLayouts
	}
	for _, layout := range layouts {
		t, err := time.ParseInLocation(layout, text, f.zone)
		if err != nil {
			continue
		}
		if name, ok := invented(t, f.zone); ok {
			return nil, fmt.Errorf("%s names the zone %q, whose offset is not known; set zone, or cut it off with match", quote(text), name)
		}
		if f.kind == typeDate {
			return t.Format(time.DateOnly), nil
		}
		return t.Format(time.RFC3339Nano), nil
	}
	return nil, fmt.Errorf("%s is not a %s in any of the layouts %q", quote(text), f.kind, layouts)
}

// invented says that package time knew a zone's name only as a name and gave it the offset zero.
func invented(t time.Time, zone *time.Location) (string, bool) {
	name, offset := t.Zone()
	known := name == "" || name == "UTC" || name == "GMT" || t.Location() == time.UTC || t.Location() == zone
	return name, offset == 0 && !known
}

// checkLayout says whether a layout names a year, a month and a day.
func checkLayout(layout string) error {
	sample := time.Date(2017, time.November, 23, 19, 47, 58, 0, time.UTC)
	t, err := time.Parse(layout, sample.Format(layout))
	if err != nil || t.Year() != sample.Year() || t.YearDay() != sample.YearDay() {
		return fmt.Errorf("%q does not name a year, a month and a day; write them as Go does: 2006, 01 or Jan, 02", layout)
	}
	return nil
}
