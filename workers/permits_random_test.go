package workers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/lease"
)

// ceiling is the largest that any of these tests sets.
const ceiling = 4

// step is one thing that happens: to which worker or collect, and how much of it.
type step struct {
	What          string
	Which, Amount int
}

func steps() *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			What: rapid.SampledFrom([]string{
				"collect", "collect", "collect", "end", "end", "end request", "end request", "renew", "renew", "lose the answer", "wait", "wait", "outlast", "set ceiling", "throttle",
			}).Draw(t, "what"),
			Which:  rapid.IntRange(0, 30).Draw(t, "which"),
			Amount: rapid.IntRange(0, ceiling).Draw(t, "amount"),
		}
	}), 1, 60)
}

// TestPermitsAtRandom plays any sequence of events on two workers that share a source: never are more requests in flight
// than the ceiling, a worker starts none beyond what it is granted, and in the end every permit is back.
func TestPermitsAtRandom(t *testing.T) {
	t.Parallel()
	steps := steps()
	rapid.Check(t, func(rt *rapid.T) {
		script, paced := steps.Draw(rt, "script"), rapid.Bool().Draw(rt, "paced")
		process := rapid.IntRange(1, 2*ceiling).Draw(rt, "process")
		var problem error
		synctest.Test(t, func(t *testing.T) {
			p := newPlay(t, paced, process)
			for i, s := range script {
				if problem = p.step(s); problem != nil {
					problem = fmt.Errorf("step %d, %s: %w", i+1, s.What, problem)
					break
				}
			}
			p.stop()
			if problem == nil {
				problem = p.everythingIsBack()
			}
		})
		if problem != nil {
			rt.Fatal(problem)
		}
	})
}

// play is two workers of one source. Their collects end when their permit is broken off, as real ones do.
type play struct {
	table   *lease.Table
	workers []*leased
	collect []*playedCollect
	stop    func()
}

type playedCollect struct {
	// end ends it, endRequest its request alone: what that has brought is in hand until the end.
	end, endRequest context.CancelFunc
	worker          *leased
}

func newPlay(t *testing.T, paced bool, process int) *play {
	source := lease.SourceConfig{Source: "books", Ceiling: ceiling}
	if paced {
		source.Rate = lease.PerSecond(5)
	}
	sources := []lease.SourceConfig{source}
	p := &play{table: aTable(t, sources...)}
	ctx, cancel := context.WithCancel(t.Context())
	for i := range 2 {
		w := leaseFrom(t, p.table, fmt.Sprint("w", i), process, sources)
		w.ctx = ctx
		p.workers = append(p.workers, w)
		go func() {
			ticker := time.NewTicker(watchInterval)
			defer ticker.Stop()
			for ctx.Err() == nil {
				select {
				case <-ticker.C:
					w.lapse()
				case <-ctx.Done():
				}
			}
		}()
	}
	p.stop = func() {
		cancel()
		synctest.Wait()
	}
	return p
}

func (p *play) start(w *leased) {
	ctx, cancel := context.WithCancel(w.ctx)
	request, endRequest := context.WithCancel(ctx)
	p.collect = append(p.collect, &playedCollect{cancel, endRequest, w})
	go func() {
		permit, err := w.Acquire(ctx, "books")
		if err != nil {
			return
		}
		defer permit.Release()
		select {
		case <-permit.Context.Done():
		case <-request.Done():
			permit.EndRequest()
			<-ctx.Done()
		}
	}()
}

// step lets one thing happen, and says what is wrong afterwards.
func (p *play) step(s step) error {
	w := p.workers[s.Which%len(p.workers)]
	before := w.inHand()
	switch s.What {
	case "collect":
		for range s.Amount {
			p.start(w)
		}
	case "end", "end request":
		if len(p.collect) > 0 {
			c := p.collect[s.Which%len(p.collect)]
			before = c.worker.inHand()
			w = c.worker
			if s.What == "end" {
				c.end()
			} else {
				c.endRequest()
			}
		}
	case "renew":
		w.renew()
	case "lose the answer":
		p.table.Renew(time.Now(), w.request())
	case "wait":
		time.Sleep(time.Duration(s.Amount) * time.Second)
	case "outlast":
		time.Sleep(ttl)
	case "set ceiling":
		w.setCeiling("books", s.Amount)
	case "throttle":
		w.Report("books", "throttled", time.Duration(s.Amount)*time.Second)
	}
	synctest.Wait()
	return p.check(w, before)
}

