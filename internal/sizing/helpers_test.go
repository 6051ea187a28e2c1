package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// short is the experiment cut to what a unit test has time for.
func short() Params {
	p := Default()
	p.Months, p.HoursPerMonth, p.WarmUpHours, p.Seeds = 2, 200, 24, 4
	p.Elastic = nil
	return p
}

// drain reads a whole stream, so many jobs at a time.
func drain(s *Stream, size int) []Job {
	var all []Job
	jobs := make([]Job, size)
	for {
		n := s.Fill(jobs)
		all = append(all, jobs[:n]...)
		if n < size {
			return all
		}
	}
}

// someJobs are jobs in order of arrival, with ties, as a stream of batches has them.
func someJobs(t *rapid.T) []Job {
	n := rapid.IntRange(1, 120).Draw(t, "jobs")
	jobs := make([]Job, n)
	at := int64(0)
	for i := range jobs {
		at += rapid.SampledFrom([]int64{0, 0, 0, 1, 7, 40, 300}).Draw(t, "gap")
		jobs[i] = Job{Arrival: at, Service: rapid.Int64Range(0, 100).Draw(t, "service"), Batch: int32(i)}
	}
	return jobs
}

// replayed is a recording played through a fleet.
func replayed(t *testing.T, h *History, p Params, workers int) Replayed {
	t.Helper()
	got, err := h.Replay(t.Context(), p, h.Stretch(p), workers)
	require.NoError(t, err)
	return got
}

// smallestReplayed is the smallest fleet for a recording.
func smallestReplayed(t *testing.T, h *History, p Params) Replayed {
	t.Helper()
	got, err := h.SmallestReplayed(t.Context(), p, h.Stretch(p))
	require.NoError(t, err)
	return got
}

// starts plays jobs through a fleet.
func starts(workers int, jobs []Job) []int64 {
	fleet := NewFleet(workers)
	out := make([]int64, len(jobs))
	for i, job := range jobs {
		out[i] = fleet.Start(job)
	}
	return out
}

// pooled plays all replications of the parameters.
func pooled(t *testing.T, p Params, fleets ...int) []Point {
	t.Helper()
	require.NoError(t, p.Check())
	pools := make([]*Pool, len(fleets))
	for i, workers := range fleets {
		pools[i] = NewPool(p, workers)
	}
	for replication := range p.Seeds {
		_, samples := Replicate(p, replication, fleets)
		for i, sample := range samples {
			pools[i].Add(replication, sample)
		}
	}
	points := make([]Point, len(fleets))
	for i, pool := range pools {
		points[i] = pool.Point()
	}
	return points
}
