package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// counting is a target that is asked n times and always has the page.
func counting(n *int) fetchFunc {
	return func(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation) {
		*n++
		return page("<h1>A</h1>"), success
	}
}

// TestCollectInsists: what was fetched is written again for a while, with the body in hand and the permit given back, before it
// is thrown away (E14, N03): the target is not asked for it a second time.
func TestCollectInsists(t *testing.T) {
	for _, failing := range []trouble{{refuse: errOutage}, {lose: errOutage}} {
		for failures := 1; failures <= len(storeWaits); failures++ {
			asked := 0
			c := newCollecting(counting(&asked))
			left := failures
			c.watch(func(_ int, _, _ string) trouble {
				if left > 0 {
					left--
					return failing
				}
				return trouble{}
			})
			out, err := c.attempt(t, &trial{})
			require.NoError(t, err)
			require.Equal(t, 1, out.Attempts)
			require.Equal(t, 1, asked)
			require.Equal(t, storeWaits[:failures], c.paused)
			require.Len(t, c.store.dump(t), 2)
		}
	}
}

// TestCollectStoreFails: a response that cannot be kept is no success, the target is charged nothing, and each attempt that
// fails so waits longer than the one before: what it fetches is thrown away.
func TestCollectStoreFails(t *testing.T) {
	for _, failing := range []string{"store the raw body", "store what is known of the raw body"} {
		asked := 0
		c := newCollecting(counting(&asked))
		down := true
		c.watch(func(_ int, op, key string) trouble {
			if down && (op == "Create" || strings.HasPrefix(failing, "store what")) && (op == "Create") == (failing == "store the raw body") {
				return trouble{refuse: errOutage}
			}
			return trouble{}
		})
		tr := &trial{}
		last := time.Duration(0)
		for n := 1; n <= 6; n++ {
			_, err := c.attempt(t, tr)
			f := requireTransient(t, err, collection.ReasonStoreUnavailable, failing, errOutage.Error())
			require.Greater(t, f.after, min(last, 29*time.Second), "the waits grow")
			require.Equal(t, n, f.Attempts)
			last = f.after
			require.Zero(t, tr.progress(t).Faults)
			require.Equal(t, n, tr.progress(t).Unstored)
			tr = tr.next(t)
		}
		require.Equal(t, 6, asked)
		down = false
		out, err := c.attempt(t, tr)
		require.NoError(t, err)
		require.Equal(t, 7, out.Attempts)
		require.Len(t, c.store.dump(t), 2)
		require.Len(t, c.metrics.started, 1)
	}
}

// TestCollectDeniedByTheStore: a store that denies access is not asked again and again with a body in hand: a person must act.
func TestCollectDeniedByTheStore(t *testing.T) {
	asked := 0
	c := newCollecting(counting(&asked))
	c.watch(func(int, string, string) trouble { return trouble{refuse: collection.ErrStoreDenied} })
	_, err := c.attempt(t, &trial{})
	require.GreaterOrEqual(t, requireTransient(t, err, collection.ReasonStoreUnavailable).after, deniedRetry)
	require.Empty(t, c.paused)
}

// TestCollectStoreFailsForGood: a store that stays away ends the record by the time that its source gives it.
func TestCollectStoreFailsForGood(t *testing.T) {
	asked := 0
	c := newCollecting(counting(&asked))
	c.watch(func(int, string, string) trouble { return trouble{refuse: errOutage} })
	c.now = accepted.Add(24*time.Hour - time.Millisecond)
	_, err := c.attempt(t, &trial{})
	requireFinal(t, err, collection.ReasonExpired, "store_unavailable")
}

