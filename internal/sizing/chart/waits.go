package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weir-collect/weir/internal/chart"
	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/report"
)

// nearest is the shortest wait in minutes that the distribution is drawn from.
const nearest = 0.1

// Waits draws, for the fleets that the report compares, the share of jobs that start within so many minutes.
func Waits(w io.Writer, r report.Report, format chart.Format) error {
	if len(r.Curves) == 0 {
		return fmt.Errorf("draw the distribution of waits: the report has none")
	}
	p := chart.New("How long jobs wait", "minutes from handing in to start (log scale)", "share of jobs started, %")
	far := furthest(r)
	p.X.Min, p.X.Max = math.Log10(nearest), math.Log10(far)
	p.X.Tick.Marker = logTicks(nearest, far)
	p.Y.Min, p.Y.Max = 0, 100
	p.Y.Tick.Marker = shareTicks(r.Promise)

	batched := []color.Color{chart.Blue, chart.Violet, chart.Green}
	for _, c := range r.Curves {
		name := fmt.Sprintf("%d workers, batches", c.Workers)
		style, dash := color.Color(chart.Orange), []vg.Length(nil)
		switch {
		case c.Smooth:
			name = fmt.Sprintf("%d workers, one by one", c.Workers)
		default:
			style, batched = batched[0], append(batched[1:], batched[0])
		}
		curve(p, name, dots(c, far), style, dash, vg.Points(2.2))
	}
	minutes, share := math.Log10(r.Promise.Minutes), 100*r.Promise.Share
	if minutes > p.X.Min && minutes < p.X.Max {
		curve(p, "", plotter.XYs{{X: minutes, Y: 0}, {X: minutes, Y: 100}}, chart.Ink, dashes, vg.Points(1.2))
		label(p, plotter.XY{X: minutes, Y: 4}, fmt.Sprintf("promise: %.4g min", r.Promise.Minutes), chart.Ink, draw.XRight, -vg.Points(6), 0)
	}
	curve(p, "", plotter.XYs{{X: p.X.Min, Y: share}, {X: p.X.Max, Y: share}}, chart.Ink, dashes, vg.Points(1.2))
	p.Legend.Top = false
	p.Legend.XOffs, p.Legend.YOffs = -vg.Points(14), vg.Points(8)
	return write(w, p, format)
}

// furthest is the wait within which 99.9 % of the jobs of every curve start, rounded up to a number on the axis.
func furthest(r report.Report) float64 {
	far := 2 * r.Promise.Minutes
	for _, c := range r.Curves {
		for _, dot := range c.Dots {
			if dot.Share >= 0.999 {
				far = math.Max(far, dot.Minutes)
				break
			}
		}
	}
	far = math.Max(far, 1)
	decade := math.Pow(10, math.Floor(math.Log10(far)))
	for _, step := range []float64{1, 2, 5} {
		if far <= step*decade {
			return step * decade
		}
	}
	return 10 * decade
}

// dots are the part of a curve that is in the picture, at logarithms of waits, in percent.
func dots(c sizing.Curve, far float64) plotter.XYs {
	var out plotter.XYs
	for i, d := range c.Dots {
		if d.Minutes > far {
			break
		}
		if i+1 < len(c.Dots) && c.Dots[i+1].Minutes <= nearest {
			continue
		}
		out = append(out, plotter.XY{X: math.Log10(math.Max(d.Minutes, nearest)), Y: 100 * d.Share})
	}
	if n := len(c.Dots); n > 0 && c.Dots[n-1].Share >= 1 && c.Dots[n-1].Minutes < far {
		out = append(out, plotter.XY{X: math.Log10(far), Y: 100})
	}
	return out
}

// shareTicks are every 20 % and the promise; the promise displaces a neighbour that its label would cover.
func shareTicks(promise sizing.Promise) plot.Ticker {
	share := 100 * promise.Share
	ticks := plot.ConstantTicks{{Value: share, Label: fmt.Sprintf("%.4g", share)}}
	for at := 0.0; at <= 100; at += 20 {
		if math.Abs(at-share) >= 4 {
			ticks = append(ticks, plot.Tick{Value: at, Label: fmt.Sprintf("%.0f", at)})
		}
	}
	return ticks
}
