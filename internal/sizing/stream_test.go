package sizing

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStreamIsTheSameHoweverItIsRead: in any chunks, and twice.
func TestStreamIsTheSameHoweverItIsRead(t *testing.T) {
	t.Parallel()
	for name, batches := range batchShapes() {
		p := short()
		p.Batches = batches
		want := drain(NewStream(p, 1), 1<<16)
		require.NotEmpty(t, want, name)
		for _, size := range []int{1, 7, 1000} {
			require.Equal(t, want, drain(NewStream(p, 1), size), "%s in chunks of %d", name, size)
		}
		require.NotEqual(t, want, drain(NewStream(p, 2), 1<<16), "%s: another replication has other jobs", name)
		p.Seed++
		require.NotEqual(t, want, drain(NewStream(p, 1), 1<<16), "%s: another seed has other jobs", name)
	}
}

func TestStreamIsOrderedAndEnds(t *testing.T) {
	t.Parallel()
	for _, pace := range []float64{0, 0.5, 30} {
		p := short()
		p.Batches.PaceMinutes = pace
		jobs := drain(NewStream(p, 0), 512)
		require.True(t, slices.IsSortedFunc(jobs, func(a, b Job) int { return int(a.Arrival - b.Arrival) }), "pace %v", pace)
		require.Less(t, jobs[len(jobs)-1].Arrival, p.end())
		hours := minutes(p.end()) / 60
		require.InEpsilon(t, p.JobsPerHour*hours, float64(len(jobs)), 0.15, "pace %v", pace)
	}
}

// TestStreamRate: over many replications the load is what the parameters say, whatever the batches.
func TestStreamRate(t *testing.T) {
	t.Parallel()
	for name, batches := range batchShapes() {
		p := short()
		p.Batches = batches
		var counts []float64
		for replication := range 24 {
			counts = append(counts, float64(len(drain(NewStream(p, replication), 4096))))
		}
		got := around(meanOf(counts), counts)
		require.InDelta(t, p.JobsPerRun(), got.Value, 2.5*got.HalfWidth, name)
	}
}

// TestBatchesOfOneArePoisson: every way of saying "one job at a time" gives the same stream, and its gaps are exponential.
func TestBatchesOfOneArePoisson(t *testing.T) {
	t.Parallel()
	p := short().OneByOne()
	p.HoursPerMonth = 700
	want := drain(NewStream(p, 0), 4096)
	for name, batches := range map[string]Batches{
		"geometric": {Shape: Geometric, Mean: 1}, "fixed": {Shape: Fixed, Mean: 1}, "empirical": {Shape: Empirical, Sizes: []int{1}},
		"cut": {Shape: Fixed, Mean: 9, Max: 1},
	} {
		p.Batches = batches
		require.Equal(t, want, drain(NewStream(p, 0), 4096), name)
	}
	gaps := make([]float64, len(want)-1)
	for i := range gaps {
		gaps[i] = minutes(want[i+1].Arrival-want[i].Arrival) / 2 // two minutes apart on average
	}
	// Kolmogorov and Smirnov: the largest distance between the measured and the exponential distribution.
	slices.Sort(gaps)
	n, far := float64(len(gaps)), 0.0
	for i, gap := range gaps {
		expected := 1 - math.Exp(-gap)
		far = max(far, math.Abs(expected-float64(i)/n), math.Abs(expected-float64(i+1)/n))
	}
	require.Less(t, far, 2.2/math.Sqrt(n), "a Poisson stream is further away once in ten thousand times")
}

func TestStreamArrivesInBatches(t *testing.T) {
	t.Parallel()
	p := short()
	s := NewStream(p, 0)
	jobs := drain(s, 100)
	sizes, at := map[int32]int{}, map[int32]int64{}
	for _, job := range jobs {
		sizes[job.Batch]++
		if first, ok := at[job.Batch]; ok {
			require.Equal(t, first, job.Arrival, "a batch arrives in one instant")
		}
		at[job.Batch] = job.Arrival
	}
	counts := map[int]int{}
	for _, size := range sizes {
		counts[size]++
	}
	require.Equal(t, counts, s.BatchSizes())
}

// TestPacedBatches: the same batches begin at the same moments, and then hand in a job every so often.
func TestPacedBatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := short()
		p.Months, p.HoursPerMonth = 1, 24
		p.Seed = rapid.Uint64().Draw(t, "seed")
		first := map[int32]int64{}
		for _, job := range drain(NewStream(p, 0), 64) {
			first[job.Batch] = job.Arrival
		}
		p.Batches.PaceMinutes = rapid.Float64Range(0.001, 90).Draw(t, "pace")
		seen := map[int32]int64{}
		for _, job := range drain(NewStream(p, 0), 64) {
			want := first[job.Batch] + seen[job.Batch]*micros(p.Batches.PaceMinutes)
			require.Equal(t, want, job.Arrival, "batch %d, job %d", job.Batch, seen[job.Batch])
			seen[job.Batch]++
		}
	})
}
