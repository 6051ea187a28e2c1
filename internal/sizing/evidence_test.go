package sizing

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoLateJobIsNoCertainty: runs that differ in nothing do not know more than their batches can show.
func TestNoLateJobIsNoCertainty(t *testing.T) {
	t.Parallel()
	p := short().OneByOne()
	point := pooled(t, p, 100)[0]
	require.Equal(t, 1.0, point.Within.Value)
	jobs := float64(p.Seeds) * p.JobsPerMonth() * float64(p.Months)
	require.InEpsilon(t, 3/jobs, point.Within.HalfWidth, 0.02, "the rule of three")
	require.Zero(t, Recommend([]Point{point}, Promise{Share: 1 - 1/jobs}))
	require.Equal(t, 100, Recommend([]Point{point}, Promise{Share: 1 - 10/jobs}))

	batched := short()
	require.InDelta(t, 23, batched.Burst().BatchSeen, 1e-9)
	wide := pooled(t, batched, 400)[0]
	require.Equal(t, 1.0, wide.Within.Value)
	require.InEpsilon(t, 23*point.Within.HalfWidth, wide.Within.HalfWidth, 0.1, "jobs of a batch are late together")

	one := short()
	one.Seeds = 1
	require.Zero(t, pooled(t, one, 400)[0].Within.HalfWidth, "one run says nothing about how well it knows")
}

// TestTheSpreadOfTheExperimentStands: where there are late jobs enough the interval is that of the runs.
func TestTheSpreadOfTheExperimentStands(t *testing.T) {
	t.Parallel()
	p := Default()
	within := Interval{Value: 0.984, HalfWidth: 0.0012}
	require.Equal(t, within, p.humble(within, 4_320_000))
}

// TestSoFewCannotShowIt: a promise that not even runs without a late job would show is refused, and what would show it is said.
func TestSoFewCannotShowIt(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		`{"promise": {"share": 0.99999999, "minutes": 0}}`: "promise.share = 0.99999999: all runs together have about 1.878e+05 batches, as jobs see them, and so few cannot show such a share: use at least 1598 times as many seeds or months, or promise less",
		`{"promise": {"share": 0.9999, "minutes": 5}}`:     "",
		`{"jobs_per_hour": 0.05, "months": 1, "seeds": 2}`: "promise.share = 0.95: all runs together have about 3.13 batches, as jobs see them, and so few cannot show such a share: use at least 20 times as many seeds or months, or promise less",
	} {
		_, err := ReadParams(strings.NewReader(file))
		if want == "" {
			require.NoError(t, err, file)
			continue
		}
		require.EqualError(t, err, want)
	}
	require.Greater(t, Default().LateBatches(), 9000.0)
}

// TestLargeBatchesGetMoreRuns: a recording of few and large batches is not cut to runs that show nothing, as long as there is time.
func TestLargeBatchesGetMoreRuns(t *testing.T) {
	t.Parallel()
	p := Default()
	p.JobsPerHour, p.Batches = 2500, Batches{Shape: Fixed, Mean: 60_000}
	cut := p.Affordable()
	require.GreaterOrEqual(t, cut.LateBatches(), float64(FewLate))
	require.LessOrEqual(t, cut.JobsPerRun()*float64(cut.Seeds), patience*affordable)
	require.Greater(t, cut.JobsPerRun()*float64(cut.Seeds), affordable)

	p.Batches.Mean = 60
	require.LessOrEqual(t, p.Affordable().JobsPerRun()*float64(p.Affordable().Seeds), 1.2*affordable)
	require.Equal(t, Default(), Default().Affordable())
}
