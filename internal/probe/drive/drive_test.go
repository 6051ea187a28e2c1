package drive_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/probe"
	"github.com/weir-collect/weir/internal/probe/drive"
)

// wall is the clock of a bubble, in which time passes when everybody waits.
type wall struct{}

func (wall) Now() time.Time                         { return time.Now() }
func (wall) After(d time.Duration) <-chan time.Time { return time.After(d) }

// world is a source, and the fleet's permits for it.
type world struct {
	mu sync.Mutex
	// grant is what the lease gives; granted tells when.
	grant lease.Grant
	// inFlight is how many requests are at the source, most the largest number, requests all of them.
	inFlight, most, requests int
	reported                 map[collection.Reason]int
	asked                    map[string]int
	cancel                   context.CancelCauseFunc
	// answer says what a request meets; inFlight counts itself.
	answer func(inFlight, requests int) (drive.Answer, time.Duration)
}

func (w *world) Acquire(ctx context.Context, source string) (*activities.Permit, error) {
	for ctx.Err() == nil {
		w.mu.Lock()
		if w.grant.Open && w.inFlight < w.grant.Permits {
			w.inFlight++
			w.most = max(w.most, w.inFlight)
			permit, cancel := context.WithCancelCause(context.Background())
			w.cancel = cancel
			method := w.grant.Method
			w.mu.Unlock()
			return &activities.Permit{Context: permit, Method: method, Release: func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.inFlight--
				cancel(nil)
			}}, nil
		}
		w.mu.Unlock()
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
		}
	}
	return nil, fmt.Errorf("wait for a permit of %s: %w", source, ctx.Err())
}

func (w *world) Report(_ string, reason collection.Reason, _ time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reported[reason]++
}

func (w *world) Grant() lease.Grant {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.grant
}

func (w *world) set(change func(*lease.Grant)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.grant)
}

func (w *world) fetch(ctx context.Context, permit *activities.Permit, rec collection.Record) drive.Answer {
	w.mu.Lock()
	w.requests++
	w.asked[permit.Method+rec.URL]++
	answer, took := w.answer(w.inFlight, w.requests)
	w.mu.Unlock()
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return drive.Answer{Reason: collection.ReasonTimeout}
	}
	return answer
}

func newWorld(ceiling int, answer func(inFlight, requests int) (drive.Answer, time.Duration)) *world {
	return &world{
		grant: lease.Grant{Source: "books", Permits: ceiling, Open: true}, answer: answer,
		reported: map[collection.Reason]int{}, asked: map[string]int{},
	}
}

func (w *world) options(steps ...int) drive.Options {
	return drive.Options{
		Source: "books", Targets: []collection.Record{{URL: "/a"}, {URL: "/b"}, {URL: "/c"}}, Steps: steps,
		StepTime: 10 * time.Second, Settle: 5 * time.Second, Permits: w, Grant: w.Grant, Fetch: w.fetch, Clock: wall{},
		Allow: func(context.Context, collection.Record) error { return nil },
	}
}

// fine answers in a tenth of a second, however many ask.
func fine(int, int) (drive.Answer, time.Duration) { return drive.Answer{}, 100 * time.Millisecond }

func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

func concurrencies(r drive.Result) []int {
	var all []int
	for _, s := range r.Steps {
		all = append(all, s.Concurrency)
	}
	return all
}

func TestClimbs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(8, fine)
		o := w.options(1, 2, 4, 8)
		var begun, ended []int
		o.Began = func(c int) { begun = append(begun, c) }
		o.Ended = func(s probe.Step) { ended = append(ended, s.Concurrency) }
		r, err := drive.Run(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, probe.CauseTop, r.Cause)
		require.Equal(t, []int{1, 2, 4, 8}, concurrencies(r))
		require.Equal(t, begun, ended)
		require.Equal(t, 8, w.most, "never more than the step says")
		require.Zero(t, w.inFlight)
		for _, s := range r.Steps {
			require.InDelta(t, 10*s.Concurrency, s.PerSecond, 0.3*float64(s.Concurrency))
			require.InDelta(t, float64(s.Concurrency), s.InFlight, 0.3*float64(s.Concurrency))
			require.InDelta(t, 0.1, s.P50, 0.01)
		}
		require.Equal(t, w.requests, w.reported[""], "the fleet learns of every request")
		require.Len(t, w.asked, 3)
		require.InDelta(t, w.asked["/a"], w.asked["/c"], 1, "targets take turns")
	})
}

