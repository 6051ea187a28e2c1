package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// untilCancelled is a target that never answers.
func untilCancelled(started func()) fetchFunc {
	return func(ctx context.Context, _ collection.Source, _ collection.Record, _ collection.Via) (*collection.Response, failure.Observation) {
		started()
		<-ctx.Done()
		return nil, failure.Observation{Transport: failure.TransportCancelled, Message: "cancelled"}
	}
}

// TestCollectCancelled: a cancellation reaches the request and is returned as one.
func TestCollectCancelled(t *testing.T) {
	ctx, cancel := stoppable(t)
	c := newCollecting(untilCancelled(func() { cancel(temporal.NewCanceledError()) }))
	tr := &trial{ctx: ctx}
	_, err := c.attempt(t, tr)
	requireCancelled(t, err)
	require.Empty(t, c.metrics.ended)
	require.Empty(t, c.metrics.asked, "a request that we broke off ourselves says nothing about the target")
	p := tr.progress(t)
	require.Equal(t, 1, p.Ended)
	require.Zero(t, p.Faults)
}

// TestCollectStopped: a worker that is shut down, or an activity that is paused or reset, leaves the record to another
// attempt, uncharged.
func TestCollectStopped(t *testing.T) {
	for name, cause := range map[string]error{
		"shutdown": errors.New("worker is stopping"), "pause": activity.ErrActivityPaused, "reset": activity.ErrActivityReset,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := stoppable(t)
			c := newCollecting(untilCancelled(func() { cancel(cause) }))
			tr := &trial{ctx: ctx}
			_, err := c.attempt(t, tr)
			f := requireTransient(t, err, collection.ReasonLeaseLost, "another one takes it")
			require.Equal(t, firstRetry, f.after, "by a Random of a half: all that a worker leaves must not come back at one moment")
			c.Fetcher = answers(success)
			out, err := c.attempt(t, tr.next(t))
			require.NoError(t, err)
			require.Equal(t, 2, out.Attempts)
		})
	}
}

// TestCollectSuccessThatWasCancelled: what arrives after the cancellation is not kept.
func TestCollectSuccessThatWasCancelled(t *testing.T) {
	ctx, cancel := stoppable(t)
	c := newCollecting(func(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation) {
		cancel(temporal.NewCanceledError())
		return page("x"), success
	})
	_, err := c.attempt(t, &trial{ctx: ctx})
	requireCancelled(t, err)
	require.Empty(t, c.store.dump(t))
}

// TestCollectWaitEndsWithTheWorker: a record that waits for a permit does not wait for the worker's grace to be over; it
// is charged nothing.
func TestCollectWaitEndsWithTheWorker(t *testing.T) {
	c := newCollecting(answers(success))
	stop := make(chan struct{})
	c.permits.acquire = func(ctx context.Context) error {
		close(stop)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	tr := &trial{stop: stop, number: 2, before: collection.AttemptProgress{Ended: 1, Requests: 1, Faults: 1, Reason: collection.ReasonReset, InARow: 1}}
	_, err := c.attempt(t, tr)
	requireTransient(t, err, collection.ReasonLeaseLost, "another one takes it")
	require.Equal(t, collection.AttemptProgress{Ended: 2, Requests: 1, Faults: 1, Reason: collection.ReasonReset, InARow: 1}, counters(tr.progress(t)))
	require.Empty(t, c.metrics.started)
	_, granted := c.permits.state()
	require.Zero(t, granted)
}

// TestCollectWaitCancelled: somebody's cancellation ends the wait as a cancellation.
func TestCollectWaitCancelled(t *testing.T) {
	ctx, cancel := stoppable(t)
	c := newCollecting(answers(success))
	c.permits.acquire = func(ctx context.Context) error {
		cancel(temporal.NewCanceledError())
		<-ctx.Done()
		return ctx.Err()
	}
	_, err := c.attempt(t, &trial{ctx: ctx})
	requireCancelled(t, err)
}

// TestCollectTimesOut: the time that Temporal allows is over; the attempt says nothing else than that.
func TestCollectTimesOut(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	c := newCollecting(untilCancelled(func() {}))
	_, err := c.attempt(t, &trial{ctx: ctx})
	var timeout *temporal.TimeoutError
	require.ErrorAs(t, err, &timeout)
}

// TestCollectHeartbeats: a record that waits says so, for as long as it waits, with the counters of the attempts before.
func TestCollectHeartbeats(t *testing.T) {
	c := newCollecting(answers(success))
	tr := &trial{heartbeat: 3 * time.Millisecond, number: 2, before: collection.AttemptProgress{Ended: 1, Requests: 1, Waiting: "permit"}}
	var beat collection.AttemptProgress
	c.permits.acquire = func(ctx context.Context) error {
		before := len(tr.heard()) + 1 // one may be on its way that says nothing of this wait
		for len(tr.heard()) <= before {
			time.Sleep(time.Millisecond)
		}
		beat = tr.heard()[before].(collection.AttemptProgress)
		return nil
	}
	out, err := c.attempt(t, tr)
	require.NoError(t, err)
	require.Equal(t, 2, out.Attempts)
	require.Equal(t, collection.AttemptProgress{Ended: 1, Requests: 1, Waiting: "permit"}, counters(beat))
	heard := len(tr.heard())
	time.Sleep(10 * time.Millisecond)
	require.Len(t, tr.heard(), heard, "the heartbeat ends with the attempt")
}

// TestCollectPanics: a permit is given back whatever happens in between, and the record ends for a person to look at.
func TestCollectPanics(t *testing.T) {
	c := newCollecting(func(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation) {
		panic("a bug in a library")
	})
	_, err := c.attempt(t, &trial{})
	requireFinal(t, err, collection.ReasonInternal, "the collector panicked: a bug in a library")
}
