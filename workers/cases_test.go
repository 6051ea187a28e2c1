package workers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/lease"
)

// processes are n processes that rent one source from one owner.
func processes(t *testing.T, n int, source lease.SourceConfig) []*leased {
	t.Helper()
	sources := []lease.SourceConfig{source}
	table := aTable(t, sources...)
	fleet := make([]*leased, n)
	for i := range fleet {
		fleet[i] = leaseFrom(t, table, fmt.Sprintf("w%d", i+1), 100, sources)
	}
	return fleet
}

// starts drives collects to their end while every process renews each second, and returns when each began, in order.
// Requests are over as soon as they have started, so nothing but the pace holds them up.
func starts(t *testing.T, fleet []*leased, jobs []*job) []time.Duration {
	t.Helper()
	began, ended := time.Now(), map[*job]bool{}
	for round := 0; len(ended) < len(jobs); round++ {
		require.Less(t, round, 100_000, "%d of %d have started", len(ended), len(jobs))
		if round%20 == 0 {
			for _, r := range fleet {
				r.renew()
			}
		}
		for _, j := range jobs {
			if !ended[j] && j.runs() {
				ended[j] = true
				j.end()
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	var at []time.Duration
	for _, j := range jobs {
		require.NoError(t, j.err)
		at = append(at, j.at.Sub(began))
	}
	slices.Sort(at)
	for _, r := range fleet {
		r.requireEmpty()
	}
	return at
}

// leastGap is the shortest time between two starts.
func leastGap(at []time.Duration) time.Duration {
	least := at[len(at)-1]
	for i := 1; i < len(at); i++ {
		least = min(least, at[i]-at[i-1])
	}
	return least
}

// C1 17: a crawl delay beyond our own pace neither closes the source nor is cut down to ours. It holds at the owner, so for
// the process that has not read it as well.
func TestFieldCaseC1x17LongCrawlDelayIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fleet := processes(t, 2, lease.SourceConfig{Source: "books", Ceiling: 2, MinInterval: lease.Milliseconds(30 * time.Second)})
		fleet[0].ReadRobots("books", "https://books.example", 120*time.Second)
		fleet[0].renew()
		var jobs []*job
		for _, r := range fleet {
			jobs = append(jobs, r.collects("books", 2)...)
		}
		at := starts(t, fleet, jobs)
		require.GreaterOrEqual(t, leastGap(at), 120*time.Second, "%v", at)
		require.Less(t, at[len(at)-1], 10*time.Minute, "the source stays open: %v", at)
	})
}

// C1 18: a delay is one of the source, however many processes share it.
func TestFieldCaseC1x18DelayHoldsOverAllProcesses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fleet := processes(t, 5, lease.SourceConfig{Source: "books", Ceiling: 5, MinInterval: lease.Milliseconds(time.Second)})
		var jobs []*job
		for _, r := range fleet[:3] {
			jobs = append(jobs, r.collect("books"))
		}
		at := starts(t, fleet, jobs)
		require.GreaterOrEqual(t, leastGap(at), time.Second, "%v", at)
	})
}

// C7 90: 25 requests at 5 per second, of which 5 may start at once, take about four seconds over a fleet: never faster than
// the pace allows, and, once the processes have their shares, not much slower.
func TestFieldCaseC7x90PaceOverAFleet(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fleet := processes(t, 5, lease.SourceConfig{Source: "books", Ceiling: 25, Rate: lease.PerSecond(5), Burst: 5})
		wave := func() []time.Duration {
			var jobs []*job
			for _, r := range fleet {
				jobs = append(jobs, r.collects("books", 5)...)
			}
			at := starts(t, fleet, jobs)
			for i := range at {
				for j := i; j < len(at); j++ {
					allowed := 5 + 5*(at[j]-at[i]).Seconds()
					require.LessOrEqual(t, float64(j-i+1), allowed+1e-6, "%v", at)
				}
			}
			return at
		}
		wave()
		for range 10 {
			time.Sleep(time.Second)
			for _, r := range fleet {
				r.renew()
			}
		}
		at := wave()
		require.InDelta(t, 4.0, at[24].Seconds(), 1, "%v", at)
	})
}
