package sizing_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/sizing"
)

// TestBatchedAnswersTheExperiment pins the exact solution near the published numbers (K04, K05): the published ones are
// from one simulated stretch of ten months, these from the mathematics.
func TestBatchedAnswersTheExperiment(t *testing.T) {
	t.Parallel()
	b, ok := sizing.Default().Exact()
	require.True(t, ok)
	for _, row := range []struct {
		workers int
		within  float64
	}{
		{8, 0.2910}, {20, 0.8248}, {30, 0.9465}, {31, 0.9525}, {32, 0.9579},
	} {
		require.InDelta(t, row.within, b.Within(row.workers, 5), 0.00005, "%d workers", row.workers)
	}
	require.InDelta(t, 0.5, b.Within(8, 18.97), 0.0005, "half the jobs")
	require.InDelta(t, 0.95, b.Within(8, 111.08), 0.0005, "the promised share")
}

func TestBatchedOfOneIsErlang(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		load := rapid.Float64Range(0.05, 60).Draw(t, "load")
		workers := int(load) + rapid.IntRange(1, 20).Draw(t, "spare")
		if float64(workers)-load < 0.05 {
			workers++ // so close to the load the line is longer than is worth a test's time
		}
		minutes := rapid.Float64Range(0, 30).Draw(t, "minutes")
		exact := sizing.Batched{Load: load, MeanMinutes: 7, MeanBatch: 1}
		require.InDelta(t, sizing.Smooth{Load: load, MeanMinutes: 7}.Within(workers, minutes), exact.Within(workers, minutes), 1e-8)
	})
}

// TestBatchedOfOneWorker has the case that algebra solves: with one worker a batch is served as one long job, and the
// jobs that find nobody before them are the first ones of the batches that find the fleet empty.
func TestBatchedOfOneWorker(t *testing.T) {
	t.Parallel()
	for _, mean := range []float64{1, 2, 12, 50} {
		for _, load := range []float64{0.1, 0.5, 0.9} {
			b := sizing.Batched{Load: load, MeanMinutes: 10, MeanBatch: mean}
			require.InDelta(t, (1-load)/mean, b.Within(1, 0), 1e-9, "batches of %v, load %v", mean, load)
		}
	}
}

func TestBatchedLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := sizing.Batched{
			Load: rapid.Float64Range(0.1, 20).Draw(t, "load"), MeanMinutes: 10,
			MeanBatch: rapid.Float64Range(1, 40).Draw(t, "batch"),
		}
		workers := int(b.Load) + rapid.IntRange(2, 40).Draw(t, "spare")
		minutes := rapid.Float64Range(0, 60).Draw(t, "minutes")
		share := b.Within(workers, minutes)
		require.GreaterOrEqual(t, share, 0.0)
		require.LessOrEqual(t, share, 1+1e-9)
		require.GreaterOrEqual(t, b.Within(workers+1, minutes), share-1e-9, "a worker more")
		require.GreaterOrEqual(t, b.Within(workers, minutes+1), share-1e-9, "a minute more")
		larger := b
		larger.MeanBatch *= 1.5
		require.LessOrEqual(t, larger.Within(workers, 0), b.Within(workers, 0)+1e-9, "larger batches start fewer at once")
		require.InDelta(t, 1, b.Within(workers, 1e5), 1e-6, "everybody starts in the end")
	})
}

func TestBatchedNeverCatchesUp(t *testing.T) {
	t.Parallel()
	require.Zero(t, sizing.Batched{Load: 5, MeanMinutes: 10, MeanBatch: 12}.Within(5, 1e9))
}

func TestExactHasItsShapes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sizing.Params){
		"cut":     func(p *sizing.Params) { p.Batches.Max = 20 },
		"paced":   func(p *sizing.Params) { p.Batches.PaceMinutes = 1 },
		"fixed":   func(p *sizing.Params) { p.Batches.Shape = sizing.Fixed },
		"service": func(p *sizing.Params) { p.Service.Shape = sizing.Fixed },
	} {
		p := sizing.Default()
		change(&p)
		_, ok := p.Exact()
		require.False(t, ok, name)
	}
}