// TestSaturation: a source that serves two at a time is asked with four, and no more.
func TestSaturation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(32, func(inFlight, _ int) (drive.Answer, time.Duration) {
			return drive.Answer{}, 100 * time.Millisecond * time.Duration(max(inFlight, 2)) / 2
		})
		r, err := drive.Run(t.Context(), w.options(1, 2, 4, 8, 16, 32))
		require.NoError(t, err)
		require.Equal(t, probe.CauseSaturated, r.Cause)
		require.Equal(t, []int{1, 2, 4}, concurrencies(r))
		require.Equal(t, 4, w.most)
		require.Equal(t, 2, probe.Recommend(r.Steps, r.Cause).Ceiling)
	})
}

// TestOneThrottleEndsIt at once: what is under way ends, and nothing else begins.
func TestOneThrottleEndsIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(8, func(inFlight, _ int) (drive.Answer, time.Duration) {
			if inFlight == 4 {
				return drive.Answer{Reason: collection.ReasonThrottled, RetryAfter: time.Minute}, 10 * time.Millisecond
			}
			return drive.Answer{}, 100 * time.Millisecond
		})
		r, err := drive.Run(t.Context(), w.options(1, 2, 4, 8))
		require.NoError(t, err)
		require.Equal(t, probe.CauseThrottled, r.Cause)
		require.Equal(t, []int{1, 2, 4}, concurrencies(r))
		require.LessOrEqual(t, w.reported[collection.ReasonThrottled], 2)
		require.Equal(t, 2, probe.Recommend(r.Steps, r.Cause).Ceiling)
	})
}

// TestFailuresBreakTheStepOff long before its time is over.
func TestFailuresBreakTheStepOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(8, func(inFlight, _ int) (drive.Answer, time.Duration) {
			if inFlight > 2 {
				return drive.Answer{Reason: collection.ReasonServerError}, 10 * time.Millisecond
			}
			return drive.Answer{}, 100 * time.Millisecond
		})
		r, err := drive.Run(t.Context(), w.options(1, 2, 4, 8))
		require.NoError(t, err)
		require.Equal(t, probe.CauseFailing, r.Cause)
		require.Equal(t, []int{1, 2, 4}, concurrencies(r))
		last := r.Steps[2]
		require.Less(t, last.Seconds, 2.0)
		require.LessOrEqual(t, last.InFlight, 4.0, "what ended while it was broken off belongs to its time")
		require.LessOrEqual(t, w.reported[collection.ReasonServerError], 10)
	})
}

// TestNothingGetsThrough: requests that fail on our side end it too, and the caller sees why.
func TestNothingGetsThrough(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(8, func(int, int) (drive.Answer, time.Duration) {
			return drive.Answer{Reason: collection.ReasonPrivateAddress}, time.Microsecond
		})
		r, err := drive.Run(t.Context(), w.options(1, 2))
		require.NoError(t, err)
		require.Equal(t, probe.CauseFailing, r.Cause)
		require.Len(t, r.Steps, 1)
		require.Equal(t, 10, r.Steps[0].Reasons[collection.ReasonPrivateAddress])
	})
}

// TestWaitsForPermits: they come with a renewal, and the waiting is not measured.
func TestWaitsForPermits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(1, fine)
		time.AfterFunc(12*time.Second, func() { w.set(func(g *lease.Grant) { g.Permits = 4 }) })
		r, err := drive.Run(t.Context(), w.options(1, 4))
		require.NoError(t, err)
		require.Equal(t, []int{1, 4}, concurrencies(r))
		require.InDelta(t, 4, r.Steps[1].InFlight, 0.3)
		require.InDelta(t, 10, r.Steps[1].Seconds, 0.2)
	})
}

func TestFleetGivesNoMore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(2, fine)
		r, err := drive.Run(t.Context(), w.options(1, 2, 4))
		require.NoError(t, err)
		require.Equal(t, probe.CausePermits, r.Cause)
		require.Equal(t, []int{1, 2}, concurrencies(r))
		require.Equal(t, 2, w.most, "the ceiling holds")
	})
}

