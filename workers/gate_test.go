package workers

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// visitor is somebody who has asked to be let in.
type visitor struct {
	cancel context.CancelFunc
	answer chan error
}

// ask lets somebody ask, and returns once they are in or stand in the queue.
func ask(t rapid.TB, g *gate) *visitor {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	v := &visitor{cancel: cancel, answer: make(chan error, 1)}
	before := known(g)
	go func() { v.answer <- g.enter(ctx) }()
	for deadline := time.Now().Add(10 * time.Second); known(g) == before; time.Sleep(10 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody stands at the gate")
		}
	}
	return v
}

// known is how many are inside or wait.
func known(g *gate) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside + g.waiting.Len()
}

func (v *visitor) gets(t rapid.TB, want error) {
	t.Helper()
	select {
	case err := <-v.answer:
		if err != want {
			t.Fatalf("got %v, want %v", err, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("got no answer")
	}
}

func (v *visitor) waits(t rapid.TB) {
	t.Helper()
	select {
	case err := <-v.answer:
		t.Fatalf("got %v, and should wait", err)
	default:
	}
}

func TestGateServesInOrder(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	ask(t, g).gets(t, nil)
	queue := []*visitor{ask(t, g), ask(t, g), ask(t, g)}
	for i, v := range queue {
		for _, later := range queue[i:] {
			later.waits(t)
		}
		g.leave()
		v.gets(t, nil)
	}
}

func TestGateIsResized(t *testing.T) {
	t.Parallel()
	g := newGate(0)
	a, b, c := ask(t, g), ask(t, g), ask(t, g)
	a.waits(t)
	g.resize(2)
	a.gets(t, nil)
	b.gets(t, nil)
	c.waits(t)

	g.resize(1)
	g.leave()
	c.waits(t) // one of two has left, and one is all that may be inside
	inside, size := g.load()
	require.Equal(t, [2]int{1, 1}, [2]int{inside, size})
	g.leave()
	c.gets(t, nil)
}

func TestGateForgetsThoseWhoTurnAway(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	ask(t, g).gets(t, nil)
	a, b := ask(t, g), ask(t, g)
	a.cancel()
	a.gets(t, context.Canceled)
	g.leave()
	b.gets(t, nil)
	g.leave()
	require.Zero(t, known(g))
}

// TestGateAgainstModel plays any sequence of events against a queue on paper.
func TestGateAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(0, 4).Draw(rt, "size")
		g := newGate(size)
		inside := 0
		var queue []*visitor
		admit := func() {
			for inside < size && len(queue) > 0 {
				queue[0].gets(rt, nil)
				queue = queue[1:]
				inside++
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"enter": func(rt *rapid.T) {
				queue = append(queue, ask(rt, g))
				admit()
			},
			"leave": func(rt *rapid.T) {
				if inside == 0 {
					rt.Skip("nobody is inside")
				}
				g.leave()
				inside--
				admit()
			},
			"resize": func(rt *rapid.T) {
				size = rapid.IntRange(0, 4).Draw(rt, "to")
				g.resize(size)
				admit()
			},
			"turn away": func(rt *rapid.T) {
				if len(queue) == 0 {
					rt.Skip("nobody waits")
				}
				i := rapid.IntRange(0, len(queue)-1).Draw(rt, "who")
				queue[i].cancel()
				queue[i].gets(rt, context.Canceled)
				queue = append(queue[:i:i], queue[i+1:]...)
			},
			"": func(rt *rapid.T) {
				gotInside, gotSize := g.load()
				if gotInside != inside || gotSize != size || known(g) != inside+len(queue) {
					rt.Fatalf("%d of %d inside and %d known; want %d of %d and %d", gotInside, gotSize, known(g), inside, size, inside+len(queue))
				}
				for _, v := range queue {
					v.waits(rt)
				}
			},
		})
		for _, v := range queue {
			v.cancel()
		}
	})
}

// TestGateUnderLoad has many come and go and turn away at once, while the size changes: never are more inside than the
// largest size, and in the end nobody is lost.
func TestGateUnderLoad(t *testing.T) {
	t.Parallel()
	const largest, visitors, visits = 5, 40, 100
	g := newGate(largest)
	var inside, peak, entered atomic.Int64
	stop := make(chan struct{})
	resized := make(chan struct{})
	go func() {
		defer close(resized)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond):
				g.resize(1 + n%largest)
			}
		}
	}()
	var all sync.WaitGroup
	for range visitors {
		all.Go(func() {
			for range visits {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(2000))*time.Microsecond)
				if g.enter(ctx) == nil {
					now := inside.Add(1)
					entered.Add(1)
					for old := peak.Load(); now > old && !peak.CompareAndSwap(old, now); old = peak.Load() {
					}
					time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
					inside.Add(-1)
					g.leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	close(stop)
	<-resized
	require.LessOrEqual(t, peak.Load(), int64(largest))
	require.NotZero(t, entered.Load())
	require.Zero(t, known(g))
	require.NoError(t, g.enter(t.Context()))
}
