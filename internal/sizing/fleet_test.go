package sizing

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFleetAgainstALine: the plainest thing that can be called first come, first served.
func TestFleetAgainstALine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		jobs, workers := someJobs(t), rapid.IntRange(1, 40).Draw(t, "workers")
		free := make([]int64, workers)
		for i, got := range starts(workers, jobs) {
			slices.Sort(free)
			want := max(free[0], jobs[i].Arrival)
			free[0] = want + jobs[i].Service
			require.Equal(t, want, got, "job %d", i)
		}
	})
}

// TestMoreWorkersNeverWaitLonger holds job by job, on the same arrivals and service times. It is what makes the smallest
// fleet a matter of bisection.
func TestMoreWorkersNeverWaitLonger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		jobs, workers := someJobs(t), rapid.IntRange(1, 30).Draw(t, "workers")
		fewer, more := starts(workers, jobs), starts(workers+rapid.IntRange(1, 9).Draw(t, "more"), jobs)
		for i := range jobs {
			require.LessOrEqual(t, more[i], fewer[i], "job %d", i)
		}
	})
}

// TestWorkIsConserved: no more jobs at work than workers, nobody waits while a worker is idle, jobs start in the order of
// arrival, and every job is done once for as long as it takes.
func TestWorkIsConserved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		jobs, workers := someJobs(t), rapid.IntRange(1, 12).Draw(t, "workers")
		begun := starts(workers, jobs)
		require.True(t, slices.IsSorted(begun), "first come, first served")
		for i, start := range begun {
			require.GreaterOrEqual(t, start, jobs[i].Arrival)
			atWork := 0 // beside it, at the moment before it starts
			for k, other := range begun[:i] {
				if other+jobs[k].Service >= start && jobs[k].Service > 0 || other == start {
					atWork++
				}
			}
			if start > jobs[i].Arrival {
				require.GreaterOrEqual(t, atWork, workers, "job %d waits while a worker is idle", i)
			}
			busy := 0 // at its start, without those that end then
			for k, other := range begun[:i] {
				if other+jobs[k].Service > start {
					busy++
				}
			}
			require.Less(t, busy, workers, "job %d has no worker of its own", i)
		}
	})
}

func TestFleetSizes(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2, 3, 4, 31, 32, 33, 1000, MaxWorkers} {
		fleet := NewFleet(workers)
		for range workers {
			require.Equal(t, int64(5), fleet.Start(Job{Arrival: 5, Service: 100}))
		}
		require.Equal(t, int64(105), fleet.Start(Job{Arrival: 5, Service: 1}), "%d workers are all busy", workers)
	}
}

// TestFleetAtTheEndOfTime: moments beyond the last one that is told apart are taken for it, not for negative ones.
func TestFleetAtTheEndOfTime(t *testing.T) {
	t.Parallel()
	fleet := NewFleet(MaxWorkers)
	for range 2 * MaxWorkers {
		start := fleet.Start(Job{Arrival: never - 1, Service: longest})
		require.GreaterOrEqual(t, start, never-1)
		require.LessOrEqual(t, start, never)
	}
}