// TestSourceCloses in the middle of a step: somebody pauses it.
func TestSourceCloses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(4, fine)
		time.AfterFunc(15*time.Second, func() { w.set(func(g *lease.Grant) { g.Open, g.Permits = false, 0 }) })
		r, err := drive.Run(t.Context(), w.options(1, 2, 4))
		require.NoError(t, err)
		require.Equal(t, probe.CauseClosed, r.Cause)
		require.Equal(t, []int{1}, concurrencies(r), "half a step is no step")

		began := time.Now()
		r, err = drive.Run(t.Context(), w.options(1, 2, 4))
		require.NoError(t, err)
		require.Equal(t, probe.CauseClosed, r.Cause)
		require.Empty(t, r.Steps)
		require.InDelta(t, 5, time.Since(began).Seconds(), 0.2)
	})
}

// TestLostLease: a request that the lease broke off says nothing of the source.
func TestLostLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(1, func(int, int) (drive.Answer, time.Duration) { return drive.Answer{}, time.Second })
		time.AfterFunc(2500*time.Millisecond, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.cancel(errors.New("the lease has ended"))
		})
		r, err := drive.Run(t.Context(), w.options(1))
		require.NoError(t, err)
		require.Equal(t, 1, r.Steps[0].Ours)
		require.Zero(t, r.Steps[0].Failed)
		require.Zero(t, w.reported[collection.ReasonTimeout], "nor is the fleet told that the source is slow")
	})
}

// TestSlowSource: a step goes on until every request in flight has brought an answer, within reason.
func TestSlowSource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(4, func(int, int) (drive.Answer, time.Duration) { return drive.Answer{}, 15 * time.Second })
		r, err := drive.Run(t.Context(), w.options(2))
		require.NoError(t, err)
		require.Equal(t, 2, r.Steps[0].Requests)
		require.InDelta(t, 15, r.Steps[0].Seconds, 0.2)

		w = newWorld(4, func(int, int) (drive.Answer, time.Duration) { return drive.Answer{}, time.Hour })
		r, err = drive.Run(t.Context(), w.options(2))
		require.NoError(t, err)
		require.InDelta(t, 30, r.Steps[0].Seconds, 0.2)
		require.Equal(t, probe.CauseFailing, r.Cause, "a source that does not answer is not asked harder")
	})
}

func TestInterrupted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(4, fine)
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		r, err := drive.Run(ctx, w.options(1, 2, 4))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, []int{1}, concurrencies(r), "what was measured is not lost")
		require.Zero(t, w.inFlight)
	})
}

// TestRefusedTargets are never asked for.
func TestRefusedTargets(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(4, fine)
		w.grant.Method = "api:"
		o := w.options(2)
		denied := &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: "robots.txt denies /b"}
		o.Allow = func(_ context.Context, rec collection.Record) error {
			if rec.URL == "/b" {
				return denied
			}
			return nil
		}
		r, err := drive.Run(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, 1, r.Refused)
		require.Equal(t, denied, r.Refusal)
		require.Zero(t, w.asked["api:/b"])
		require.Positive(t, w.asked["api:/a"], "by the method that the fleet uses")

		o.Allow = func(context.Context, collection.Record) error { return denied }
		_, err = drive.Run(t.Context(), o)
		require.ErrorIs(t, err, drive.ErrNoTargets)
		require.ErrorContains(t, err, "robots.txt denies /b")

		o.Targets = nil
		_, err = drive.Run(t.Context(), o)
		require.ErrorIs(t, err, drive.ErrNoTargets)

		o.Targets = []collection.Record{{URL: "/a"}}
		o.Allow = func(ctx context.Context, _ collection.Record) error {
			<-ctx.Done()
			return ctx.Err()
		}
		began := time.Now()
		_, err = drive.Run(t.Context(), o)
		require.ErrorIs(t, err, context.DeadlineExceeded, "whoever never answers does not keep the probe")
		require.Equal(t, 65*time.Second, time.Since(began))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o.Allow = func(context.Context, collection.Record) error { return ctx.Err() }
		_, err = drive.Run(ctx, o)
		require.ErrorIs(t, err, context.Canceled)
	})
}
