package workers

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/lease"
)

// supply is the endless work of one source, which comes after a time, and how long each of its requests takes. They differ a
// little, so that room comes at no particular time.
type supply struct {
	source  string
	ceiling int
	after   time.Duration
	takes   func(n int) time.Duration
}

// between takes from the first to the second time, in eleven steps.
func between(least, most time.Duration) func(n int) time.Duration {
	return func(n int) time.Duration { return least + (most-least)*time.Duration(n*7%11)/10 }
}

// worked is what a process has done in ten minutes.
type worked struct {
	served   map[string]int
	renewals int
}

// work lets a process work as its SDK workers do: a slot, a collect, its permit. It renews as the renewer does.
func work(t *testing.T, process int, supplies ...supply) worked {
	var sources []lease.SourceConfig
	for _, l := range supplies {
		sources = append(sources, lease.SourceConfig{Source: l.source, Ceiling: l.ceiling})
	}
	r := leaseOf(t, process, sources...)
	ctx, cancel := context.WithCancel(t.Context())
	w := worked{served: map[string]int{}}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, l := range supplies {
		all.Go(func() {
			sleep(ctx, l.after)
			for n := 0; r.slots(l.source).enter(ctx) == nil; n++ {
				all.Go(func() {
					defer r.slots(l.source).leave()
					permit, err := r.Acquire(ctx, l.source)
					if err != nil {
						return
					}
					defer permit.Release()
					sleep(ctx, l.takes(n))
					mu.Lock()
					defer mu.Unlock()
					w.served[l.source]++
				})
			}
		})
	}
	renewer := &renewer{permits: r.Permits}
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); w.renewals++ {
		began := time.Now()
		r.renew()
		require.True(t, renewer.pause(ctx, began))
	}
	mu.Lock()
	served := w.served
	w.served = map[string]int{}
	mu.Unlock()
	cancel()
	all.Wait()
	synctest.Wait()
	r.requireEmpty()
	return worked{served, w.renewals}
}

// TestAFullProcessServesEverySource: a slow source with much work fills the process. One whose work comes later gets its turns
// all the same, and so it does when it was there first.
func TestAFullProcessServesEverySource(t *testing.T) {
	for name, after := range map[string]struct{ slow, books time.Duration }{
		"the slow one first": {0, 65 * time.Second}, "the slow one later": {65 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := work(t, 20,
					supply{"slow", 100, after.slow, between(10*time.Second, 30*time.Second)},
					supply{"books", 4, after.books, between(100*time.Millisecond, 300*time.Millisecond)})
				t.Logf("served %v with %d renewals", w.served, w.renewals)
				require.Greater(t, w.served["books"], 300)
				require.Greater(t, w.served["slow"], 400)
			})
		})
	}
}

// TestAFullProcessRenewsNoMoreOften than one with room: every five seconds, and not with every collect that finds no permit.
func TestAFullProcessRenewsNoMoreOften(t *testing.T) {
	for name, process := range map[string]int{"full": 20, "with room": 200} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := work(t, process, supply{"books", 100, 0, between(500*time.Millisecond, 1500*time.Millisecond)})
				t.Logf("served %v with %d renewals", w.served, w.renewals)
				require.Less(t, w.renewals, 150)
				require.Greater(t, w.served["books"], min(process, 100)*590*9/10)
			})
		})
	}
}
