package sizing_test

import (
	"math"
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
		d, err := recording(p, days, r).Drift(sizing.Assumed{Burst: assumed})
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

// weekAgainst sizes for so many measured days, and compares as many others with them, replication by replication.
func weekAgainst(t *testing.T, sizedFor, days float64, replications int, change func(*sizing.Params)) map[sizing.Trend]int {
	t.Helper()
	now := sizing.Default()
	change(&now)
	found := map[sizing.Trend]int{}
	for r := range replications {
		was := recording(sizing.Default(), sizedFor, 10_000+r)
		assumed := sizing.Assumed{From: sizing.FromMeasured, Burst: was.Burst(was.MeanService(0)), Doubts: was.Doubts()}
		d, err := recording(now, days, r).Drift(assumed)
		require.NoError(t, err)
		found[d.Trend]++
	}
	return found
}

// TestDriftKnowsThatWhatItWasSizedForWasMeasured: the figures of a week are off themselves, and that is no drift. What has
// really doubled is found all the same.
func TestDriftKnowsThatWhatItWasSizedForWasMeasured(t *testing.T) {
	t.Parallel()
	same, twice := func(*sizing.Params) {}, func(p *sizing.Params) { p.Batches.Mean *= 2 }
	for _, sizedFor := range []float64{7, 28} {
		for _, days := range []float64{8, 28} {
			found := weekAgainst(t, sizedFor, days, 80, same)
			require.LessOrEqual(t, found[sizing.Grown]+found[sizing.Shrunk], 1, "%.0f and %.0f days: %v", sizedFor, days, found)
		}
		require.Greater(t, weekAgainst(t, sizedFor, 28, 30, twice)[sizing.Grown], 28, "sized for %.0f days", sizedFor)
	}
}

// TestDriftOfAnOlderFile: files that say nothing of their errors and were measured are taken to be as uncertain as what is
// compared with them; parameters are exact.
func TestDriftOfAnOlderFile(t *testing.T) {
	t.Parallel()
	h := recording(sizing.Default(), 28, 3)
	load := func(a sizing.Assumed) float64 {
		a.Burst = sizing.Default().Burst()
		d, err := h.Drift(a)
		require.NoError(t, err)
		return d.Shifts[0].RelativeError
	}
	own := h.Doubts()["load_erlangs"].Error
	require.Equal(t, own, load(sizing.Assumed{}))
	require.Equal(t, own, load(sizing.Assumed{From: sizing.FromParameters}))
	require.InEpsilon(t, own*math.Sqrt2, load(sizing.Assumed{From: sizing.FromMeasured}), 1e-9)
	known := map[string]sizing.Doubt{"load_erlangs": {Error: own * 2, Freedom: 27}}
	require.InEpsilon(t, own*math.Sqrt(5), load(sizing.Assumed{From: sizing.FromArrivals, Doubts: known}), 1e-9)
}

// TestDriftKnowsThatServiceTimesAreFew: a hundred and twenty of them, whose deviation is twice their mean, say little of the mean.
func TestDriftKnowsThatServiceTimesAreFew(t *testing.T) {
	t.Parallel()
	p := sizing.Default()
	p.Service = sizing.Service{Shape: sizing.LogNormal, MeanMinutes: 10, Variation: 2}
	moved := func(change float64) (grown, shrunk int) {
		for r := range 300 {
			h := recording(p, 28, r)
			few := make([]sizing.ServiceTime, 120)
			for i := range few {
				few[i] = h.Services[i*len(h.Services)/len(few)]
				few[i].Minutes *= change
			}
			h.Services = few
			d, err := h.Drift(sizing.Assumed{Burst: p.Burst()})
			require.NoError(t, err)
			switch d.Trend {
			case sizing.Grown:
				grown++
			case sizing.Shrunk:
				shrunk++
			}
		}
		return grown, shrunk
	}
	grown, shrunk := moved(1)
	require.LessOrEqual(t, grown+shrunk, 4, "%d grown and %d shrunk", grown, shrunk)
	grown, _ = moved(4)
	require.Greater(t, grown, 270, "four times as long is found")
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
			require.LessOrEqual(t, found[sizing.Grown]+found[sizing.Shrunk], 1, "%s, %.0f days: %v", name, days, found)
			require.GreaterOrEqual(t, found[sizing.Steady], 85, "%s, %.0f days: %v", name, days, found)
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
	d, err := h.Drift(sizing.Assumed{Burst: assumed})
	require.NoError(t, err)
	require.Equal(t, sizing.Steady, d.Trend, "compared with itself")
	for _, s := range d.Shifts {
		require.InDelta(t, 1, s.Ratio, 1e-9, s.Figure)
	}
	assumed.Dispersion = 1
	d, err = h.Drift(sizing.Assumed{Burst: assumed})
	require.NoError(t, err)
	require.Equal(t, sizing.Grown, d.Trend)
	require.Equal(t, "dispersion of arrivals", d.Shifts[3].Figure)
	require.Equal(t, sizing.Grown, d.Shifts[3].Trend)
	require.Equal(t, sizing.Steady, d.Shifts[0].Trend)
}

// TestOneDayIsUnclear: a figure that one day alone carries says nothing of the others. It is not that all is well.
func TestOneDayIsUnclear(t *testing.T) {
	t.Parallel()
	h := &sizing.History{Until: monday.Add(28 * 24 * time.Hour)}
	for i := range 60 {
		h.Batches = append(h.Batches, sizing.Recorded{At: monday.Add(time.Duration(i) * time.Minute), Jobs: 100})
	}
	d, err := h.Drift(sizing.Assumed{Burst: sizing.Default().Burst()})
	require.NoError(t, err)
	require.Equal(t, sizing.Unclear, d.Trend)
	require.InDelta(t, 100.0/12, d.Shifts[1].Ratio, 1e-9)
	require.Equal(t, sizing.Unclear, d.Shifts[1].Trend)
	require.GreaterOrEqual(t, d.Shifts[1].RelativeError, 1e6)
}

// TestUnclearIsNoAllClear: less load for sure does not allow a smaller fleet while larger batches are not ruled out.
func TestUnclearIsNoAllClear(t *testing.T) {
	t.Parallel()
	h := &sizing.History{Until: monday.Add(28 * 24 * time.Hour)}
	for i := range 28 * 12 {
		h.Batches = append(h.Batches, sizing.Recorded{At: monday.Add(time.Duration(i) * 2 * time.Hour), Jobs: 2})
	}
	assumed := sizing.Assumed{Burst: h.Burst(10)}
	assumed.Burst.Load *= 3
	d, err := h.Drift(assumed)
	require.NoError(t, err)
	require.Equal(t, sizing.Shrunk, d.Trend)
	h.Batches[100].Jobs = 60
	d, err = h.Drift(assumed)
	require.NoError(t, err)
	require.Equal(t, sizing.Shrunk, d.Shifts[0].Trend)
	require.Equal(t, sizing.Unclear, d.Shifts[2].Trend, "one batch of sixty")
	require.Equal(t, sizing.Unclear, d.Trend)
}

// TestNoServiceTimeIsUnclear: where all measured times are nothing, nothing is known of the load.
func TestNoServiceTimeIsUnclear(t *testing.T) {
	t.Parallel()
	h := recording(sizing.Default(), 28, 1)
	for i := range h.Services {
		h.Services[i].Minutes = 0
	}
	d, err := h.Drift(sizing.Assumed{Burst: sizing.Default().Burst()})
	require.NoError(t, err)
	require.Equal(t, sizing.Unclear, d.Trend)
	require.Zero(t, d.Shifts[0].Ratio)
}

// TestArrivalsByTheClock: one submission in every hour has no dispersion at all. It is saved, read, and compared.
func TestArrivalsByTheClock(t *testing.T) {
	t.Parallel()
	hourly := func(every int) *sizing.History {
		h := &sizing.History{Until: monday.Add(14 * 24 * time.Hour)}
		for i := range 14 * 24 {
			at := monday.Add(time.Duration(i-i%every) * time.Hour)
			h.Batches = append(h.Batches, sizing.Recorded{At: at, Jobs: 5})
		}
		return h
	}
	h := hourly(1)
	assumed := sizing.Assumed{From: sizing.FromArrivals, Burst: h.Burst(2), Doubts: h.Doubts()}
	require.Zero(t, assumed.Burst.Dispersion)
	var file strings.Builder
	_, err := assumed.WriteTo(&file)
	require.NoError(t, err)
	read, err := sizing.ReadAssumed(strings.NewReader(file.String()))
	require.NoError(t, err)
	require.Equal(t, assumed, read)

	d, err := h.Drift(read)
	require.NoError(t, err)
	require.Equal(t, sizing.Steady, d.Trend)
	require.InDelta(t, 1, d.Shifts[3].Ratio, 0)
	d, err = hourly(6).Drift(read)
	require.NoError(t, err)
	require.Equal(t, sizing.Grown, d.Trend, "six at once every six hours")
	require.InDelta(t, 50, d.Shifts[3].Ratio, 1)
	require.Equal(t, sizing.Grown, d.Shifts[3].Trend)
}

func TestDriftNeedsAHistory(t *testing.T) {
	t.Parallel()
	_, err := (&sizing.History{}).Drift(sizing.Assumed{Burst: sizing.Default().Burst()})
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
	want := sizing.Assumed{SavedAt: monday, From: "measured", Promise: sizing.Promise{Share: 0.95, Minutes: 5}, Workers: 31, Burst: sizing.Default().Burst(),
		Doubts: recording(sizing.Default(), 28, 1).Doubts()}
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
		`{"sizing": {}}`:              "sizing.burst.load_erlangs = 0: use more than 0",
		`{"jobs_per_day": 3}`:         "there is no such key",
		`{"sizing": {"workers": ""}}`: "cannot unmarshal",
		`{"sizing": {"burst": {"dispersion": -1}}}`:                      "sizing.burst.dispersion = -1: use 0 or more",
		`{"sizing": {"doubts": {"batch_mean": {"relative_error": -1}}}}`: "sizing.doubts.batch_mean.relative_error = -1: use 0 or more",
	} {
		_, err := sizing.ReadAssumed(strings.NewReader(file))
		var problems sizing.Problems
		require.ErrorAs(t, err, &problems, file)
		require.ErrorContains(t, err, says, file)
	}
}
