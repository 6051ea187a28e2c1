// Package chart draws the two pictures of a sizing report: the wait against the size of the fleet, and the distribution of
// waits. The same report gives the same bytes.
//
// It must not know how a report comes about, or where pictures are stored.
package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weir-collect/weir/internal/chart"
)

const height = 5.4 * vg.Inch

var dashes = []vg.Length{vg.Points(6), vg.Points(4)}

// write renders a plot.
func write(w io.Writer, p *plot.Plot, format chart.Format) error {
	return chart.Write(w, format, chart.Width, height, func(c draw.Canvas) {
		p.Draw(draw.Crop(c, vg.Points(10), -vg.Points(16), vg.Points(8), -vg.Points(10)))
	})
}

// curve adds a line, and its entry in the legend unless the name is empty. A curve that lies outside the picture has no dots.
func curve(p *plot.Plot, name string, dots plotter.XYs, c color.Color, dash []vg.Length, width vg.Length) {
	line := &plotter.Line{XYs: dots, LineStyle: draw.LineStyle{Color: c, Width: width, Dashes: dash}}
	p.Add(line)
	if name != "" {
		p.Legend.Add(name, line)
	}
}

// bare hides from a plot how large a mark is: it would shrink its axes to make room for marks near an edge, and all marks
// here lie inside.
type bare struct{ plot.Plotter }

// dot marks a place of a curve.
func dot(p *plot.Plot, at plotter.XY, c color.Color) {
	p.Add(bare{&plotter.Scatter{
		XYs: plotter.XYs{at}, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(4.5), Shape: draw.CircleGlyph{}},
	}})
}

// label writes a text beside a place.
func label(p *plot.Plot, at plotter.XY, words string, c color.Color, align draw.XAlignment, dx, dy vg.Length) {
	style := text.Style{
		Color: c, Font: p.X.Tick.Label.Font, XAlign: align, YAlign: draw.YCenter, Handler: p.X.Tick.Label.Handler,
	}
	p.Add(bare{&plotter.Labels{
		XYs: plotter.XYs{at}, Labels: []string{words}, TextStyle: []text.Style{style}, Offset: vg.Point{X: dx, Y: dy},
	}})
}

// Logarithmic axes carry logarithms on a linear scale. The library's own logarithmic scale keeps room for an axis title as
// if it stood at the arithmetic middle of the axis, which is near its end, and shrinks the picture for it.

// logTicks are the round numbers between two, at their logarithms.
func logTicks(low, high float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for decade := math.Pow(10, math.Floor(math.Log10(low))); decade <= high; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if at := decade * step; at >= low*0.999 && at <= high*1.001 {
				ticks = append(ticks, plot.Tick{Value: math.Log10(at), Label: fmt.Sprintf("%.4g", at)})
			}
		}
	}
	return ticks
}
