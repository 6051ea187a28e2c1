package chart

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Format is the kind of picture, which is also how the names of its files end.
type Format string

// The formats.
const (
	PNG Format = "png"
	SVG Format = "svg"
)

// Width is how wide a chart is. Pages show charts one above the other, so all are as wide.
const Width = 9 * vg.Inch

// dpi is how fine a PNG is: 1296 dots in the width of a chart, sharp on screens that double every dot.
const dpi = 144

// Write has paint draw on an empty canvas of a size, and writes the picture. Nothing is painted for a format that is not
// known, and nothing is written before all is painted.
func Write(w io.Writer, format Format, width, height vg.Length, paint func(draw.Canvas)) error {
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
	paint(draw.New(canvas))
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("write a chart: %w", err)
	}
	return nil
}
