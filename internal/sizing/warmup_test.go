package sizing

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slow is one long job an hour, in batches, for a month: an empty fleet takes weeks to fill.
func slow() Params {
	p := Default()
	p.JobsPerHour, p.Service.MeanMinutes, p.Batches.Mean = 1, 10_000, 20
	p.Months, p.Seeds, p.Elastic, p.Workers = 1, 40, nil, Range{From: 1}
	return p
}

func TestSpread(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		service Service
		want    float64
	}{
		"exponential": {Service{Shape: Exponential, MeanMinutes: 7}, 1},
		"fixed":       {Service{Shape: Fixed, MeanMinutes: 7}, 0},
		"log-normal":  {Service{Shape: LogNormal, MeanMinutes: 7, Variation: 3}, 9},
		"empirical":   {Service{Shape: Empirical, Values: []float64{1, 3}}, 0.25},
		"weighted":    {Service{Shape: Empirical, Values: []float64{1, 5}, Weights: []float64{3, 1}}, 0.75},
	} {
		require.InDelta(t, row.want, row.service.spread(), 1e-12, name)
	}
}

// TestTheWarmUpFillsTheFleet: with the warm-up of the default months begin too empty, which shows; with the one that a file gets
// that names none, the simulation says what the exact solution says.
func TestTheWarmUpFillsTheFleet(t *testing.T) {
	t.Parallel()
	p := slow()
	exact, ok := p.Exact()
	require.True(t, ok)
	empty := pooled(t, p, 230)[0]
	require.Greater(t, empty.Within.Value, exact.Within(230, 5)+0.05, "an empty fleet looks better than it is")
	require.Greater(t, p.Missing(empty), 20.0)

	read, err := ReadParams(strings.NewReader(
		`{"jobs_per_hour": 1, "service": {"mean_minutes": 10000}, "batches": {"mean": 20}, "months": 1, "seeds": 40, "elastic": null}`))
	require.NoError(t, err)
	require.Equal(t, 1334.0, read.WarmUpHours)
	for _, point := range pooled(t, read, 230, 300) {
		require.InDelta(t, exact.Within(point.Workers, 5), point.Within.Value, 1.5*point.Within.HalfWidth, "%d workers", point.Workers)
		require.Zero(t, read.Missing(point), "%d workers", point.Workers)
	}
}

// TestTheExperimentIsWarm: its warm-up is long enough, and so nothing of it changes.
func TestTheExperimentIsWarm(t *testing.T) {
	t.Parallel()
	require.Equal(t, 72.0, Default().warmedUp().WarmUpHours)
	for _, v := range append(Default().TailVariants(), Default().SizeVariants()...) {
		require.Equal(t, 72.0, v.Params.WarmUpHours, v.Name)
	}
}

// TestWarmUpLaws: it is never shortened, never longer than can be simulated, and one that somebody has chosen stays.
func TestWarmUpLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Default()
		p.Service.MeanMinutes = rapid.Float64Range(0.01, maxServiceMinutes).Draw(t, "mean")
		if rapid.Bool().Draw(t, "heavy") {
			p.Service.Shape, p.Service.Variation = LogNormal, rapid.Float64Range(0.1, 10).Draw(t, "variation")
		}
		p.Months = rapid.IntRange(1, 60).Draw(t, "months")
		warm := p.warmedUp()
		require.GreaterOrEqual(t, warm.WarmUpHours, p.WarmUpHours)
		require.LessOrEqual(t, warm.WarmUpHours, math.Max(p.WarmUpHours, maxSimulatedHours-float64(p.Months)*p.HoursPerMonth))
		require.Equal(t, warm, warm.warmedUp())

		given, err := ReadParams(strings.NewReader(fmt.Sprintf(`{"jobs_per_hour": 0.5, "warm_up_hours": 3, "service": {"mean_minutes": %g}}`, p.Service.MeanMinutes)))
		require.NoError(t, err)
		require.Equal(t, 3.0, given.WarmUpHours)
	})
}

// TestARecordingWarmsUp: whoever gave the warm-up did not know the recorded service times.
func TestARecordingWarmsUp(t *testing.T) {
	t.Parallel()
	h, base := recorded(30, 3), short()
	base.Workers = Range{From: 1}
	p, err := h.Params(base)
	require.NoError(t, err)
	require.Equal(t, 24.0, p.WarmUpHours, "ten minutes fill a fleet in a moment")
	for i := range h.Services {
		h.Services[i].Minutes = 3000
	}
	p, err = h.Params(base)
	require.NoError(t, err)
	require.Equal(t, 200.0, p.WarmUpHours)
	h.Services = nil
	p, err = h.Params(base)
	require.NoError(t, err)
	require.Equal(t, 24.0, p.WarmUpHours)
}

func TestMissing(t *testing.T) {
	t.Parallel()
	p := Default()
	point := func(busy, chance float64) Point {
		return Point{Workers: 10, Steady: true, Utilisation: Interval{Value: busy / 10, HalfWidth: chance / 10}}
	}
	require.InDelta(t, 0.5, p.Missing(point(4.5, 0.1)), 1e-9)
	require.Zero(t, p.Missing(point(4.5, 0.6)), "chance explains it")
	require.Zero(t, p.Missing(point(4.9, 0.01)), "two per cent")
	require.Zero(t, p.Missing(point(5.5, 0.1)), "busier than the load is chance")
	require.Zero(t, p.Missing(Point{Workers: 4}), "it never catches up")
	p.Seeds = 1
	require.Zero(t, p.Missing(point(4.5, 0)), "one run does not know")
	require.InDelta(t, 1, p.Missing(point(4, 0)), 1e-9)
}
