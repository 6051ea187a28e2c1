package lease

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Hours are when a source may be collected from.
type Hours struct {
	Zone    Zone     `json:"zone"`
	Windows []Window `json:"windows"`
}

// Window is a time of day on some days of the week, such as "22:00-06:00" or "Mon-Fri,Sun 22:00-06:00". The days are those
// on which it opens; one that ends no later than it begins ends on the next day.
//
// On days when the clocks change, a window is open once: it opens when its time is reached first, or at the change when
// the change leaps over its time, and closes likewise. One that would so be left with no time keeps its length.
type Window struct {
	days        uint8 // bit 0 is Sunday
	from, until int   // minutes from midnight; until is more than from
}

const (
	everyDay   = 1<<7 - 1
	dayMinutes = 24 * 60
	dayNames   = "sunmontuewedthufrisat"
)

// ParseWindow reads a window.
func ParseWindow(text string) (Window, error) {
	w := Window{days: everyDay}
	fields := strings.Fields(text)
	if len(fields) == 2 {
		days, err := parseDays(fields[0])
		if err != nil {
			return Window{}, fmt.Errorf("window %q: %w", text, err)
		}
		w.days, fields = days, fields[1:]
	}
	wrong := fmt.Errorf("window %q: write it as \"22:00-06:00\" or \"Mon-Fri 22:00-06:00\"", text)
	if len(fields) != 1 {
		return Window{}, wrong
	}
	from, until, ok := strings.Cut(fields[0], "-")
	var fine1, fine2 bool
	w.from, fine1 = parseMinutes(from)
	w.until, fine2 = parseMinutes(until)
	if !ok || !fine1 || !fine2 || w.from == dayMinutes {
		return Window{}, wrong
	}
	if w.until <= w.from {
		w.until += dayMinutes
	}
	return w, nil
}

func parseMinutes(text string) (int, bool) {
	hour, minute, ok := strings.Cut(text, ":")
	h, err1 := strconv.ParseUint(hour, 10, 8)
	m, err2 := strconv.ParseUint(minute, 10, 8)
	fine := ok && err1 == nil && err2 == nil && len(minute) == 2 && m < 60 && (h < 24 || h == 24 && m == 0)
	return int(60*h + m), fine
}

func parseDays(text string) (uint8, error) {
	var days uint8
	for part := range strings.SplitSeq(text, ",") {
		first, last, span := strings.Cut(part, "-")
		if !span {
			last = first
		}
		from, until := weekday(first), weekday(last)
		if from < 0 || until < 0 {
			return 0, fmt.Errorf("days %q: write them as \"Mon\", \"Mon-Fri\" or \"Mon,Wed\"", text)
		}
		for d := from; ; d = (d + 1) % 7 {
			days |= 1 << d
			if d == until {
				break
			}
		}
	}
	return days, nil
}

func weekday(name string) int {
	at := strings.Index(dayNames, strings.ToLower(name))
	if len(name) != 3 || at < 0 || at%3 != 0 {
		return -1
	}
	return at / 3
}

// String is the window as ParseWindow reads it.
func (w Window) String() string {
	var days []string
	for d := range 7 {
		if w.days&(1<<d) != 0 {
			days = append(days, strings.ToUpper(dayNames[3*d:3*d+1])+dayNames[3*d+1:3*d+3])
		}
	}
	until := w.until
	if until > dayMinutes {
		until -= dayMinutes
	}
	text := fmt.Sprintf("%02d:%02d-%02d:%02d", w.from/60, w.from%60, until/60, until%60)
	if bits.OnesCount8(w.days) == 7 {
		return text
	}
	return strings.Join(days, ",") + " " + text
}

// MarshalJSON writes the window as text.
func (w Window) MarshalJSON() ([]byte, error) { return json.Marshal(w.String()) }

// UnmarshalJSON reads what MarshalJSON wrote, or what a person has written.
func (w *Window) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("window %s: write it as a text such as \"22:00-06:00\"", b)
	}
	parsed, err := ParseWindow(text)
	if err != nil {
		return err
	}
	*w = parsed
	return nil
}

func (h Hours) check() error {
	if len(h.Windows) == 0 {
		return errors.New("no windows: give one such as \"22:00-06:00\", or leave the hours out")
	}
	for _, w := range h.Windows {
		if w.days == 0 || w.until <= w.from {
			return errors.New("an empty window: make windows with ParseWindow")
		}
	}
	return h.Zone.check()
}

// on is when the window opens and closes on a day of the calendar; closed on days that it does not name.
func (w Window) on(day time.Time, zone Zone) (opens, closes time.Time, ok bool) {
	if w.days&(1<<day.Weekday()) == 0 {
		return time.Time{}, time.Time{}, false
	}
	opens = zone.moment(day.Add(time.Duration(w.from) * time.Minute))
	closes = zone.moment(day.Add(time.Duration(w.until) * time.Minute))
	if !closes.After(opens) {
		closes = opens.Add(time.Duration(w.until-w.from) * time.Minute)
	}
	return opens, closes, true
}

// At says whether the hours have the source open at a moment, and when that changes; zero if it never does.
func (h Hours) At(now time.Time) (open bool, change time.Time) {
	wall := h.Zone.wall(now)
	today := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	// A window of yesterday may still be open, and one that opens weekly may have opened today.
	var spans []span
	for d := -2; d <= 8; d++ {
		for _, w := range h.Windows {
			if opens, closes, ok := w.on(today.AddDate(0, 0, d), h.Zone); ok {
				spans = append(spans, span{opens, closes})
			}
		}
	}
	closes := now
	for joined := true; joined; {
		joined = false
		for _, s := range spans {
			if !s.opens.After(closes) && s.closes.After(closes) {
				closes, joined = s.closes, true
			}
		}
	}
	if closes.After(now) {
		// Windows that meet until the end of what was looked at never close.
		if closes.Sub(now) > 7*24*time.Hour {
			return true, time.Time{}
		}
		return true, closes
	}
	for _, s := range spans {
		if s.opens.After(now) && (change.IsZero() || s.opens.Before(change)) {
			change = s.opens
		}
	}
	return false, change
}

type span struct{ opens, closes time.Time }