// TestCollectInsistsUntilTheWorkerStops: a worker that is told to stop does not wait for its store.
func TestCollectInsistsUntilTheWorkerStops(t *testing.T) {
	asked := 0
	c := newCollecting(counting(&asked))
	c.watch(func(int, string, string) trouble { return trouble{refuse: errOutage} })
	stop := make(chan struct{})
	c.Pause = func(ctx context.Context, _ time.Duration) error {
		close(stop)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	_, err := c.attempt(t, &trial{stop: stop})
	requireTransient(t, err, collection.ReasonStoreUnavailable, errOutage.Error())
	require.Equal(t, 1, c.store.count())
}

// TestStoreGate: while a process's store takes nothing, one record at a time finds out whether it does again; the others ask no
// target meanwhile.
func TestStoreGate(t *testing.T) {
	var g storeGate
	ctx := t.Context()
	leave, may := g.enter()
	require.True(t, may)
	leave()

	g.wrote(ctx, errOutage)
	require.False(t, g.shut(), "somebody has to try")
	leave, may = g.enter()
	require.True(t, may)
	require.True(t, g.shut())
	_, may = g.enter()
	require.False(t, may)
	leave()
	leave()
	_, may = g.enter()
	require.True(t, may, "the try has ended and told nothing")
	g.wrote(ctx, nil)
	for range 3 {
		_, may = g.enter()
		require.True(t, may)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	g.wrote(ended, errOutage)
	require.False(t, g.down, "who broke off says nothing of the store")
	g.wrote(ctx, &collection.ConflictError{})
	require.False(t, g.down, "it has answered")
	g.wrote(ctx, collection.ErrStoreDenied)
	require.True(t, g.down)
}

// TestCollectNothingForAStoreThatIsDown: a record whose process has another one trying the store makes no request.
func TestCollectNothingForAStoreThatIsDown(t *testing.T) {
	asked := 0
	c := newCollecting(counting(&asked))
	c.gate.wrote(t.Context(), errOutage)
	leave, _ := c.gate.enter()
	tr := &trial{}
	_, err := c.attempt(t, tr)
	f := requireTransient(t, err, collection.ReasonStoreUnavailable, "nothing more is requested")
	require.Zero(t, f.Attempts)
	require.Nil(t, f.FirstRequestAt)
	require.Zero(t, asked)
	_, granted := c.permits.state()
	require.Zero(t, granted, "nor is a permit taken from others")

	// Also where the other has begun while this one waited for its permit.
	leave()
	c.permits.acquire = func(context.Context) error {
		leave, _ = c.gate.enter()
		return nil
	}
	_, err = c.attempt(t, tr.next(t))
	requireTransient(t, err, collection.ReasonStoreUnavailable, "nothing more is requested")
	require.Zero(t, asked)

	leave()
	c.permits.acquire = nil
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, 1, out.Attempts)
	require.False(t, c.gate.down || c.gate.trying)
}

// TestCollectCountsRequestsThatGoOut: an attempt that ends before anything has gone out has made no request, and is no start
// of its record (I10).
func TestCollectCountsRequestsThatGoOut(t *testing.T) {
	c := newCollecting(nil)
	c.Fetcher = mute{failure.Observation{Transport: failure.TransportSecretUnavailable, Message: "secret header \"X\" could not be resolved"}}
	tr := &trial{}
	_, err := c.attempt(t, tr)
	f := requireTransient(t, err, collection.ReasonStoreUnavailable, "could not be resolved")
	require.Zero(t, f.Attempts)
	require.Nil(t, f.FirstRequestAt)
	require.Zero(t, f.Trail.Attempts[0].Took)
	require.Zero(t, tr.progress(t).Requests)
	require.Nil(t, tr.progress(t).FirstRequestAt)
	require.Empty(t, c.metrics.started)

	c.Fetcher = answers(success)
	c.now = c.now.Add(time.Minute)
	out, err := c.attempt(t, tr.next(t))
	require.NoError(t, err)
	require.Equal(t, 1, out.Attempts)
	require.Equal(t, c.now, *out.FirstRequestAt)
	require.Len(t, c.metrics.started, 1)
}

// mute is a fetcher that ends before anything goes out.
type mute struct{ seen failure.Observation }

func (m mute) Fetch(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation) {
	return nil, m.seen
}
func (mute) Target(_ collection.Source, rec collection.Record) (string, error) { return rec.URL, nil }
func (mute) Fingerprint(collection.Source, collection.Record) (string, error)  { return "", nil }

// TestCollectCancelledTellsItsStory: what a cancelled attempt and those before it have done is in the cancellation's details.
func TestCollectCancelledTellsItsStory(t *testing.T) {
	ctx, cancel := stoppable(t)
	c := newCollecting(answers(broken500))
	tr := &trial{}
	_, err := c.attempt(t, tr)
	requireTransient(t, err, collection.ReasonServerError)
	first := c.now
	c.now = c.now.Add(time.Minute)
	c.Fetcher = untilCancelled(func() { cancel(temporal.NewCanceledError()) })
	next := tr.next(t)
	next.ctx = ctx
	_, err = c.attempt(t, next)
	var cancelled *temporal.CanceledError
	require.True(t, errors.As(err, &cancelled), "%v", err)
	var told collection.AttemptFailure
	require.NoError(t, cancelled.Details(&told))
	require.Equal(t, 2, told.Attempts)
	require.Equal(t, first, *told.FirstRequestAt)
	require.Len(t, told.Trail.Attempts, 2)
	require.Equal(t, collection.ReasonServerError, told.Trail.Attempts[0].Reason)
	require.Equal(t, collection.ReasonCancelled, told.Trail.Attempts[1].Reason)
}

// TestCollectSaysWhatBrokeItOff: an attempt without a request says what it had waited for; only a worker that stops says so.
func TestCollectSaysWhatBrokeItOff(t *testing.T) {
	c := newCollecting(answers(success))
	c.Robots = robots{check: func(string) (collection.RobotsDecision, error) {
		return collection.RobotsDecision{}, errors.New("robots.txt: there was no share of the pace for it")
	}}
	_, err := c.attempt(t, &trial{})
	f := requireTransient(t, err, collection.ReasonLeaseLost, "no share of the pace")
	require.NotContains(t, f.Detail, "stopped")
	require.NotNil(t, f.Trail)
}

// TestCollectRoomIsBounded: a body for which there is no room in time is left, and its record tried again, uncharged.
func TestCollectRoomIsBounded(t *testing.T) {
	c := newCollecting(func(ctx context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		err := via.Room(ctx, 5<<20)
		require.ErrorIs(t, err, errNoRoom)
		return nil, failure.Observation{Transport: failure.TransportCancelled, Message: err.Error()}
	})
	c.Memory = impatient{}
	tr := &trial{}
	_, err := run(t, tr, c.Collect, collectInput)
	requireTransient(t, err, collection.ReasonLeaseLost, "worker.body_memory")
	require.Zero(t, tr.progress(t).Faults)
	require.Empty(t, tr.progress(t).Waiting)
}

// impatient is memory that is all taken, whose waits are over at once, if they are bounded.
type impatient struct{}

func (impatient) Acquire(ctx context.Context, _ int64) (int64, error) {
	deadline, ok := ctx.Deadline()
	if !ok || time.Until(deadline) > roomPatience {
		return 0, errors.New("it may wait for ever")
	}
	return 0, context.DeadlineExceeded
}

func (impatient) Release(int64) {}

// TestCollectOutlivesASilentWrite: a write that the store's client has ended after a long silence is one that may pass, is the
// caller's own end to nobody, and does not use up the patience with the next: the connection may have been dead.
func TestCollectOutlivesASilentWrite(t *testing.T) {
	asked, silent := 0, 1
	c := newCollecting(counting(&asked))
	c.watch(func(_ int, op, _ string) trouble {
		if op == "Create" && silent > 0 {
			silent--
			c.now = c.now.Add(time.Minute)
			return trouble{refuse: fmt.Errorf("create object: %w", context.DeadlineExceeded)}
		}
		return trouble{}
	})
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, 1, out.Attempts)
	require.Equal(t, storeWaits[:1], c.paused)
	require.False(t, c.gate.down)

	// One that stays silent is left after a second look, and is the store's fault.
	silent = 100
	c.paused = nil
	_, err = c.attempt(t, &trial{})
	f := requireTransient(t, err, collection.ReasonStoreUnavailable, "store the raw body", "deadline exceeded")
	require.NotZero(t, f.after)
	require.Equal(t, storeWaits[:1], c.paused)
	require.True(t, c.gate.down)
}
