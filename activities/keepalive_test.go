package activities

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// probe is an activity that does one thing with its attempt and ends with an error.
func probe(do func(a *attempt) error) func(context.Context, string) (string, error) {
	return func(ctx context.Context, _ string) (string, error) {
		a := begin(ctx)
		return "", a.end(do(a))
	}
}

// TestAttemptCounts: how many workers were lost is the difference between the attempts that were and those that ended.
func TestAttemptCounts(t *testing.T) {
	for _, c := range []struct {
		number int
		before any
		lost   int
	}{
		{1, nil, 0},
		{2, nil, 1},
		{4, nil, 3},
		{2, collection.AttemptProgress{Ended: 1}, 0},
		{5, collection.AttemptProgress{Ended: 2}, 2},
		{5, collection.AttemptProgress{}, 4},
		// More ended than there were: never negative.
		{2, collection.AttemptProgress{Ended: 7}, 0},
		{6, "not counters", 0},
		{6, []int{1}, 0},
	} {
		tr := &trial{number: c.number, before: c.before}
		_, err := run(t, tr, probe(func(a *attempt) error {
			require.Equal(t, c.lost, a.lost, "%+v", c)
			return errors.New("an end")
		}), "")
		require.ErrorContains(t, err, "an end")
		require.Equal(t, max(c.number, 1), tr.progress(t).Ended)
	}
}

// TestAttemptCarriesOver: what one attempt counted, the next one finds; nothing is told when all went well.
func TestAttemptCarriesOver(t *testing.T) {
	tr := &trial{}
	for n := 1; n <= 3; n++ {
		_, err := run(t, tr, probe(func(a *attempt) error {
			require.Equal(t, n-1, a.snapshot().Requests)
			require.Empty(t, a.snapshot().Waiting)
			a.update(func(p *collection.AttemptProgress) { p.Requests++; p.Waiting = "permit" })
			return transient(collection.ReasonReset, 0, collection.AttemptFailure{}, nil)
		}), "")
		requireTransient(t, err, collection.ReasonReset)
		require.Equal(t, collection.AttemptProgress{Ended: n, Requests: n}, tr.progress(t))
		tr = tr.next(t)
	}
	_, err := run(t, tr, probe(func(*attempt) error { return nil }), "")
	require.NoError(t, err)
	require.Empty(t, tr.heard())
}

// TestAttemptBeats: the heartbeat goes on by itself, and brings what was counted last.
func TestAttemptBeats(t *testing.T) {
	tr := &trial{heartbeat: 3 * time.Millisecond}
	_, err := run(t, tr, probe(func(a *attempt) error {
		for i := 1; i <= 3; i++ {
			a.update(func(p *collection.AttemptProgress) { p.Requests = i })
			for heard := len(tr.heard()); len(tr.heard()) < heard+2; {
				time.Sleep(time.Millisecond)
			}
		}
		return nil
	}), "")
	require.NoError(t, err)
	beats := tr.heard()
	require.GreaterOrEqual(t, len(beats), 6)
	require.Equal(t, 3, beats[len(beats)-1].(collection.AttemptProgress).Requests)
}

// TestAttemptKiller: three lost workers in a row, and not two.
func TestAttemptKiller(t *testing.T) {
	first := accepted
	for lost := range 5 {
		a := &attempt{lost: lost, progress: collection.AttemptProgress{Requests: 4, FirstRequestAt: &first}}
		err := a.killer()
		if lost < 3 {
			require.NoError(t, err)
			continue
		}
		f := requireFinal(t, err, collection.ReasonWorkerKiller, fmt.Sprintf("%d workers were lost", lost))
		require.Equal(t, 4, f.Attempts)
		require.Equal(t, &first, f.FirstRequestAt)
	}
}

// TestAttemptContested: only the same trouble again and again is a conflict.
func TestAttemptContested(t *testing.T) {
	a := &attempt{progress: collection.AttemptProgress{Reason: collection.ReasonReset, InARow: 40}}
	for range maxContested - 1 {
		requireTransient(t, a.contested("crossed"), collection.ReasonStoreUnavailable, "crossed")
	}
	requireFinal(t, a.contested("crossed"), collection.ReasonDeliveryConflict, "crossed")
}

// TestAttemptStopped: whose wish the end was decides what is made of it.
func TestAttemptStopped(t *testing.T) {
	for name, c := range map[string]struct {
		cause error
		check func(err error)
	}{
		"cancelled": {temporal.NewCanceledError(), func(err error) { requireCancelled(t, err) }},
		"shutdown":  {errors.New("worker is stopping"), func(err error) { requireTransient(t, err, collection.ReasonLeaseLost) }},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := stoppable(t)
			tr := &trial{ctx: ctx}
			_, err := run(t, tr, probe(func(*attempt) error {
				cancel(c.cause)
				<-ctx.Done()
				return final(collection.ReasonInternal, collection.AttemptFailure{Detail: "broken off in the middle"}, nil)
			}), "")
			c.check(err)
			require.Equal(t, 1, tr.progress(t).Ended, "a stopped attempt is no lost worker")
		})
	}
}

// TestUntilStop: waiting ends with the worker's first word, work does not.
func TestUntilStop(t *testing.T) {
	stop := make(chan struct{})
	tr := &trial{stop: stop}
	_, err := run(t, tr, probe(func(a *attempt) error {
		waiting, done := a.untilStop()
		defer done()
		require.NoError(t, waiting.Err())
		close(stop)
		<-waiting.Done()
		require.ErrorIs(t, context.Cause(waiting), errStopping)
		require.NoError(t, a.ctx.Err())

		again, over := a.untilStop()
		<-again.Done()
		over()
		return nil
	}), "")
	require.NoError(t, err)

	_, err = run(t, &trial{stop: make(chan struct{})}, probe(func(a *attempt) error {
		waiting, done := a.untilStop()
		done()
		<-waiting.Done()
		require.NotErrorIs(t, context.Cause(waiting), errStopping)
		return nil
	}), "")
	require.NoError(t, err)
}
