package extract

import (
	"fmt"
	"time"
)

// layoutSample is a moment of which no two parts are the same number.
var layoutSample = time.Date(2017, time.November, 23, 19, 47, 58, 0, time.UTC)

// checkLayout says whether a layout names a year, a month and a day and, where a field is of type datetime, loses nothing of the time.
func checkLayout(layout string, kind fieldType) error {
	t, err := time.Parse(layout, layoutSample.Format(layout))
	if err != nil || t.Year() != layoutSample.Year() || t.YearDay() != layoutSample.YearDay() {
		return fmt.Errorf("%q does not name a year, a month and a day; write them as Go does: 2006, 01 or Jan, 02", layout)
	}
	if kind != typeDatetime {
		return nil
	}
	hour, minute, second := namesHour(layout), shows(layout, time.Minute), shows(layout, time.Second)
	switch {
	case hour && t.Hour() != layoutSample.Hour():
		return fmt.Errorf("%q names an hour of twelve without AM or PM, or the other way round; write 15 for hours of 24, or 03 and PM", layout)
	case minute && !hour:
		return fmt.Errorf("%q names minutes without an hour; write 15 for hours of 24, or 03 and PM", layout)
	case second && !minute:
		return fmt.Errorf("%q names seconds without minutes; write 04 for the minutes", layout)
	}
	return nil
}

// namesHour says whether a layout has an hour, or a half of the day.
func namesHour(layout string) bool { return shows(layout, time.Hour) || shows(layout, 12*time.Hour) }

// shows says whether a moment that much earlier is written differently.
func shows(layout string, by time.Duration) bool {
	return layoutSample.Format(layout) != layoutSample.Add(-by).Format(layout)
}

// namesZone says whether a layout has an offset or the name of a zone.
func namesZone(layout string) bool {
	elsewhere := time.FixedZone("ELSE", 3600)
	t := layoutSample
	there := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, elsewhere)
	return t.Format(layout) != there.Format(layout)
}
