package workers

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/telemetry"
)

func TestPermitsKeepTheGrant(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 3})
		jobs := r.collects("books", 5)
		require.Zero(t, running(jobs), "no lease, no request")
		r.renew()
		require.Equal(t, 3, running(jobs))
		require.Equal(t, 3, r.taken("books"))
		time.Sleep(time.Second)
		require.Equal(t, 3, running(jobs))
		endOne(t, jobs)
		require.Equal(t, 3, r.taken("books"), "the place is filled at once")
		require.Equal(t, 4, running(jobs))
		r.endAll(jobs)
	})
}

func TestPermitIsGivenBackOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 2})
		jobs := r.collects("books", 4)
		r.renew()
		require.Equal(t, 2, running(jobs))
		j := jobs[slices.IndexFunc(jobs, (*job).runs)]
		j.release()
		j.release()
		require.ErrorIs(t, j.permit.Err(), context.Canceled, "nothing is done under a permit that was given back")
		jobs = append(jobs, r.collect("books"))
		require.Equal(t, 2, r.taken("books"))
		r.endAll(jobs)
	})
}

// TestPermitsAreLowered: what runs may end, nothing starts before fewer run than granted, and the owner hears of it as
// soon as what exceeded the grant has ended.
func TestPermitsAreLowered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 4})
		jobs := r.collects("books", 8)
		r.renew()
		require.Equal(t, 4, running(jobs))
		r.setCeiling("books", 2)
		r.renew()
		require.Equal(t, 2, r.granted("books"))
		r.woken()
		for _, step := range []struct {
			taken int
			woken bool
		}{{3, false}, {2, true}, {2, false}, {2, false}} {
			endOne(t, jobs)
			time.Sleep(time.Second)
			require.Equal(t, step.taken, r.taken("books"))
			require.Equal(t, step.woken, r.woken())
		}
		require.Equal(t, 2, want(t, r.renew(), "books").InFlight)
		r.setCeiling("books", 3)
		r.renew()
		require.Equal(t, 3, r.taken("books"))
		r.endAll(jobs)
	})
}

// TestPermitsBoundTheProcess: the process has room for fewer requests than its sources allow, and a slow source holds no
// more of it than its own permits, whoever waits.
func TestPermitsBoundTheProcess(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 4, lease.SourceConfig{Source: "slow", Ceiling: 2}, lease.SourceConfig{Source: "books", Ceiling: 3})
		slow := r.collects("slow", 10)
		require.False(t, want(t, r.renew(), "slow").Full)
		books := r.collects("books", 5)
		r.renew()
		require.Equal(t, 2, running(slow))
		require.Equal(t, 2, running(books))
		request := r.request()
		require.True(t, want(t, request, "books").Full)
		require.Equal(t, 2, want(t, request, "books").InFlight, "who waits for room has nothing in flight")
		r.receive(r.table.Renew(time.Now(), request))

		// Who waits for room in vain keeps neither room nor a permit.
		for _, j := range books {
			if !j.runs() {
				j.end()
			}
		}
		endOne(t, books)
		endOne(t, books)
		require.Zero(t, r.taken("books"))
		require.Equal(t, 2, r.taken("slow"))
		r.endAll(append(slow, books...))
	})
}

// TestWhoWaitsForThePaceTakesNoRoom: a source with many permits and a slow pace keeps no other source from working.
func TestWhoWaitsForThePaceTakesNoRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 2, lease.SourceConfig{Source: "paced", Ceiling: 5, Rate: lease.Every(time.Minute)},
			lease.SourceConfig{Source: "books", Ceiling: 5})
		paced, books := r.collects("paced", 5), r.collects("books", 3)
		r.renew()
		require.Equal(t, 1, running(paced))
		require.Equal(t, 1, running(books))
		endOne(t, paced)
		require.Equal(t, 2, r.taken("books"))
		r.endAll(append(paced, books...))
	})
}

// TestRoomIsNotKeptForALostTurn: who has got room when the lease or the pace no longer lets it start gives it on.
func TestRoomIsNotKeptForALostTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 1, lease.SourceConfig{Source: "films", Ceiling: 2}, lease.SourceConfig{Source: "books", Ceiling: 2})
		films := r.collect("films")
		r.renew()
		require.True(t, films.runs())
		first, then := r.collect("books"), r.collect("films")
		r.setCeiling("books", 0)
		r.renew()
		require.False(t, first.runs())
		films.end()
		require.False(t, first.runs())
		require.True(t, then.runs())
		r.endAll([]*job{first, then})
	})
}

func TestPermitsOfAnUnknownSource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 1, lease.SourceConfig{Source: "books", Ceiling: 2})
		_, err := r.Acquire(t.Context(), "films")
		require.EqualError(t, err, `there are no permits for source "films" in this process`)
		r.Report("films", "", 0)
		require.Zero(t, want(t, r.renew(), "books").Seen.Requests)
	})
}

// TestWaitIsCancelled: whatever a collect waits for, it stops when its context ends, and says for what it waited.
func TestWaitIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 1, lease.SourceConfig{Source: "paced", Ceiling: 5, Rate: lease.Every(time.Minute)},
			lease.SourceConfig{Source: "books", Ceiling: 1}, lease.SourceConfig{Source: "films", Ceiling: 1})
		jobs := r.collects("paced", 1)
		r.renew()
		require.Equal(t, 1, running(jobs))
		forPace, forRoom, forPermit := r.collect("paced"), r.collect("books"), r.collect("books")
		for _, j := range []*job{forPace, forRoom, forPermit} {
			require.False(t, j.runs())
			j.cancel()
			<-j.done
			require.ErrorIs(t, j.err, context.Canceled)
			require.ErrorContains(t, j.err, "of source ")
		}
		r.endAll(jobs)
	})
}

func TestLoads(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "slow", Ceiling: 2}, lease.SourceConfig{Source: "books", Ceiling: 3})
		jobs := append(r.collects("slow", 1), r.collects("books", 4)...)
		r.renew()
		require.Equal(t, []telemetry.SourceLoad{
			{Source: "books", InFlight: 3, Ceiling: 3}, {Source: "slow", InFlight: 1, Ceiling: 2},
		}, r.Loads())
		jobs[0].end()
		require.Zero(t, r.Loads()[1].InFlight)
		r.endAll(jobs)
	})
}