// inHand are the requests in flight.
func (r *leased) inHand() map[*permit]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[*permit]bool{}
	for taken := range r.sources["books"].taken {
		out[taken] = true
	}
	return out
}

func (p *play) check(w *leased, before map[*permit]bool) error {
	sum := 0
	for _, each := range p.workers {
		sum += len(each.inHand())
		if inside, size := each.process.load(); inside > size {
			return fmt.Errorf("%d in hand in a process with room for %d", inside, size)
		}
	}
	if sum > ceiling {
		return fmt.Errorf("%d requests in flight at a ceiling of %d", sum, ceiling)
	}
	if exposed := p.table.View(time.Now())[0].Exposed; sum > exposed {
		return fmt.Errorf("%d requests in flight, and the owner knows of %d", sum, exposed)
	}
	after := w.inHand()
	for taken := range after {
		if !before[taken] && len(after) > w.granted("books") {
			return fmt.Errorf("a request started as number %d of %d granted", len(after), w.granted("books"))
		}
	}
	return nil
}

// everythingIsBack says what was lost once every collect has ended.
func (p *play) everythingIsBack() error {
	for _, w := range p.workers {
		inside, _ := w.process.load()
		if taken, atGate := len(w.inHand()), known(w.sources["books"].gate); taken+atGate+inside+len(w.sources["books"].waiting) > 0 {
			return fmt.Errorf("%d in flight, %d at the gate, %d in the process, %d waiting: something was lost",
				taken, atGate, inside, len(w.sources["books"].waiting))
		}
	}
	return nil
}

// TestPermitsUnderLoad has many collects come and go and turn away at once, on two workers, while ceilings change, answers
// are lost and leases end: never are more in flight than the ceiling, and in the end nothing is lost.
func TestPermitsUnderLoad(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sources := []lease.SourceConfig{{Source: "books", Ceiling: ceiling}}
		table, err := lease.New(lease.Settings{TTL: 100})
		require.NoError(t, err)
		require.NoError(t, table.Configure(time.Now(), sources))
		var owner sync.Mutex
		var inFlight, peak, entered atomic.Int64
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		var workers []*leased
		for i := range 2 {
			w := leaseFrom(t, table, fmt.Sprint("w", i), ceiling, sources)
			workers = append(workers, w)
			all.Go(func() { w.renewAtRandom(ctx, &owner) })
			for range 8 {
				all.Go(func() {
					for ctx.Err() == nil {
						w.visit(ctx, &inFlight, &peak, &entered)
					}
				})
			}
		}
		all.Wait()
		require.NotZero(t, entered.Load())
		require.LessOrEqual(t, peak.Load(), int64(ceiling))
		for _, w := range workers {
			w.requireEmpty()
		}
	})
}

// renewAtRandom renews every few milliseconds, sometimes in vain, and sometimes not for longer than the lease.
func (r *leased) renewAtRandom(ctx context.Context, owner *sync.Mutex) {
	for ctx.Err() == nil {
		request := r.request()
		owner.Lock()
		if rand.IntN(4) == 0 {
			_ = r.table.SetCeiling(time.Now(), "books", rand.IntN(ceiling+1), time.Time{}, lease.Note{})
		}
		answer := r.table.Renew(time.Now(), request)
		owner.Unlock()
		if rand.IntN(5) > 0 {
			r.receive(answer)
		}
		pause := time.Duration(1+rand.IntN(5)) * time.Millisecond
		if rand.IntN(40) == 0 {
			pause = 120 * time.Millisecond
		}
		for until := time.Now().Add(pause); time.Now().Before(until); time.Sleep(time.Millisecond) {
			r.lapse()
		}
	}
	r.quit()
}

func (r *leased) visit(ctx context.Context, inFlight, peak, entered *atomic.Int64) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(5000))*time.Microsecond)
	defer cancel()
	permit, err := r.Acquire(ctx, "books")
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			panic(err)
		}
		return
	}
	defer permit.Release()
	now := inFlight.Add(1)
	defer inFlight.Add(-1)
	entered.Add(1)
	for old := peak.Load(); now > old && !peak.CompareAndSwap(old, now); old = peak.Load() {
	}
	select {
	case <-permit.Context.Done():
	case <-time.After(time.Duration(rand.IntN(1000)) * time.Microsecond):
	}
}
