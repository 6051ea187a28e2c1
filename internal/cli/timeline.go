package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
)

// robotsText says what robots.txt decided of a record, whose reason may be that there was nobody to ask for one.
func robotsText(d collection.RobotsDecision, reason collection.Reason) string {
	switch reason {
	case collection.ReasonDNSNotFound, collection.ReasonPrivateAddress, collection.ReasonTLSError, collection.ReasonStoreUnavailable:
		if !d.Allowed && d.Rule == "" {
			return "none: it could not be asked for"
		}
	}
	verdict := "forbidden"
	if d.Allowed {
		verdict = "allowed"
	}
	if d.Rule != "" {
		return fmt.Sprintf("%s by line %d, %q", verdict, d.Line, d.Rule)
	}
	if d.Why != "" {
		return verdict + ": " + d.Why
	}
	return verdict
}

// tellTrail writes one line for each attempt that a record's collecting took: when, what it waited for, where it went and
// what it met.
func tellTrail(s *screen.Screen, t collection.Trail) {
	if len(t.Attempts) == 0 {
		return
	}
	s.Blank()
	table := s.NewTable(screen.Column{Title: "attempt at"}, screen.Column{Title: "met"}, screen.Column{Title: "status", Right: true},
		screen.Column{Title: "took", Right: true}, screen.Column{Title: "by", Spare: true}, screen.Column{Title: "waited for", Spare: true, Rank: 1})
	for i, line := range t.Attempts {
		if t.Omitted > 0 && i == collection.MaxTrail/2 {
			row := make([]screen.Cell, 6)
			row[0] = screen.Cell{Text: "… " + screen.Plural(t.Omitted, "attempt"), Style: screen.Faint}
			table.Row(row...)
		}
		table.Row(screen.Text(screen.Time(line.At)), metCell(line), screen.Text(statusCell(line.Status)), screen.Text(tookText(line.Took)),
			screen.Text(byText(line)), screen.Text(waitsText(line)))
	}
	table.End()
}

func metCell(line collection.AttemptLine) screen.Cell {
	if line.Reason == "" {
		return screen.Text("success")
	}
	return screen.Cell{Text: string(line.Reason), Style: screen.Notice}
}

func statusCell(status int) string {
	if status == 0 {
		return "-"
	}
	return strconv.Itoa(status)
}

// tookText is how long a request took; an attempt without one took nothing.
func tookText(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return screen.Duration(time.Duration(ms) * time.Millisecond)
}

// byText is the method and the egress, where the source has a choice.
func byText(line collection.AttemptLine) string {
	var parts []string
	if line.Method != "" {
		parts = append(parts, line.Method)
	}
	if line.Egress != "" {
		parts = append(parts, "via "+line.Egress)
	}
	return orElse(strings.Join(parts, " "), "-")
}

// waitsText lists what an attempt waited for before its request, in the order of waiting.
func waitsText(line collection.AttemptLine) string {
	var parts []string
	for _, wait := range []struct {
		name string
		ms   int64
	}{{"backoff", line.Backoff}, {"queue", line.Queue}, {"permit", line.Permit}, {"pace", line.Pace}} {
		if d := time.Duration(wait.ms) * time.Millisecond; d >= 100*time.Millisecond {
			parts = append(parts, wait.name+" "+screen.Duration(d))
		}
	}
	return orElse(strings.Join(parts, ", "), "nothing")
}
