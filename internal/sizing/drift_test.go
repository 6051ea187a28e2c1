package sizing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
)

// trends are what a month of arrivals under some parameters says, in so many replications, against the experiment.
func trends(t *testing.T, change func(*sizing.Params), days float64, replications int) map[sizing.Trend]int {
	t.Helper()
	p, assumed := sizing.Default(), sizing.Default().Burst()
	change(&p)
	found := map[sizing.Trend]int{}
	for r := range replications {
		d, err := recording(p, days, r).Drift(assumed)
		require.NoError(t, err)
		found[d.Trend]++
	}
	return found
}

// TestDriftFindsTwiceTheBurst: batches of twice the mean and half as many, which no load shows, in four weeks every time, and
// in one week nearly so.
func TestDriftFindsTwiceTheBurst(t *testing.T) {
	t.Parallel()
	twice := func(p *sizing.Params) { p.Batches.Mean *= 2 }
	require.Equal(t, map[sizing.Trend]int{sizing.Grown: 200}, trends(t, twice, 28, 200))
	require.Greater(t, trends(t, twice, 8, 200)[sizing.Grown], 150)
}

func TestDriftFindsTwiceTheLoad(t *testing.T) {
	t.Parallel()
	require.Equal(t, 100, trends(t, func(p *sizing.Params) { p.JobsPerHour *= 2 }, 28, 100)[sizing.Grown])
	require.Equal(t, 100, trends(t, func(p *sizing.Params) { p.Service.MeanMinutes *= 2 }, 28, 100)[sizing.Grown])
	require.Equal(t, 100, trends(t, func(p *sizing.Params) { p.Batches.Shape = sizing.Mixed }, 60, 100)[sizing.Grown], "a heavier tail")
}

// TestDriftIsNotAlarmedByNoise: the same arrivals, and arrivals that are 5 % off, in a week or a month.
func TestDriftIsNotAlarmedByNoise(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sizing.Params){
		"the same":   func(*sizing.Params) {},
		"5 % more":   func(p *sizing.Params) { p.JobsPerHour *= 1.05 },
		"5 % less":   func(p *sizing.Params) { p.JobsPerHour *= 0.95 },
		"5 % larger": func(p *sizing.Params) { p.Batches.Mean *= 1.05 },
		"5 % longer": func(p *sizing.Params) { p.Service.MeanMinutes *= 1.05 },
	} {
		for _, days := range []float64{8, 28} {
			found := trends(t, change, days, 100)
			require.GreaterOrEqual(t, found[sizing.Steady], 99, "%s, %.0f days: %v", name, days, found)
		}
	}
}

func TestDriftDown(t *testing.T) {
	t.Parallel()
	found := trends(t, func(p *sizing.Params) { p.Batches.Mean /= 3 }, 28, 50)
	require.Equal(t, map[sizing.Trend]int{sizing.Shrunk: 50}, found)
	mixed := trends(t, func(p *sizing.Params) { p.Batches.Mean, p.JobsPerHour = p.Batches.Mean*3, p.JobsPerHour/3 }, 60, 50)
	require.Equal(t, map[sizing.Trend]int{sizing.Grown: 50}, mixed, "less load in larger batches breaks promises too")
}

// TestDriftKnowsDays: submissions of every morning are no chance, whatever their number.
func TestDriftKnowsDays(t *testing.T) {
	t.Parallel()
	h := &sizing.History{Until: monday.Add(28 * 24 * time.Hour)}
	for d := range 28 {
		for i := range 24 {
			h.Batches = append(h.Batches, sizing.Recorded{At: monday.Add(time.Duration(d)*24*time.Hour + time.Duration(i)*time.Minute), Jobs: 25})
		}
	}
	assumed := h.Burst(1)
	d, err := h.Drift(assumed)
	require.NoError(t, err)
	require.Equal(t, sizing.Steady, d.Trend, "compared with itself")
	for _, s := range d.Shifts {
		require.InDelta(t, 1, s.Ratio, 1e-9, s.Figure)
	}
	assumed.Dispersion = 1
	d, err = h.Drift(assumed)
	require.NoError(t, err)
	require.Equal(t, sizing.Grown, d.Trend)
	require.Equal(t, "dispersion of arrivals", d.Shifts[3].Figure)
	require.Equal(t, sizing.Grown, d.Shifts[3].Trend)
	require.Equal(t, sizing.Steady, d.Shifts[0].Trend)
}

