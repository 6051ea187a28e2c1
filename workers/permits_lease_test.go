package workers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/lease"
)

var books = lease.SourceConfig{Source: "books", Ceiling: 3}

// TestLeaseEnds: what is in flight is broken off, says why, and counts until it has really ended; nothing starts before
// the next lease.
func TestLeaseEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		jobs := r.collects("books", 5)
		r.renew()
		time.Sleep(ttl - time.Millisecond)
		require.False(t, r.lapse())
		require.Equal(t, 3, running(jobs))
		time.Sleep(time.Millisecond)
		require.True(t, r.lapse())
		require.False(t, r.lapse(), "it ends once")
		for _, j := range jobs {
			if j.runs() {
				require.ErrorIs(t, context.Cause(j.permit), errLeaseEnded)
			}
		}
		require.Equal(t, 3, r.taken("books"))
		late := r.collect("books")
		time.Sleep(time.Minute)
		require.Equal(t, 3, running(jobs), "no lease, no request")
		request := r.request()
		require.Equal(t, 3, want(t, request, "books").InFlight)
		require.Zero(t, want(t, request, "books").Held)
		for _, j := range jobs {
			if j.runs() {
				j.release()
			}
		}
		r.renew()
		require.Equal(t, 3, r.taken("books"))
		require.Equal(t, 5+1, running(append(jobs, late)))
		r.endAll(append(jobs, late))
	})
}

// TestLeaseEndsUnnoticed: a process that was stopped for longer than its lease starts nothing when it goes on, before
// anybody has looked at the lease; and the next lease does not save what was in flight under the one before.
func TestLeaseEndsUnnoticed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		old := r.collect("books")
		r.renew()
		require.True(t, old.runs())
		time.Sleep(ttl)
		late := r.collect("books")
		require.False(t, late.runs())
		require.NoError(t, old.permit.Err(), "nobody has looked yet")
		request := r.request()
		require.Error(t, old.permit.Err())
		require.Equal(t, lease.Want{Source: "books", InFlight: 1, Peak: 1, Waiting: 1}, want(t, request, "books"))
		r.receive(r.table.Renew(time.Now(), request))
		synctest.Wait()
		require.True(t, late.runs())
		r.endAll([]*job{old, late})
	})
}

// TestLeaseBarelySeen: a lease that ends before anybody has looked at it once ends like any other.
func TestLeaseBarelySeen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		j := r.collect("books")
		r.renew()
		time.Sleep(ttl)
		require.True(t, r.lapse())
		require.Error(t, j.permit.Err())
		r.endAll([]*job{j})
	})
}

// TestAnswerComesTooLate: an answer counts from when it was asked for, and one that took as long as it lasts is nothing.
func TestAnswerComesTooLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		j := r.collect("books")
		answer := r.table.Renew(time.Now(), r.request())
		time.Sleep(ttl)
		r.receive(answer)
		synctest.Wait()
		require.False(t, j.runs())

		answer = r.table.Renew(time.Now(), r.request())
		time.Sleep(ttl - time.Second)
		r.receive(answer)
		synctest.Wait()
		require.True(t, j.runs())
		time.Sleep(time.Second)
		require.True(t, r.lapse())
		require.Error(t, j.permit.Err())
		r.endAll([]*job{j})
	})
}

// TestHoursEnd: no request starts after the source's hours, which end between two renewals.
func TestHoursEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		window, err := lease.ParseWindow("00:00-01:00")
		require.NoError(t, err)
		at := books
		at.Hours = &lease.Hours{Zone: lease.ZoneOf(time.UTC, time.Now(), time.Now().AddDate(1, 0, 0)), Windows: []lease.Window{window}}
		r := leaseOf(t, 100, at)
		time.Sleep(time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(25*time.Hour - 5*time.Second)))
		first := r.collect("books")
		r.renew()
		require.True(t, first.runs())
		time.Sleep(5 * time.Second)
		second := r.collect("books")
		time.Sleep(time.Second)
		require.False(t, second.runs())
		require.NoError(t, first.permit.Err(), "what runs may end")
		r.endAll([]*job{first, second})
	})
}

// TestQuit: a process that ends takes everything away from itself, for good.
func TestQuit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		first := r.collect("books")
		r.renew()
		require.False(t, r.idle())
		r.quit()
		require.Error(t, first.permit.Err())
		require.False(t, r.idle(), "it has not ended yet")
		second := r.collect("books")
		r.renew()
		require.False(t, second.runs())
		_, goesOn := r.renewAt()
		require.False(t, goesOn)
		r.endAll([]*job{first, second})
	})
}

// TestUses: what the owner is told of this process's work.
func TestUses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 3, books, lease.SourceConfig{Source: "films", Ceiling: 4})
		require.Equal(t, lease.Request{Worker: "w", Sequence: 1, Epoch: "none", Sources: []lease.Want{{Source: "books"}, {Source: "films"}}}, r.renew(),
			"every source is named, or it would count as given back")
		jobs := r.collects("books", 4)
		request := r.renew()
		require.Equal(t, lease.Want{Source: "books", Held: 2, Rate: lease.Unlimited, InFlight: 2, Peak: 2, Waiting: 2},
			want(t, request, "books"))
		require.Equal(t, 3, r.taken("books"))
		for range 3 {
			endOne(t, jobs)
		}
		request = r.renew()
		require.Equal(t, lease.Want{Source: "books", Held: 3, Rate: lease.Unlimited, InFlight: 1, Peak: 3, Waiting: 2},
			want(t, request, "books"), "the most since the last renewal, and those who wait now")
		require.Equal(t, lease.Want{Source: "books", Held: 3, Rate: lease.Unlimited, InFlight: 1, Peak: 1},
			want(t, r.renew(), "books"), "counted anew")

		// A process that has no room for more says so of every source.
		jobs = append(jobs, r.collects("books", 2)...)
		request = r.renew()
		require.True(t, want(t, request, "books").Full)
		require.True(t, want(t, request, "films").Full)
		r.endAll(jobs)
	})
}
