package guard_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots/guard"
)

// gate is a fetch that is held until the test lets it go.
type gate struct {
	open    chan struct{}
	started atomic.Int32
	ended   atomic.Int32
}

func (h *gate) fetch(ctx context.Context, _ string) (guard.Answer, error) {
	h.started.Add(1)
	defer h.ended.Add(1)
	select {
	case <-h.open:
		return guard.Answer{Status: 200, Body: []byte(closedX)}, nil
	case <-ctx.Done():
		return guard.Answer{}, ctx.Err()
	}
}

func held(t testing.TB) (*gate, *guard.Guard) {
	t.Helper()
	h := &gate{open: make(chan struct{})}
	o := newWeb().options()
	o.Fetch = h.fetch
	return h, build(t, o)
}

func TestOneFetchForAllWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, g := held(t)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				_, err := g.Check(t.Context(), shop+"/x")
				var refused *collection.Refused
				if assert.ErrorAs(t, err, &refused) {
					assert.Equal(t, collection.ReasonRobotsDenied, refused.Reason)
				}
			})
		}
		synctest.Wait()
		close(h.open)
		all.Wait()
		require.EqualValues(t, 1, h.started.Load())
	})
}

// TestOneWhoLeavesFailsNobody: the one who started the fetch goes; the others get their answer.
func TestOneWhoLeavesFailsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, g := held(t)
		first, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			_, err := g.Check(first, shop+"/y")
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		for range 3 {
			all.Go(func() {
				d, err := g.Check(t.Context(), shop+"/y")
				assert.NoError(t, err)
				assert.True(t, d.Allowed)
			})
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		require.Zero(t, h.ended.Load())
		close(h.open)
		all.Wait()
		require.EqualValues(t, 1, h.started.Load())
	})
}

// TestNobodyWaitsAnyMore: then the fetch ends, nothing is concluded, and the next one who comes starts another.
func TestNobodyWaitsAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, g := held(t)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				_, err := g.Check(ctx, shop+"/y")
				assert.ErrorIs(t, err, context.Canceled)
			})
		}
		synctest.Wait()
		cancel()
		all.Wait()
		synctest.Wait()
		require.EqualValues(t, 1, h.ended.Load())
		close(h.open)
		_, err := g.Check(t.Context(), shop+"/y")
		require.NoError(t, err)
		require.EqualValues(t, 2, h.started.Load())
	})
}

func TestOneSlowSiteHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := &gate{open: make(chan struct{})}, newWeb()
		o := w.options()
		o.Fetch = func(ctx context.Context, origin string) (guard.Answer, error) {
			if origin == shop {
				return h.fetch(ctx, origin)
			}
			return w.fetch(ctx, origin)
		}
		g := build(t, o)
		var all sync.WaitGroup
		all.Go(func() {
			_, err := g.Check(t.Context(), shop+"/y")
			assert.NoError(t, err)
		})
		synctest.Wait()
		_, err := g.Check(t.Context(), "https://other.example/")
		require.NoError(t, err)
		close(h.open)
		all.Wait()
	})
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	w := newWeb()
	g := w.guard(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.Check(ctx, shop+"/y")
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, w.asked)
}

// TestBrokenOffSaysNothingOfTheSite: what our own side broke off is no refusal and is not remembered.
func TestBrokenOffSaysNothingOfTheSite(t *testing.T) {
	t.Parallel()
	lost := errors.New("the lease was lost")
	for _, err := range []error{fmt.Errorf("%w: %w", guard.ErrBrokenOff, lost), context.Canceled} {
		w := newWeb()
		w.fail(err)
		g := w.guard(t)
		_, got := g.Check(t.Context(), shop+"/y")
		require.ErrorIs(t, got, guard.ErrBrokenOff)
		require.Equal(t, errors.Is(err, lost), errors.Is(got, lost), "what it was stays to be asked for")
		require.NotErrorIs(t, got, context.Canceled, "it is not the caller who was cancelled")
		var refused *collection.Refused
		require.False(t, errors.As(got, &refused))
		w.fail(nil)
		_, got = g.Check(t.Context(), shop+"/y")
		require.NoError(t, got)
	}
}

