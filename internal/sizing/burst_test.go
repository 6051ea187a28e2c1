package sizing_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/sizing"
)

var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// recording draws what arrives under parameters for so many days, as a recording of it.
func recording(p sizing.Params, days float64, replication int) *sizing.History {
	p.WarmUpHours, p.Months, p.HoursPerMonth = 0, 1, days*24
	stream := sizing.NewStream(p, replication)
	h := &sizing.History{Until: monday.Add(time.Duration(days * 24 * float64(time.Hour)))}
	jobs, last := make([]sizing.Job, 512), int32(-1)
	for {
		n := stream.Fill(jobs)
		for _, job := range jobs[:n] {
			h.Services = append(h.Services, sizing.ServiceTime{Minutes: float64(job.Service) / 60e6, Jobs: 1, Group: int(job.Batch)})
			if job.Batch == last {
				h.Batches[len(h.Batches)-1].Jobs++
				continue
			}
			last = job.Batch
			h.Batches = append(h.Batches, sizing.Recorded{At: monday.Add(time.Duration(job.Arrival) * time.Microsecond), Jobs: 1})
		}
		if n < len(jobs) {
			return h
		}
	}
}

func TestBurstOfTheExperiment(t *testing.T) {
	t.Parallel()
	b := sizing.Default().Burst()
	require.InDelta(t, 5, b.Load, 1e-9)
	require.InDelta(t, 12, b.BatchMean, 1e-9)
	require.InDelta(t, 23, b.BatchSeen, 1e-9, "a job sees a batch of 23, says docs/sizing.md")
	require.InDelta(t, math.Sqrt(11.0/12), b.BatchVariation, 1e-9)
	require.InDelta(t, 1, b.Dispersion, 0)
}

// TestBurstOfShapes: what the formulas say is what is drawn.
func TestBurstOfShapes(t *testing.T) {
	t.Parallel()
	for name, batches := range map[string]sizing.Batches{
		"geometric":     {Shape: sizing.Geometric, Mean: 12},
		"cut":           {Shape: sizing.Geometric, Mean: 12, Max: 15},
		"mixed":         {Shape: sizing.Mixed, Mean: 12},
		"mixed and cut": {Shape: sizing.Mixed, Mean: 12, Max: 40},
		"fixed":         {Shape: sizing.Fixed, Mean: 12},
		"single":        {Shape: sizing.Single},
		"empirical":     {Shape: sizing.Empirical, Sizes: []int{1, 2, 30, 100}},
		"empirical cut": {Shape: sizing.Empirical, Sizes: []int{1, 2, 30, 100}, Max: 20},
	} {
		p := sizing.Default()
		p.Batches = batches
		want, got := p.Burst(), recording(p, 1500, 0).Burst(p.Service.Mean())
		require.InEpsilon(t, want.Load, got.Load, 0.05, name)
		require.InEpsilon(t, want.BatchMean, got.BatchMean, 0.03, name)
		require.InEpsilon(t, want.BatchSeen, got.BatchSeen, 0.05, name)
		require.InDelta(t, want.BatchVariation, got.BatchVariation, 0.05, name)
		require.InDelta(t, 1, got.Dispersion, 0.06, name)
		require.InEpsilon(t, got.BatchMean*(1+got.BatchVariation*got.BatchVariation), got.BatchSeen, 1e-9, name)
	}
}

// TestDispersionSeesCustomersWhoComeTogether: eight submissions in one hour of the day, and none in the others.
func TestDispersionSeesCustomersWhoComeTogether(t *testing.T) {
	t.Parallel()
	h := &sizing.History{Until: monday.Add(14 * 24 * time.Hour)}
	for d := range 14 {
		for i := range 8 {
			h.Batches = append(h.Batches, sizing.Recorded{At: monday.Add(time.Duration(d)*24*time.Hour + time.Duration(i)*time.Minute), Jobs: 10})
		}
	}
	b := h.Burst(1)
	require.InDelta(t, 7.7, b.Dispersion, 0.1)
	require.InDelta(t, 10, b.BatchSeen, 1e-9)
	require.Zero(t, b.BatchVariation)
}

func TestBurstOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, sizing.Burst{ServiceMinutes: 3}, (&sizing.History{}).Burst(3))
	short := &sizing.History{Batches: []sizing.Recorded{{At: monday, Jobs: 3}}, Until: monday.Add(time.Minute)}
	require.Equal(t, sizing.Burst{ServiceMinutes: 3}, short.Burst(3), "no whole hour")
	require.InDelta(t, 7, short.MeanService(7), 0)
}

// TestBurstKnowsNoOrder: figures do not depend on the order in which batches were recorded, and larger batches are seen
// larger.
func TestBurstKnowsNoOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := &sizing.History{Until: monday.Add(72 * time.Hour)}
		h.Batches = append(h.Batches, sizing.Recorded{At: monday, Jobs: 1})
		for range rapid.IntRange(1, 30).Draw(t, "batches") {
			at := monday.Add(time.Duration(rapid.IntRange(0, 71*60).Draw(t, "minute")) * time.Minute)
			h.Batches = append(h.Batches, sizing.Recorded{At: at, Jobs: rapid.IntRange(1, 500).Draw(t, "jobs")})
		}
		h.Sort()
		b := h.Burst(2)
		require.GreaterOrEqual(t, b.BatchSeen, b.BatchMean-1e-9)
		require.InEpsilon(t, b.JobsPerHour/30, b.Load, 1e-9)
		for i := range h.Batches {
			h.Batches[i].Jobs *= 3
		}
		tripled := h.Burst(2)
		require.InEpsilon(t, 3*b.BatchSeen, tripled.BatchSeen, 1e-9)
		require.InDelta(t, b.BatchVariation, tripled.BatchVariation, 1e-6)
		require.InDelta(t, b.Dispersion, tripled.Dispersion, 1e-9)
	})
}