// TestOneDayIsNoDrift: a figure that one day alone carries says nothing of the others.
func TestOneDayIsNoDrift(t *testing.T) {
	t.Parallel()
	h := &sizing.History{Until: monday.Add(28 * 24 * time.Hour)}
	for i := range 60 {
		h.Batches = append(h.Batches, sizing.Recorded{At: monday.Add(time.Duration(i) * time.Minute), Jobs: 100})
	}
	d, err := h.Drift(sizing.Default().Burst())
	require.NoError(t, err)
	require.Equal(t, sizing.Steady, d.Trend)
}

func TestDriftNeedsAHistory(t *testing.T) {
	t.Parallel()
	_, err := (&sizing.History{}).Drift(sizing.Default().Burst())
	require.ErrorContains(t, err, "it has 0 submissions and needs 50")
}

func TestExtent(t *testing.T) {
	t.Parallel()
	h := recording(sizing.Default(), 28, 1)
	has, need := h.Extent(), sizing.Needed()
	require.True(t, has.Covers(need))
	require.InDelta(t, 28, has.Days, 0.2)
	require.Equal(t, h.Jobs(), has.Jobs)
	require.Equal(t, "50 submissions, 500 records, 100 service times and 7 days", need.String())
	require.Equal(t, "1 submission, 1 record, 1 service time and 0.3 days", sizing.Extent{Submissions: 1, Jobs: 1, Services: 1, Days: 0.26}.String())
	for _, less := range []func(*sizing.Extent){
		func(e *sizing.Extent) { e.Submissions = 49 }, func(e *sizing.Extent) { e.Jobs = 499 },
		func(e *sizing.Extent) { e.Services = 99 }, func(e *sizing.Extent) { e.Days = 6.9 },
	} {
		short := has
		less(&short)
		require.False(t, short.Covers(need), short.String())
	}
}

// TestAffordable: a large installation is studied in fewer runs, and one like the experiment as it is.
func TestAffordable(t *testing.T) {
	t.Parallel()
	p := sizing.Default()
	require.Equal(t, p, p.Affordable())
	p.JobsPerHour, p.Workers = 300, sizing.Range{From: 1}
	less := p.Affordable()
	require.Less(t, less.Months*less.Seeds, p.Months*p.Seeds)
	require.GreaterOrEqual(t, less.Seeds, 3)
	require.NoError(t, less.Check())
	p.JobsPerHour, p.Service.MeanMinutes = 60_000, 0.01
	require.Error(t, p.Check(), "too much as it is")
	less = p.Affordable()
	require.NoError(t, less.Check())
	require.Equal(t, 1, less.Months)
	require.Equal(t, 3, less.Seeds)

	h := recording(sizing.Default(), 28, 1)
	got, err := h.AffordableParams(sizing.Default())
	require.NoError(t, err)
	want, err := h.Params(sizing.Default())
	require.NoError(t, err)
	require.Equal(t, want.Affordable(), got)
	_, err = (&sizing.History{}).AffordableParams(p)
	require.ErrorContains(t, err, "needs 50")
}

func TestAssumed(t *testing.T) {
	t.Parallel()
	want := sizing.Assumed{SavedAt: monday, From: "measured", Promise: sizing.Promise{Share: 0.95, Minutes: 5}, Workers: 31, Burst: sizing.Default().Burst()}
	var b strings.Builder
	n, err := want.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), n)
	got, err := sizing.ReadAssumed(strings.NewReader(b.String()))
	require.NoError(t, err)
	require.Equal(t, want, got)

	got, err = sizing.ReadAssumed(strings.NewReader(`{"jobs_per_hour": 60, "batches": {"shape": "fixed", "mean": 7}}`))
	require.NoError(t, err)
	require.InDelta(t, 10, got.Burst.Load, 1e-9)
	require.InDelta(t, 7, got.Burst.BatchSeen, 1e-9)
	require.Equal(t, "parameters", got.From)
}

func TestAssumedThatIsNone(t *testing.T) {
	t.Parallel()
	for file, says := range map[string]string{
		``:                            "line 1",
		`{"sizing": {"burst": 3}}`:    "let weir size --save write the file",
		`{"sizing": {}}`:              "offered load = 0: use more than 0",
		`{"jobs_per_day": 3}`:         "there is no such key",
		`{"sizing": {"workers": ""}}`: "cannot unmarshal",
	} {
		_, err := sizing.ReadAssumed(strings.NewReader(file))
		var problems sizing.Problems
		require.ErrorAs(t, err, &problems, file)
		require.ErrorContains(t, err, says, file)
	}
}
