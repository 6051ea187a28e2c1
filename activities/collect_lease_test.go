package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

var errNoLease = errors.New("the worker's lease has ended")

// lendable is a permit that can be lost.
func lendable(t testing.TB, c *collecting) (lose func()) {
	permit, cancel := context.WithCancelCause(context.Background())
	t.Cleanup(func() { cancel(nil) })
	c.permits.permit = permit
	return func() { cancel(errNoLease) }
}

// TestCollectPermitLost: a request whose permit is lost is broken off, says nothing about the target, costs the record
// nothing, and is made again.
func TestCollectPermitLost(t *testing.T) {
	c := newCollecting(nil)
	lose := lendable(t, c)
	c.Fetcher = untilCancelled(lose)
	tr := &trial{number: 2, before: collection.AttemptProgress{Ended: 1, Requests: 1, Faults: 1, Reason: collection.ReasonReset, InARow: 1}}
	_, err := c.attempt(t, tr)
	f := requireTransient(t, err, collection.ReasonLeaseLost, "broken off", errNoLease.Error())
	require.Equal(t, 2, f.Attempts, "the target may have seen it")
	require.Equal(t, 2*firstRetry, f.after, "as long as the engine would wait after a second attempt, by a Random of a half")
	p := tr.progress(t)
	require.Equal(t, 2, p.Ended)
	require.Equal(t, 1, p.Faults)
	require.Equal(t, collection.ReasonReset, p.Reason)
	require.Equal(t, 1, p.InARow)
	require.Empty(t, c.metrics.asked)
	require.Empty(t, c.metrics.ended)
	require.Empty(t, c.permits.reports, "the source is not at fault, nor was it in order")

	c.permits.permit, c.Fetcher = nil, answers(success)
	out, err := c.attempt(t, tr.next(t))
	require.NoError(t, err)
	require.Equal(t, 3, out.Attempts)
	require.Equal(t, []reported{{"books", "", 0}}, c.permits.reports)
}

// TestCollectPermitLostForGood: losing a permit again and again is never the record's end, until it has waited too long.
func TestCollectPermitLostForGood(t *testing.T) {
	c := newCollecting(nil)
	lose := lendable(t, c)
	c.Fetcher = untilCancelled(lose)
	tr := &trial{}
	for range 20 {
		_, err := c.attempt(t, tr)
		requireTransient(t, err, collection.ReasonLeaseLost)
		tr = tr.next(t)
	}
	c.now = accepted.Add(25 * time.Hour)
	_, err := c.attempt(t, tr)
	requireFinal(t, err, collection.ReasonExpired, "0 lost workers")
}

// TestCollectSuccessAfterBreakOff: what comes when the permit is lost is not taken: nobody can say that the ceiling was
// kept for it.
func TestCollectSuccessAfterBreakOff(t *testing.T) {
	for name, seen := range map[string]failure.Observation{"success": success, "fault": broken500, "outcome": absent} {
		t.Run(name, func(t *testing.T) {
			c := newCollecting(nil)
			lose := lendable(t, c)
			c.Fetcher = fetchFunc(func(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation) {
				lose()
				if failure.Classify(seen) == "" {
					return page("x"), seen
				}
				return nil, seen
			})
			tr := &trial{}
			_, err := c.attempt(t, tr)
			requireTransient(t, err, collection.ReasonLeaseLost)
			require.Zero(t, tr.progress(t).Faults)
			require.Empty(t, c.permits.reports)
			require.Empty(t, c.store.dump(t))
		})
	}
}

// TestCollectPermitLostBefore: a permit that was lost before the request begins ends it before it is made.
func TestCollectPermitLostBefore(t *testing.T) {
	c := newCollecting(nil)
	lendable(t, c)()
	c.Fetcher = fetchFunc(func(ctx context.Context, _ collection.Source, _ collection.Record, _ collection.Via) (*collection.Response, failure.Observation) {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Error("the request goes on without a permit")
		}
		return nil, failure.Observation{Transport: failure.TransportCancelled, Message: "cancelled"}
	})
	_, err := c.attempt(t, &trial{})
	requireTransient(t, err, collection.ReasonLeaseLost)
}

// TestCollectCancelledAndLost: a cancellation stays one, also when the permit is lost with it.
func TestCollectCancelledAndLost(t *testing.T) {
	ctx, cancel := stoppable(t)
	c := newCollecting(nil)
	lose := lendable(t, c)
	c.Fetcher = untilCancelled(func() {
		cancel(temporal.NewCanceledError())
		lose()
	})
	_, err := c.attempt(t, &trial{ctx: ctx})
	requireCancelled(t, err)
	require.Empty(t, c.permits.reports)
}

// TestCollectReports: every request that ended is reported once, with its reason and what the target asked for.
func TestCollectReports(t *testing.T) {
	for name, c := range map[string]struct {
		seen       failure.Observation
		reason     collection.Reason
		retryAfter time.Duration
	}{
		"success":            {success, "", 0},
		"gone":               {absent, collection.ReasonGone, 0},
		"fault":              {broken500, collection.ReasonServerError, 0},
		"throttled":          {failure.Observation{Status: 429, RetryAfter: "30"}, collection.ReasonThrottled, 30 * time.Second},
		"throttled silently": {failure.Observation{Status: 429}, collection.ReasonThrottled, 0},
		"unavailable for a while": {failure.Observation{
			Status: 503, Date: "Sun, 01 Mar 2026 08:00:00 GMT", RetryAfter: "Sun, 01 Mar 2026 08:02:00 GMT",
		}, collection.ReasonThrottled, 2 * time.Minute},
		"never reached": {failure.Observation{Transport: failure.TransportRedirectOffSource}, collection.ReasonRedirectOffSource, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newCollecting(answers(c.seen))
			_, _ = b.attempt(t, &trial{})
			require.Equal(t, []reported{{"books", c.reason, c.retryAfter}}, b.permits.reports)
		})
	}
}

// TestCollectReportsNothingElse: what happens before a request, and what the store does after it, is not the source's.
func TestCollectReportsNothingElse(t *testing.T) {
	c := newCollecting(answers(success))
	c.permits.acquire = func(context.Context) error { return errNoLease }
	_, err := c.attempt(t, &trial{})
	requireTransient(t, err, collection.ReasonLeaseLost)
	require.Empty(t, c.permits.reports)

	c = newCollecting(answers(success))
	c.watch(func(int, string, string) trouble { return trouble{refuse: errOutage} })
	_, err = c.attempt(t, &trial{})
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	require.Equal(t, []reported{{"books", "", 0}}, c.permits.reports, "the source was in order")
}
