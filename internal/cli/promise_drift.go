package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/starter"
)

// driftSpan is how far arrivals are looked at: a month has all its weekdays four times.
const driftSpan = 30 * day

// driftAnswer is the answer for programs.
type driftAnswer struct {
	sizing.Drift
	// Verdict is what a person is told.
	Verdict string           `json:"verdict"`
	Covered starter.Coverage `json:"covered"`
}

// drift compares measured arrivals with what the fleet was sized for.
func (a *app) drift(cmd *cobra.Command, f *promiseFlags) error {
	assumed, err := a.assumed(f.assumed)
	if err != nil {
		return err
	}
	m, _, err := a.measured(cmd, f.past)
	if err != nil {
		return err
	}
	if err := enough(m, f.past); err != nil {
		return err
	}
	d, err := m.History.Drift(assumed)
	if err != nil {
		return usageError{explainProblems("what is measured", err)}
	}
	answer := driftAnswer{Drift: d, Verdict: driftVerdict(d, assumed), Covered: m.Coverage}
	if err := a.answer(answer, func() { a.showDrift(answer) }); err != nil {
		return err
	}
	if d.Trend == sizing.Grown {
		return verdict(ExitPromiseBroken)
	}
	return nil
}

// assumed reads what the fleet was sized for; without a name it is the experiment.
func (a *app) assumed(name string) (sizing.Assumed, error) {
	if name == "" {
		p := sizing.Default()
		return sizing.Assumed{From: "experiment", Promise: p.Promise, Burst: p.Burst()}, nil
	}
	var assumed sizing.Assumed
	err := a.readSizeFile(name, func(file *os.File) (err error) {
		assumed, err = sizing.ReadAssumed(file)
		return err
	})
	if err != nil {
		return assumed, usageError{err}
	}
	return assumed, nil
}

// driftVerdict is one sentence for a person.
func driftVerdict(d sizing.Drift, assumed sizing.Assumed) string {
	fleet := "the fleet was sized for"
	if assumed.Workers > 0 {
		fleet = fmt.Sprintf("the fleet of %d was sized for", assumed.Workers)
	}
	if assumed.From == "experiment" {
		fleet = "the experiment of docs/sizing.md has, since no --assumed was given"
	}
	var moved []string
	for _, s := range d.Shifts {
		if s.Trend == d.Trend {
			moved = append(moved, movedText(s))
		}
	}
	switch d.Trend {
	case sizing.Grown:
		return fmt.Sprintf("size the fleet again: %s what %s", strings.Join(moved, ", "), fleet)
	case sizing.Shrunk:
		return fmt.Sprintf("a smaller fleet may do: %s what %s", strings.Join(moved, ", "), fleet)
	case sizing.Unclear:
		return fmt.Sprintf("cannot tell yet whether to size again: %s what %s; that may be chance: ask again in some days, or widen --since",
			strings.Join(moved, ", "), fleet)
	}
	return fmt.Sprintf("no need to size again: nothing differs by more than %g times (dispersion: %g) from what %s",
		sizing.ShiftFactor, sizing.DispersionFactor, fleet)
}

// movedText says how far a figure is from what was assumed, and where that decides how sure it is.
func movedText(s sizing.Shift) string {
	if s.Ratio == 0 {
		return s.Figure + " is not known"
	}
	text := fmt.Sprintf("%s is %.3g times (%.4g, not %.4g)", s.Figure, s.Ratio, s.Measured, s.Assumed)
	if s.Trend == sizing.Unclear {
		text += ", error " + errorText(s)
	}
	return text
}

func errorText(s sizing.Shift) string {
	switch {
	case s.RelativeError < 1:
		return fmt.Sprintf("%.0f %%", 100*s.RelativeError)
	case s.RelativeError < 10:
		return "over 100 %"
	}
	return "unknown"
}

func (a *app) showDrift(answer driftAnswer) {
	out := a.answers()
	table := out.NewTable(screen.Column{Title: "FIGURE"}, screen.Column{Title: "SIZED FOR", Right: true},
		screen.Column{Title: "MEASURED", Right: true}, screen.Column{Title: "TIMES", Right: true},
		screen.Column{Title: "ERROR", Right: true}, screen.Column{Title: "TREND"})
	row := func(name string, assumed, measured float64, more ...screen.Cell) {
		cells := []screen.Cell{screen.Text(name), screen.Text(fmt.Sprintf("%.4g", assumed)), screen.Text(fmt.Sprintf("%.4g", measured))}
		table.Row(append(cells, more...)...)
	}
	for _, s := range answer.Shifts {
		times := "unknown"
		if s.Ratio > 0 {
			times = fmt.Sprintf("%.2f", s.Ratio)
		}
		row(s.Figure, s.Assumed, s.Measured, screen.Text(times), screen.Text(errorText(s)), trendCell(s.Trend))
	}
	was, now := answer.Assumed, answer.Measured
	for _, plain := range []struct {
		name       string
		was, found float64
	}{
		{"records an hour", was.JobsPerHour, now.JobsPerHour}, {"minutes a record", was.ServiceMinutes, now.ServiceMinutes},
		{"variation of batches", was.BatchVariation, now.BatchVariation},
	} {
		row(plain.name, plain.was, plain.found, screen.Text(""), screen.Text(""), screen.Text(""))
	}
	table.End()
	out.Blank()
	style := map[sizing.Trend]screen.Style{sizing.Grown: screen.Bad, sizing.Shrunk: screen.Notice, sizing.Unclear: screen.Notice, sizing.Steady: screen.Good}[answer.Trend]
	out.Line("%s", out.Paint(style, answer.Verdict))
	out.Line("%s", out.Paint(screen.Faint, "measured over "+answer.Extent.String()))
	a.tellOmitted(answer.Covered)
}

func trendCell(t sizing.Trend) screen.Cell {
	style := map[sizing.Trend]screen.Style{sizing.Grown: screen.Bad, sizing.Unclear: screen.Notice}[t]
	return screen.Cell{Text: string(t), Style: style}
}
