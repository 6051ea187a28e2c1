package sizing

import (
	"math"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestReplicateAgainstJobs adds up job by job what Replicate counts, months, warm-up, edges and all.
func TestReplicateAgainstJobs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := short()
		p.Seed = rapid.Uint64().Draw(t, "seed")
		p.Months = rapid.IntRange(1, 3).Draw(t, "months")
		p.HoursPerMonth = rapid.Float64Range(5, 60).Draw(t, "hours")
		p.WarmUpHours = rapid.SampledFrom([]float64{0, 3, 24}).Draw(t, "warm up")
		workers := rapid.IntRange(6, 40).Draw(t, "workers")
		arrivals, samples := Replicate(p, 0, []int{workers, workers + 1})

		jobs := drain(NewStream(p, 0), 1000)
		want := make([]MonthSample, p.Months)
		waited, busy := int64(0), int64(0)
		for i, start := range starts(workers, jobs) {
			job := jobs[i]
			busy += max(0, min(start+job.Service, p.end())-max(start, p.warmUp()))
			if job.Arrival < p.warmUp() {
				continue
			}
			month := &want[(job.Arrival-p.warmUp())/p.month()]
			month.Jobs++
			waited += start - job.Arrival
			if start-job.Arrival <= micros(p.Promise.Minutes) {
				month.Within++
			}
		}
		got := samples[0]
		require.Equal(t, workers, got.Workers)
		require.Len(t, got.Months, p.Months)
		total := MonthSample{}
		for i, month := range got.Months {
			require.Equal(t, want[i].Jobs, month.Jobs, "month %d", i)
			require.Equal(t, want[i].Within, month.Within, "month %d", i)
			total.Jobs += month.Jobs
			total.Within += month.Within
		}
		require.Equal(t, total.Jobs, got.Jobs)
		require.Equal(t, total.Within, got.Within)
		require.Equal(t, got.Jobs, got.Waits.total)
		require.Equal(t, got.Jobs, arrivals.Jobs)
		require.InDelta(t, minutes(waited), got.WaitMinutes, 1e-6)
		require.InDelta(t, minutes(busy), got.BusyMinutes, 1e-6)
		require.GreaterOrEqual(t, samples[1].Within, got.Within, "a worker more")
	})
}

func TestReplicateIsDeterministic(t *testing.T) {
	t.Parallel()
	p := short()
	arrivals, samples := Replicate(p, 3, []int{8, 31})
	again, sampled := Replicate(p, 3, []int{8, 31})
	require.Equal(t, arrivals, again)
	require.Equal(t, samples, sampled)
	_, alone := Replicate(p, 3, []int{31})
	require.Equal(t, samples[1], alone[0], "a fleet does not feel the others in the table")
}

// TestLittlesLaw: the mean number of jobs in line is the rate of arrivals times the mean wait. The left side is measured
// by looking at the line at random moments, the right side from the waits of jobs.
func TestLittlesLaw(t *testing.T) {
	t.Parallel()
	p := short()
	p.WarmUpHours, p.Months, p.HoursPerMonth = 48, 2, 700
	for _, workers := range []int{8, 14} {
		var differences []float64
		for replication := range 12 {
			jobs := drain(NewStream(p, replication), 4096)
			begun := starts(workers, jobs)
			random := NewRandom(99, uint64(replication), uint64(workers))
			const looks = 4000
			seen := 0.0
			for range looks {
				at := p.warmUp() + int64(random.Float()*float64(p.end()-p.warmUp()))
				arrived := sort.Search(len(jobs), func(i int) bool { return jobs[i].Arrival > at })
				started := sort.Search(len(jobs), func(i int) bool { return begun[i] > at })
				seen += float64(arrived - started)
			}
			_, samples := Replicate(p, replication, []int{workers})
			rate := samples[0].WaitMinutes / (2 * p.HoursPerMonth * 60)
			differences = append(differences, seen/looks-rate)
		}
		got := around(meanOf(differences), differences)
		require.InDelta(t, 0, got.Value, 2*got.HalfWidth, "%d workers", workers)
		require.Less(t, got.HalfWidth, 0.5, "%d workers: the test would notice nothing", workers)
	}
}

// TestUtilisationIsTheLoad: over a long time workers are busy with what was handed in, whatever their number (J12).
func TestUtilisationIsTheLoad(t *testing.T) {
	t.Parallel()
	p := short()
	p.Seeds, p.HoursPerMonth = 12, 700
	for _, point := range pooled(t, p, 8, 20, 31) {
		want := p.Load() / float64(point.Workers)
		require.InDelta(t, want, point.Utilisation.Value, 2.5*point.Utilisation.HalfWidth, "%d workers", point.Workers)
	}
}

// TestSmoothArrivalsAreErlangs: the simulation, given what the formula assumes, says what the formula says.
func TestSmoothArrivalsAreErlangs(t *testing.T) {
	t.Parallel()
	p := short().OneByOne()
	p.Seeds = 16
	p.HoursPerMonth = 740
	for _, point := range pooled(t, p, 7, 8, 10) {
		smooth := p.Smooth()
		require.InDelta(t, smooth.Within(point.Workers, 5), point.Within.Value, 2*point.Within.HalfWidth, "%d workers", point.Workers)
		wait := smooth.Wait(point.Workers, 0.95)
		require.InDelta(t, wait, point.Wait.Value, 2*point.Wait.HalfWidth+0.001, "%d workers", point.Workers)
		mean := smooth.Waiting(point.Workers) * smooth.MeanMinutes / (float64(point.Workers) - smooth.Load)
		require.InDelta(t, mean, point.MeanWait.Value, 2*point.MeanWait.HalfWidth, "%d workers", point.Workers)
	}
}

// TestServiceTimesMatterAsTheyShould: with one worker, Pollaczek and Khinchine give the mean wait for any service time.
func TestServiceTimesMatterAsTheyShould(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		service Service
		squares float64 // the squared deviation over the squared mean
	}{
		"exponential": {Service{Shape: Exponential, MeanMinutes: 10}, 1},
		"fixed":       {Service{Shape: Fixed, MeanMinutes: 10}, 0},
		"log-normal":  {Service{Shape: LogNormal, MeanMinutes: 10, Variation: 1.5}, 2.25},
		"empirical":   {Service{Shape: Empirical, Values: []float64{5, 15}}, 0.25},
	} {
		p := short().OneByOne()
		p.Service, p.JobsPerHour, p.Seeds, p.HoursPerMonth = row.service, 3, 24, 740
		load := p.Load()
		want := load / (1 - load) * 10 * (1 + row.squares) / 2
		got := pooled(t, p, 1)[0].MeanWait
		require.InDelta(t, want, got.Value, 2*got.HalfWidth, name)
		require.Less(t, got.HalfWidth, want/3, name)
		require.False(t, math.IsNaN(got.Value), name)
	}
}
