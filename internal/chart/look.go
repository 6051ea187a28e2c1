package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// The colours of curves. They keep apart for eyes that take red for green.
var (
	Blue   = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	Orange = color.RGBA{R: 0xd9, G: 0x6b, B: 0x0b, A: 0xff}
	Violet = color.RGBA{R: 0x7a, G: 0x4f, B: 0xa3, A: 0xff}
	Green  = color.RGBA{R: 0x1b, G: 0x8a, B: 0x6b, A: 0xff}
)

// Ink is the colour of axes and of lines that are no curve, such as a limit; grid is that of the lines behind all.
var (
	Ink  = color.RGBA{R: 0x33, G: 0x33, B: 0x33, A: 0xff}
	grid = color.RGBA{R: 0xe3, G: 0xe3, B: 0xe3, A: 0xff}
)

const sans = "Sans"

// New is an empty plot with the titles of itself and its axes, each of which may be empty, a faint grid and room for its labels.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size = vg.Points(15)
	p.Title.TextStyle.Font.Variant, p.Legend.TextStyle.Font.Variant = sans, sans
	p.Title.Padding = vg.Points(10)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size, axis.Tick.Label.Font.Size = vg.Points(12), vg.Points(11)
		axis.Label.TextStyle.Font.Variant, axis.Tick.Label.Font.Variant = sans, sans
		axis.Label.Padding = vg.Points(6)
		axis.Color, axis.Tick.Color = Ink, Ink
	}
	p.Legend.TextStyle.Font.Size = vg.Points(11)
	p.Legend.ThumbnailWidth, p.Legend.Padding = vg.Points(26), vg.Points(4)
	behind := plotter.NewGrid()
	behind.Vertical.Color, behind.Horizontal.Color = grid, grid
	p.Add(behind)
	return p
}
