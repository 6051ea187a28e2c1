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
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Format is the kind of picture.
type Format string

// The formats.
const (
	PNG Format = "png"
	SVG Format = "svg"
)

const (
	width  = 9 * vg.Inch
	height = 5.4 * vg.Inch
	dpi    = 144
	sans   = "Sans"
)

// The colours keep apart in print and for eyes that take red for green.
var (
	blue   = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	orange = color.RGBA{R: 0xd9, G: 0x6b, B: 0x0b, A: 0xff}
	violet = color.RGBA{R: 0x7a, G: 0x4f, B: 0xa3, A: 0xff}
	green  = color.RGBA{R: 0x1b, G: 0x8a, B: 0x6b, A: 0xff}
	ink    = color.RGBA{R: 0x33, G: 0x33, B: 0x33, A: 0xff}
	faint  = color.RGBA{R: 0xe3, G: 0xe3, B: 0xe3, A: 0xff}
)

var dashes = []vg.Length{vg.Points(6), vg.Points(4)}

// write renders a plot.
func write(w io.Writer, p *plot.Plot, format Format) error {
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	case SVG:
		canvas = vgsvg.New(width, height)
	default:
		return fmt.Errorf("draw a chart as %q: use %s or %s", format, PNG, SVG)
	}
	p.Draw(draw.Crop(draw.New(canvas), vg.Points(10), -vg.Points(16), vg.Points(8), -vg.Points(10)))
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("write a chart: %w", err)
	}
	return nil
}

// blank is a plot with titles, a faint grid and room for its labels.
func blank(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size = vg.Points(15)
	p.Title.TextStyle.Font.Variant, p.Legend.TextStyle.Font.Variant = sans, sans
	p.Title.Padding = vg.Points(10)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size = vg.Points(12)
		axis.Label.Padding = vg.Points(6)
		axis.Tick.Label.Font.Size = vg.Points(11)
		axis.Label.TextStyle.Font.Variant, axis.Tick.Label.Font.Variant = sans, sans
		axis.Color, axis.Tick.Color = ink, ink
	}
	p.Legend.TextStyle.Font.Size = vg.Points(11)
	p.Legend.ThumbnailWidth = vg.Points(26)
	p.Legend.Padding = vg.Points(4)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	return p
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