// TestWhatBecomesOfAnyRequest: a fetch that ends as any request to the origin would gives that to all who wait, as it is. It
// is not remembered: who asks again finds out anew, and what is known of the site serves on.
func TestWhatBecomesOfAnyRequest(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.fail(&collection.Refused{Reason: collection.ReasonDNSNotFound, Detail: "no such host"})
	g := w.guard(t)
	for n := range 3 {
		d, err := g.Check(t.Context(), shop+"/y")
		require.Equal(t, "no such host", requireRefused(t, err, collection.ReasonDNSNotFound))
		require.NotErrorIs(t, err, guard.ErrBrokenOff)
		require.Equal(t, collection.RobotsDecision{Why: "unreachable"}, d)
		require.Equal(t, n+1, w.count(shop))
		_, known, _ := g.Known(shop + "/y")
		require.False(t, known)
	}
	require.Empty(t, w.reads)
	w.set(shop, 200, closedX)
	_, err := g.Check(t.Context(), shop+"/y")
	require.NoError(t, err)
}

type whose struct{}

// TestBrokenOffByOneIsTriedAgainForTheOthers: a fetch may depend on the one who started it, on its permit for instance.
// They try once more, and not for ever.
func TestBrokenOffByOneIsTriedAgainForTheOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lost    string
		fetches int32
		failed  int32
	}{{"first", 2, 1}, {"all", 2, 4}} {
		synctest.Test(t, func(t *testing.T) {
			h := &gate{open: make(chan struct{})}
			o := newWeb().options()
			o.Fetch = func(ctx context.Context, origin string) (guard.Answer, error) {
				answer, err := h.fetch(ctx, origin)
				if c.lost == "all" || ctx.Value(whose{}) == c.lost {
					return answer, fmt.Errorf("%w: no permit", guard.ErrBrokenOff)
				}
				return answer, err
			}
			g := build(t, o)
			var all sync.WaitGroup
			var failed atomic.Int32
			for _, name := range []string{"first", "other", "other", "other"} {
				all.Go(func() {
					if _, err := g.Check(context.WithValue(t.Context(), whose{}, name), shop+"/y"); err != nil {
						assert.ErrorIs(t, err, guard.ErrBrokenOff)
						failed.Add(1)
					}
				})
				synctest.Wait()
			}
			close(h.open)
			all.Wait()
			require.GreaterOrEqual(t, h.started.Load(), c.fetches)
			require.LessOrEqual(t, h.started.Load(), int32(4))
			require.Equal(t, c.failed, failed.Load())
		})
	}
}

func TestTimeoutIsTheSitesFault(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.fail(fmt.Errorf("get: %w", context.DeadlineExceeded))
	_, err := w.guard(t).Check(t.Context(), shop+"/y")
	requireRefused(t, err, collection.ReasonRobotsUnreachable)
}

func TestPanicReachesThoseWhoWait(t *testing.T) {
	t.Parallel()
	o := newWeb().options()
	o.Fetch = func(context.Context, string) (guard.Answer, error) { panic("boom") }
	_, err := build(t, o).Check(t.Context(), shop+"/y")
	require.ErrorIs(t, err, guard.ErrBrokenOff)
	require.ErrorContains(t, err, "boom")
}

// TestManyAtOnce is for the race detector: checks, leavers and a small cache.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.set("https://s3.example", 503, "")
	w.set("https://s4.example", 200, closedX)
	o := w.options()
	o.Cache = guard.NewCache(2 * 600)
	g := build(t, o)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if (n+i)%5 == 0 {
					go cancel()
				}
				origin := fmt.Sprintf("https://s%d.example", (n*i)%6)
				d, err := g.Check(ctx, origin+"/y")
				assert.Equal(t, err == nil, d.Allowed)
				_, _, _ = g.Known(origin + "/x")
				cancel()
			}
		})
	}
	all.Wait()
}
