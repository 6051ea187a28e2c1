package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/chart"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/probe"
	probechart "github.com/weir-collect/weir/internal/probe/chart"
)

// tellProbe gives the answer. A probe without a recommendation ends with a code of its own.
func (a *app) tellProbe(answer probeAnswer, charts string) error {
	if err := a.answer(answer, func() {
		a.showProbeSteps(answer.Steps)
		a.showAdvice(answer)
	}); err != nil {
		return err
	}
	if err := a.writeProbeCharts(charts, answer); err != nil {
		return err
	}
	if answer.Advice.Ceiling == 0 {
		return verdict(ExitFailure)
	}
	if answer.Advice.Ceiling != answer.Ceiling && !answer.Advice.AtLeast && answer.Advice.Cause != probe.CausePace {
		hint(a.remarks(), "set it", fmt.Sprintf("weir ceiling %s %d --reason \"a probe\"", answer.Source, answer.Advice.Ceiling))
	}
	return nil
}

// stepText tells of one step while the next begins.
func stepText(s probe.Step) string {
	text := fmt.Sprintf("%d in flight: %s, %s in order", s.Concurrency, screen.Plural(s.Requests, "request"), probe.Percent(s.Share()))
	if s.OK > 0 {
		text += fmt.Sprintf(", median %s, %s/s", probe.Seconds(s.P50), probe.Number(s.PerSecond))
	}
	return text
}

// showProbeSteps writes the table of the steps, and draws success and response time against the requests in flight.
func (a *app) showProbeSteps(steps []probe.Step) {
	if a.wantsJSON() || len(steps) == 0 {
		return
	}
	out := a.answers()
	right := func(title string) screen.Column { return screen.Column{Title: title, Right: true} }
	table := out.NewTable(right("IN FLIGHT"), right("REALLY"), right("REQUESTS"), right("OK"), right("P50"), right("P95"), right("PER S"),
		screen.Column{Title: "WENT WRONG"})
	for _, s := range steps {
		p50, p95 := "", ""
		if s.OK > 0 {
			p50, p95 = probe.Seconds(s.P50), probe.Seconds(s.P95)
		}
		table.Row(screen.Text(screen.Count(s.Concurrency)), screen.Text(fmt.Sprintf("%.1f", s.InFlight)), screen.Text(screen.Count(s.Requests)),
			screen.Cell{Text: probe.Percent(s.Share()), Style: styleOfShare(s)}, screen.Text(p50), screen.Text(p95),
			screen.Text(probe.Number(s.PerSecond)), screen.Text(reasonsText(s)))
	}
	table.End()
	out.Blank()
	drawSteps(out, steps)
	out.Blank()
}

func styleOfShare(s probe.Step) screen.Style {
	switch {
	case s.Throttled > 0, 2*s.OK < s.Requests:
		return screen.Bad
	case s.OK < s.Requests:
		return screen.Notice
	}
	return screen.Good
}

func reasonsText(s probe.Step) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(s.Reasons)) {
		if reason != collection.ReasonGone {
			parts = append(parts, fmt.Sprintf("%s %s", screen.Count(s.Reasons[reason]), reason))
		}
	}
	return strings.Join(parts, ", ")
}

// plotWidth is how many characters a bar of the drawing has.
const plotWidth = 24

// drawSteps draws bars in ASCII, which every terminal has.
func drawSteps(out *screen.Screen, steps []probe.Step) {
	slowest := 0.0
	for _, s := range steps {
		slowest = max(slowest, s.P95)
	}
	table := out.NewTable(screen.Column{Title: "IN FLIGHT", Right: true}, screen.Column{Title: "OK, 0 to 100 %"},
		screen.Column{Title: "RESPONSE TIME (= P50, - P95), 0 to " + probe.Seconds(slowest)})
	for _, s := range steps {
		table.Row(screen.Text(screen.Count(s.Concurrency)), screen.Cell{Text: plotBar(s.Share(), s.Share(), 1), Style: styleOfShare(s)},
			screen.Text(plotBar(s.P50, s.P95, slowest)))
	}
	table.End()
}

// plotBar is a bar for two values, the first within the second, on a scale from zero.
func plotBar(inner, outer, scale float64) string {
	if scale <= 0 {
		return "|" + strings.Repeat(" ", plotWidth) + "|"
	}
	first := min(int(inner/scale*plotWidth+0.5), plotWidth)
	second := max(min(int(outer/scale*plotWidth+0.5), plotWidth), first)
	return "|" + strings.Repeat("=", first) + strings.Repeat("-", second-first) + strings.Repeat(" ", plotWidth-second) + "|"
}

func (a *app) showAdvice(answer probeAnswer) {
	facts := a.answers().NewFacts()
	ceiling := screen.Cell{Text: "none can be recommended", Style: screen.Bad}
	if recommended := answer.Advice.Ceiling; recommended > 0 {
		more := ""
		if answer.Advice.AtLeast {
			more = " or more"
		}
		ceiling = screen.Cell{Text: fmt.Sprintf("%d%s; it is %d", recommended, more, answer.Ceiling), Style: screen.Good}
	}
	facts.AddCell("ceiling", ceiling)
	if pace := answer.Advice.Pace; pace > 0 {
		facts.Add("pace", fmt.Sprintf("%s/s besides: a source that throttles counts requests per time", probe.Number(pace)))
	}
	facts.Add("why", answer.Advice.Why)
	facts.End()
}

// probeChart is the name of the picture's files. Pages link to it.
const probeChart = "probe"

func (a *app) writeProbeCharts(folder string, answer probeAnswer) error {
	if folder == "" || len(answer.Steps) == 0 {
		return nil
	}
	for _, format := range []chart.Format{chart.SVG, chart.PNG} {
		var picture bytes.Buffer
		if err := probechart.Knee(&picture, answer.Source, answer.Steps, answer.Advice, format); err != nil {
			return err
		}
		file := filepath.Join(folder, probeChart+"-"+answer.Source+"."+string(format))
		if err := os.WriteFile(a.world.path(file), picture.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write a chart: %w", err)
		}
		a.remarks().Line("wrote %s", screen.Clean(file))
	}
	return nil
}
