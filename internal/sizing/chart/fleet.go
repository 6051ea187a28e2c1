package chart

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weir-collect/weir/internal/chart"
	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/report"
)

// shortest is the shortest wait in minutes that is drawn against the fleet; below it nobody waits.
const shortest = 0.5

// WaitByFleet draws the promised share's wait against the number of workers, for jobs that arrive one by one and for the
// batches of the report, with the promise.
func WaitByFleet(w io.Writer, r report.Report, format chart.Format) error {
	share := fmt.Sprintf("%.4g %%", 100*r.Promise.Share)
	p := chart.New("How many workers the promise takes", "workers",
		fmt.Sprintf("minutes within which %s of jobs start (log scale)", share))
	batched, smooth := fleetCurves(r)
	if !slices.ContainsFunc(r.Fleets, func(p sizing.Point) bool { return p.Steady }) {
		return fmt.Errorf("draw the wait against the fleet: the report has no fleet that catches up")
	}
	last := float64(r.Fleets[len(r.Fleets)-1].Workers)
	p.X.Min, p.X.Max = math.Floor(r.Load), last
	if r.Load < last/3 { // else the fleets that catch up would be squeezed to the right
		p.X.Min = 0
	}
	p.X.Tick.Marker = wholeTicks{}
	longest := top(batched, smooth, r.Promise.Minutes)
	p.Y.Min, p.Y.Max = math.Log10(shortest), math.Log10(longest)
	p.Y.Tick.Marker = logTicks(shortest, longest)

	name := "as they arrive (simulation)"
	if r.Inputs.BatchMean > 1 {
		name = fmt.Sprintf("in batches of mean %.4g (simulation)", r.Inputs.BatchMean)
	}
	curve(p, name, logY(batched), chart.Blue, nil, vg.Points(2.2))
	curve(p, "one by one (Erlang's formula)", logY(smooth), chart.Orange, nil, vg.Points(2.2))
	promise := logY(plotter.XYs{{X: p.X.Min, Y: r.Promise.Minutes}, {X: p.X.Max, Y: r.Promise.Minutes}})
	if inside(p, promise[0]) {
		curve(p, fmt.Sprintf("the promise: %s within %.4g min", share, r.Promise.Minutes), promise, chart.Ink, dashes, vg.Points(1.2))
	}
	load := plotter.XYs{{X: r.Load, Y: p.Y.Min}, {X: r.Load, Y: p.Y.Max}}
	if inside(p, load[0]) && p.X.Min == 0 {
		curve(p, fmt.Sprintf("the load: %.4g busy on average", r.Load), load, chart.Ink, []vg.Length{vg.Points(1.5), vg.Points(3)}, vg.Points(1.2))
	}
	p.Legend.Top = true
	p.Legend.XOffs, p.Legend.YOffs = -vg.Points(14), -vg.Points(8)
	markFleets(p, r)
	return write(w, p, format)
}

// markFleets names the two answers, and what the formula's fleet does under batches.
func markFleets(p *plot.Plot, r report.Report) {
	if f := r.Formula; f.Workers > 0 {
		at := place(f.Workers, f.Wait)
		if inside(p, at) {
			dot(p, at, chart.Orange)
			label(p, at, fmt.Sprintf("%d workers: %.3g min", f.Workers, f.Wait), chart.Orange, draw.XLeft, vg.Points(10), -vg.Points(8))
		}
		if b := f.Batched; b != nil {
			at := place(f.Workers, b.Wait.Value)
			if inside(p, at) {
				dot(p, at, chart.Blue)
				label(p, at, fmt.Sprintf("%d workers: %.3g min", f.Workers, b.Wait.Value), chart.Blue, draw.XLeft, vg.Points(9), vg.Points(4))
			}
		}
	}
	at := place(r.Simulated.Workers, r.Simulated.Wait.Value)
	if inside(p, at) {
		dot(p, at, chart.Blue)
		label(p, at, fmt.Sprintf("%d workers: %.2g min", r.Simulated.Workers, r.Simulated.Wait.Value), chart.Blue, draw.XCenter, vg.Points(14), vg.Points(20))
	}
}

func place(workers int, wait float64) plotter.XY {
	return plotter.XY{X: float64(workers), Y: math.Log10(wait)}
}

// logY is the same dots with the logarithms of their waits.
func logY(dots plotter.XYs) plotter.XYs {
	out := make(plotter.XYs, len(dots))
	for i, d := range dots {
		out[i] = plotter.XY{X: d.X, Y: math.Log10(d.Y)}
	}
	return out
}

func inside(p *plot.Plot, at plotter.XY) bool {
	return at.X >= p.X.Min && at.X <= p.X.Max && at.Y >= p.Y.Min && at.Y <= p.Y.Max
}

// fleetCurves are the two curves, each down to the first fleet under the shortest wait that is drawn.
func fleetCurves(r report.Report) (batched, smooth plotter.XYs) {
	for _, point := range r.Fleets {
		if point.Steady {
			batched = extend(batched, point, point.Wait.Value)
			smooth = extend(smooth, point, point.SmoothWait)
		}
	}
	return batched, smooth
}

// extend adds a dot unless the curve has left the picture. The dot with which it leaves lies on the edge, on the straight
// line between the two (on the logarithmic scale, with a wait of nothing taken for a tenth of the shortest).
func extend(dots plotter.XYs, point sizing.Point, wait float64) plotter.XYs {
	x := float64(point.Workers)
	if wait >= shortest {
		return append(dots, plotter.XY{X: x, Y: wait})
	}
	if len(dots) == 0 || dots[len(dots)-1].Y <= shortest {
		return dots
	}
	from := dots[len(dots)-1]
	fall := math.Log(from.Y) - math.Log(math.Max(wait, shortest/10))
	part := (math.Log(from.Y) - math.Log(shortest)) / fall
	return append(dots, plotter.XY{X: from.X + part*(x-from.X), Y: shortest})
}

// top is the upper end of the axis of waits: a little over the longest wait drawn.
func top(batched, smooth plotter.XYs, promise float64) float64 {
	longest := math.Max(promise, shortest)
	for _, dots := range []plotter.XYs{batched, smooth} {
		for _, dot := range dots {
			longest = math.Max(longest, dot.Y)
		}
	}
	return longest * 1.4
}

// wholeTicks are round whole numbers.
type wholeTicks struct{}

// Ticks gives about ten of them.
func (wholeTicks) Ticks(low, high float64) []plot.Tick {
	step := 1.0
	for _, next := range []float64{2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if (high-low)/step > 12 {
			step = next
		}
	}
	var ticks []plot.Tick
	for at := math.Ceil(low/step) * step; at <= high; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: fmt.Sprintf("%.0f", at)})
	}
	return ticks
}
