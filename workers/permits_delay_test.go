package workers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/lease"
)

// TestCrawlDelayHoldsAtOnce: what robots.txt asks for holds in this process before the owner has heard of it, the owner is
// told early and in every renewal, and the longest of several hosts counts.
func TestCrawlDelayHoldsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		r.renew()
		require.Nil(t, want(t, r.renew(), "books").CrawlDelay)
		r.woken()
		r.endAll([]*job{r.collect("books")})
		r.ReadRobots("books", "https://a.example", 0)
		require.False(t, r.woken(), "no delay is no news")
		r.ReadRobots("books", "https://a.example", 3*time.Second)
		require.True(t, r.woken())
		r.ReadRobots("books", "https://b.example", time.Second)
		require.False(t, r.woken())
		began := time.Now()
		j := r.collect("books")
		require.False(t, j.runs())
		<-j.done
		require.Equal(t, 3*time.Second, j.at.Sub(began))
		r.endAll([]*job{j})
		for range 2 {
			require.Equal(t, lease.Milliseconds(3*time.Second), *want(t, r.renew(), "books").CrawlDelay)
		}
		r.ReadRobots("films", "https://a.example", time.Second) // a source of other processes
	})
}

// TestCrawlDelayMayFall: an origin that asks for less than it did is taken at its word; the longest of the others then counts.
func TestCrawlDelayMayFall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		r.renew()
		r.ReadRobots("books", "https://a.example", time.Minute)
		r.ReadRobots("books", "https://b.example", 2*time.Second)
		require.Equal(t, lease.Milliseconds(time.Minute), *want(t, r.renew(), "books").CrawlDelay)
		r.ReadRobots("books", "https://a.example", 0)
		require.Equal(t, lease.Milliseconds(2*time.Second), *want(t, r.renew(), "books").CrawlDelay)
	})
}

// TestCrawlDelayIsBounded: a slip of one host does not stop a source for ever, the table of sources shows the pace that is in
// force, and whoever runs the fleet is told once.
func TestCrawlDelayIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		r.renew()
		var told []string
		r.tooLong = func(source, origin string, delay time.Duration) {
			told = append(told, fmt.Sprint(source, " ", origin, " ", delay))
		}
		for _, delay := range []time.Duration{time.Hour, 24 * time.Hour, 24 * time.Hour, 365 * 24 * time.Hour} {
			r.ReadRobots("books", "https://a.example", delay)
			require.Equal(t, lease.Milliseconds(time.Hour), *want(t, r.renew(), "books").CrawlDelay)
		}
		r.ReadRobots("books", "https://b.example", 2*time.Hour)
		require.Equal(t, []string{
			"books https://a.example 24h0m0s", "books https://a.example 8760h0m0s", "books https://b.example 2h0m0s",
		}, told)
		require.Equal(t, lease.Every(time.Hour), r.table.View(time.Now())[0].Pace)

		first := r.collect("books")
		require.True(t, first.runs())
		began := time.Now()
		first.end()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // as the renewer does
			for ctx.Err() == nil {
				r.receive(r.table.Renew(time.Now(), r.request()))
				sleep(ctx, 5*time.Second)
			}
		}()
		second := r.collect("books")
		<-second.done
		require.GreaterOrEqual(t, second.at.Sub(began), time.Hour)
		require.Less(t, second.at.Sub(began), time.Hour+time.Minute)
		cancel()
		r.endAll([]*job{second})
	})
}

// TestPermitTellsItsWaits: how long a permit and how long the pace was waited for are told apart (E15).
func TestPermitTellsItsWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 1, Rate: lease.PerSecond(0.5)})
		r.renew()
		first, err := r.Acquire(t.Context(), "books")
		require.NoError(t, err)
		require.Zero(t, first.Waited+first.Paced)
		go func() {
			time.Sleep(500 * time.Millisecond)
			first.Release()
		}()
		second, err := r.Acquire(t.Context(), "books")
		require.NoError(t, err)
		require.Equal(t, 500*time.Millisecond, second.Waited)
		require.InDelta(t, 1500*time.Millisecond, second.Paced, float64(time.Millisecond))
		began := time.Now()
		require.NoError(t, second.Again(t.Context()))
		require.InDelta(t, 2*time.Second, time.Since(began), float64(time.Millisecond), "another request waits for the pace as well")
		second.Release()
	})
}

// TestOldestWaiting: the owner is told how long the collect has waited that waits longest.
func TestOldestWaiting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		require.Zero(t, want(t, r.request(), "books").OldestWaiting)
		first := r.collect("books")
		time.Sleep(2 * time.Second)
		second := r.collect("books")
		time.Sleep(time.Second)
		require.Equal(t, lease.Milliseconds(3*time.Second), want(t, r.request(), "books").OldestWaiting)
		first.end()
		require.Equal(t, lease.Milliseconds(time.Second), want(t, r.request(), "books").OldestWaiting)
		second.end()
	})
}

// TestMethod: the fetch method in use comes with the lease.
func TestMethod(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 1, Methods: []string{"page", "api"}})
		require.Empty(t, r.Method("books"))
		r.renew()
		permit, err := r.Acquire(t.Context(), "books")
		require.NoError(t, err)
		require.Equal(t, "page", permit.Method)
		permit.Release()
		require.NoError(t, r.table.UseMethod(time.Now(), "books", "api", lease.Note{}))
		r.renew()
		require.Equal(t, "api", r.Method("books"))
	})
}
