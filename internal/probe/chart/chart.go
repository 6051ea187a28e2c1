// Package chart draws the picture of a probe: the share of requests in order, and below it the response times, both
// against the number of requests in flight. The same steps give the same bytes.
//
// It must not know how a probe is made, or where pictures are stored.
package chart

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weir-collect/weir/internal/chart"
	"github.com/weir-collect/weir/internal/probe"
)

const height = 7.2 * vg.Inch

// Knee draws the steps of a probe of a source, and marks the recommended ceiling where there is one.
func Knee(w io.Writer, source string, steps []probe.Step, a probe.Advice, format chart.Format) error {
	if len(steps) == 0 {
		return errors.New("draw a probe: it has no step")
	}
	plots := [][]*plot.Plot{{success(source, steps, a)}, {times(steps, a)}}
	tiles := draw.Tiles{
		Rows: len(plots), Cols: 1, PadY: vg.Points(16),
		PadTop: vg.Points(10), PadBottom: vg.Points(8), PadLeft: vg.Points(10), PadRight: vg.Points(18),
	}
	return chart.Write(w, format, chart.Width, height, func(c draw.Canvas) {
		for i, row := range plot.Align(plots, tiles, c) {
			plots[i][0].Draw(row[0])
		}
	})
}

// success is the upper panel.
func success(source string, steps []probe.Step, a probe.Advice) *plot.Plot {
	p := panel(steps, "Probe of "+source, "", "requests in order, %")
	p.Y.Min, p.Y.Max = 0, 105
	p.Legend.Top, p.Legend.YOffs = false, vg.Points(10) // the curve is at the top, where all is well
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 50, Label: "50"}, {Value: 100, Label: "100"}}
	markCeiling(p, a)
	curve(p, "requests in order", dots(steps, func(s probe.Step) float64 { return 100 * s.Share() }), chart.Green, nil)
	return p
}

// times is the lower panel.
func times(steps []probe.Step, a probe.Advice) *plot.Plot {
	p := panel(steps, "", "requests in flight (log scale)", "response time, ms")
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Tick.Marker = wholeTicks{}
	for _, s := range steps {
		p.Y.Max = max(p.Y.Max, 1450*s.P95) // with room for the legend above
	}
	markCeiling(p, a)
	var answered []probe.Step // without an answer there is no response time
	for _, s := range steps {
		if s.OK > 0 {
			answered = append(answered, s)
		}
	}
	curve(p, "95th percentile", dots(answered, func(s probe.Step) float64 { return 1000 * s.P95 }), chart.Orange, []vg.Length{vg.Points(5), vg.Points(3)})
	curve(p, "median", dots(answered, func(s probe.Step) float64 { return 1000 * s.P50 }), chart.Blue, nil)
	return p
}

// panel is an empty plot whose horizontal axis has the steps, at the logarithms of their concurrency.
func panel(steps []probe.Step, title, x, y string) *plot.Plot {
	p := chart.New(title, x, y)
	// Two panels share the picture, so there is less room around each; their legends have few words, which may be larger.
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = vg.Points(8), vg.Points(5), vg.Points(5)
	p.Legend.TextStyle.Font.Size, p.Legend.ThumbnailWidth = vg.Points(12), vg.Points(24)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(10), -vg.Points(6)
	p.X.Tick.Marker = ticks(steps)
	p.X.Min, p.X.Max = place(steps[0].Concurrency)-0.15, place(steps[len(steps)-1].Concurrency)+0.15
	return p
}

// ticks names the steps, and leaves out those that have no room for a name.
func ticks(steps []probe.Step) plot.ConstantTicks {
	const leastGap = 0.045 // of the axis
	var named plot.ConstantTicks
	span := place(steps[len(steps)-1].Concurrency) - place(steps[0].Concurrency)
	for _, s := range steps {
		at := place(s.Concurrency)
		if n := len(named); n == 0 || at-named[n-1].Value >= leastGap*span {
			named = append(named, plot.Tick{Value: at, Label: strconv.Itoa(s.Concurrency)})
		}
	}
	return named
}

// wholeTicks are the library's, without decimals that say nothing.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(low, high float64) []plot.Tick {
	marks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range marks {
		if marks[i].Label != "" {
			marks[i].Label = probe.Number(marks[i].Value)
		}
	}
	return marks
}

func place(concurrency int) float64 { return math.Log2(float64(concurrency)) }

func dots(steps []probe.Step, of func(probe.Step) float64) plotter.XYs {
	xys := make(plotter.XYs, len(steps))
	for i, s := range steps {
		xys[i] = plotter.XY{X: place(s.Concurrency), Y: of(s)}
	}
	return xys
}

func curve(p *plot.Plot, name string, xys plotter.XYs, c color.Color, dash []vg.Length) {
	line := &plotter.Line{XYs: xys, LineStyle: draw.LineStyle{Color: c, Width: vg.Points(2.2), Dashes: dash}}
	marks := &plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}}
	p.Add(line, marks)
	p.Legend.Add(name, line, marks)
}

// markCeiling draws the recommended ceiling from top to bottom.
func markCeiling(p *plot.Plot, a probe.Advice) {
	if a.Ceiling == 0 {
		return
	}
	at := place(a.Ceiling)
	line := &plotter.Line{
		XYs:       plotter.XYs{{X: at, Y: p.Y.Min}, {X: at, Y: p.Y.Max}},
		LineStyle: draw.LineStyle{Color: chart.Ink, Width: vg.Points(1.2), Dashes: []vg.Length{vg.Points(2), vg.Points(3)}},
	}
	p.Add(line)
	p.Legend.Add(fmt.Sprintf("recommended ceiling: %d", a.Ceiling), line)
}
