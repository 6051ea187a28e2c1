package integration

import (
	"crypto/rand"
	"flag"
	"math"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

// longDrill skips a drill of minutes unless it is asked for by name.
func longDrill(t *testing.T) {
	t.Helper()
	if flag.Lookup("test.run").Value.String() == "" {
		t.Skip("a drill of minutes: name it with -run")
	}
}

// ownFleet configures a fleet on a stack of the test's own: the table of sources belongs to the whole namespace.
func ownFleet(t *testing.T, o harness.Options) *harness.Fleet {
	t.Helper()
	return fleetOn(t, stacktest.New(t), o)
}

// row is a source's row in the table.
func row(t *testing.T, f *harness.Fleet, source string) lease.SourceView {
	t.Helper()
	var rows []lease.SourceView
	until(t, time.Minute, "the table of sources", func() bool {
		var err error
		rows, err = f.Client.Sources(t.Context())
		if err != nil {
			t.Log(err)
		}
		return err == nil
	})
	for _, r := range rows {
		if r.Source == source {
			return r
		}
	}
	require.Fail(t, "no such source", "%s in %+v", source, rows)
	return lease.SourceView{}
}

func command(t *testing.T, f *harness.Fleet, update string, in collection.SourceCommand) {
	t.Helper()
	in.By = "test"
	var err error
	until(t, time.Minute, update+" to be answered", func() bool {
		_, err = f.Client.Command(t.Context(), update, in)
		return !connect.EngineLost(err)
	})
	require.NoError(t, err)
}

// TestCeilingHeld is the drill in small.
func TestCeilingHeld(t *testing.T) { drillCeiling(t, 240, 3, 500*time.Millisecond) }

// TestDrillCeiling kills, freezes and starts workers and restarts the stack, while the source counts.
func TestDrillCeiling(t *testing.T) {
	longDrill(t)
	t.Run("3 workers", func(t *testing.T) { drillCeiling(t, 2000, 3, 100*time.Millisecond) })
	t.Run("6 workers", func(t *testing.T) { drillCeiling(t, 2000, 6, 100*time.Millisecond) })
}

// drillCeiling needs a latency at which even a busy machine fills the ceiling now and then.
func drillCeiling(t *testing.T, records, workers int, latency time.Duration) {
	const ceiling = 4
	books := site(t, "127.0.0.1")
	books.SetLatency(latency)
	f := ownFleet(t, harness.Options{
		Sources:  []harness.Source{{Name: "books", Host: books.Host, Ceiling: ceiling, Timeout: 3 * time.Second}},
		LogLevel: "error",
	})
	still := watchStandstill(t)
	var pool []*harness.Worker
	for range workers - 1 {
		pool = append(pool, startWorker(t, f))
	}
	submission := submitCSV(t, f, pages(records, books))
	reached := func(share float64) func() bool {
		return func() bool { return float64(books.Ledger().Paths) >= share*float64(records) }
	}
	until(t, 10*time.Minute, "a fifth", reached(0.2))
	require.NoError(t, pool[0].Freeze())
	until(t, 10*time.Minute, "a third", reached(0.33))
	pool = append(pool, startWorker(t, f))
	time.Sleep(5 * time.Second)
	require.NoError(t, pool[0].Thaw())
	until(t, 10*time.Minute, "a half", reached(0.5))
	pool[1].Kill()
	until(t, 10*time.Minute, "two thirds", reached(0.67))
	f.Stack.Kill()
	require.NoError(t, f.Stack.Restart(t.Context()))
	wait(t, f, submission, 15*time.Minute)
	deliveredOnce(t, f, submission, records)
	requireCeiling(t, books, ceiling, still)
	ledger := books.Ledger()
	require.GreaterOrEqual(t, ledger.Peak, ceiling, "it was used")
	t.Logf("figure: %d workers, one frozen and thawed, one killed, one started, the stack killed: at most %d requests in flight at a ceiling of %d; %d requests for %d records, %d repeated, in %s",
		workers, ledger.Peak, ceiling, ledger.Requests, ledger.Paths, ledger.Repeated, ledger.Last.Sub(ledger.First).Round(time.Second))
}

// TestSetCeilingLive lowers a ceiling under load, and raises it again.
func TestSetCeilingLive(t *testing.T) {
	books := site(t, "127.0.0.1")
	// Eight in flight are eight records per second, which the smallest machine bears.
	books.SetLatency(time.Second)
	// The other source has as much to do as lasts longer than the test.
	films := site(t, "127.0.0.2")
	films.SetLatency(time.Second)
	f := ownFleet(t, steady(harness.Options{Sources: []harness.Source{
		{Name: "books", Host: books.Host, Ceiling: 8}, {Name: "films", Host: films.Host, Ceiling: 3},
	}}))
	startWorker(t, f)
	startWorker(t, f)
	submission := submitCSV(t, f, pages(240, books))
	other := submitCSV(t, f, pages(900, films))
	until(t, time.Minute, "a full ceiling", func() bool { return books.Ledger().Peak == 8 && films.Ledger().Peak == 3 })
	const span = 6 * time.Second
	time.Sleep(span)
	before := started(films, time.Now().Add(-span), span)
	two := 2
	command(t, f, collection.UpdateSetCeiling, collection.SourceCommand{Source: "books", Ceiling: &two, Reason: "too loud"})
	// That few are in flight between two rounds of requests says nothing: every worker must have heard of it.
	until(t, time.Minute, "the drain", func() bool { return row(t, f, "books").Exposed <= 2 && books.InFlight() <= 2 })
	most := 0
	for range 40 {
		most = max(most, books.InFlight())
		time.Sleep(50 * time.Millisecond)
	}
	require.LessOrEqual(t, most, 2)
	require.Equal(t, 8, books.Ledger().Peak, "it never rose above the old value")
	require.Equal(t, 2, row(t, f, "books").Ceiling)
	lowered := time.Now()
	time.Sleep(span)
	after := started(films, lowered, span)
	require.Equal(t, 3, films.Ledger().Peak)
	t.Logf("figure: books' ceiling 8 → 2: films started %d requests in %s before, %d after", before, span, after)
	command(t, f, collection.UpdateSetCeiling, collection.SourceCommand{Source: "books"})
	until(t, time.Minute, "the old ceiling", func() bool { return books.InFlight() > 4 })
	wait(t, f, submission, 4*time.Minute)
	deliveredOnce(t, f, submission, 240)
	require.Equal(t, 8, books.Ledger().Peak)
	require.NoError(t, f.Client.Cancel(t.Context(), other, "the test is over"))
}

// started is how many requests a site was asked for within a span.
func started(s *sourcesite.Site, from time.Time, span time.Duration) (n int) {
	for _, at := range s.Starts() {
		if !at.Before(from) && at.Before(from.Add(span)) {
			n++
		}
	}
	return n
}

// TestCeilingAfterReset has the owner forget every renewal while its workers hold the whole ceiling, and a new worker come.
func TestCeilingAfterReset(t *testing.T) {
	const records, ceiling = 60, 4
	books := site(t, "127.0.0.1")
	books.SetLatency(time.Second)
	f := ownFleet(t, steady(harness.Options{Sources: []harness.Source{
		{Name: "books", Host: books.Host, Ceiling: ceiling, Timeout: 5 * time.Second},
	}}))
	startWorker(t, f)
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	until(t, time.Minute, "a full ceiling", func() bool { return books.InFlight() == ceiling })
	_, err := f.Engine.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: f.Stack.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: collection.CeilingsID}, Reason: "a test",
		WorkflowTaskFinishEventId: tasks(t, f, collection.CeilingsID)[0], RequestId: rand.Text(),
		ResetReapplyExcludeTypes: []enumspb.ResetReapplyExcludeType{enumspb.RESET_REAPPLY_EXCLUDE_TYPE_UPDATE},
	})
	require.NoError(t, err)
	reset := time.Now()
	startWorker(t, f)
	wait(t, f, submission, 2*time.Minute)
	deliveredOnce(t, f, submission, records)
	require.Equal(t, ceiling, books.Ledger().Peak, "the source's own count")
	t.Logf("figure: owner reset without its updates: the source was silent for %s",
		longestSilence(books, reset, books.Ledger().Last).Round(10*time.Millisecond))
}

// TestPauseAndResume stops a source and lets it go on; its records burn no attempts meanwhile.
func TestPauseAndResume(t *testing.T) {
	const records = 250
	books := site(t, "127.0.0.1")
	books.SetLatency(500 * time.Millisecond)
	f := ownFleet(t, steady(harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}}))
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	until(t, time.Minute, "some requests", func() bool { return books.Ledger().Requests >= 10 })
	command(t, f, collection.UpdatePause, collection.SourceCommand{Source: "books", Reason: "the site asked us to"})
	// That no permit is granted says nothing yet: the worker must have heard of it.
	until(t, time.Minute, "the worker to hear of it", func() bool { return row(t, f, "books").Exposed == 0 && books.InFlight() == 0 })
	asked := books.Ledger().Requests
	require.Less(t, asked, records, "something is left to be held back")
	time.Sleep(35 * time.Second) // more than a heartbeat timeout
	require.Equal(t, asked, books.Ledger().Requests)
	require.Equal(t, "the site asked us to", row(t, f, "books").Paused.Reason)
	command(t, f, collection.UpdateResume, collection.SourceCommand{Source: "books"})
	wait(t, f, submission, 5*time.Minute)
	deliveredOnce(t, f, submission, records)
	require.Equal(t, records, books.Ledger().Requests, "no request was broken off or made twice")
}

// TestThrottleStopsTheSource answers once with 429 and Retry-After: no worker asks again before that time.
func TestThrottleStopsTheSource(t *testing.T) {
	const records, retryAfter = 60, 20 * time.Second
	books := site(t, "127.0.0.1")
	books.SetLatency(200 * time.Millisecond)
	var once sync.Once
	var throttledAt time.Time
	f := ownFleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}})
	startWorker(t, f)
	startWorker(t, f)
	books.SetAnswer(func(w http.ResponseWriter, _ *http.Request) bool {
		if books.Ledger().Requests < 12 {
			return false
		}
		refused := false
		once.Do(func() {
			throttledAt = time.Now()
			w.Header().Set("Retry-After", "20")
			w.WriteHeader(http.StatusTooManyRequests)
			refused = true
		})
		return refused
	})
	submission := submitCSV(t, f, pages(records, books))
	wait(t, f, submission, 2*time.Minute)
	deliveredOnce(t, f, submission, records)
	// What was under way may still come, and what the other worker starts before it learns of it: with a renewal, at the latest
	// when its lease of 3 s has ended. Nothing comes after that until the time is over, by the site's own clock. Most of what is
	// given to learn of it is the machine's.
	const learnt = 10 * time.Second
	require.Zero(t, started(books, throttledAt.Add(learnt), retryAfter-learnt), "requests within the time that the source has asked for")
	quiet := longestSilence(books, throttledAt, throttledAt.Add(retryAfter+time.Second))
	t.Logf("figure: 429 with Retry-After 20 s: the whole source was silent for %s", quiet.Round(10*time.Millisecond))
}

// longestSilence is the longest time without a new request between two moments.
func longestSilence(s *sourcesite.Site, from, until time.Time) time.Duration {
	last, longest := from, time.Duration(0)
	for _, at := range s.Starts() {
		if at.Before(from) || at.After(until) {
			continue
		}
		longest = max(longest, at.Sub(last))
		last = at
	}
	return max(longest, until.Sub(last))
}

// TestPace counts the starts of requests at a source with a pace, over several workers.
//
// That a fleet never starts more than burst + pace × span requests within any span is an invariant, and is held to exactly
// where the starts are known: in the simulation of internal/lease. A site knows when requests arrive: one that took its time
// arrives close to the next, and what has queued while this process did not run arrives at once. So a few more are allowed, one
// from each worker, and what the pace lets through while this process stood still. Over the 20 s that this takes they are few.
// How close the fleet comes to its pace is a figure.
func TestPace(t *testing.T) {
	const pace, burst, workers = 5.0, 2, 4
	books := site(t, "127.0.0.1")
	f := ownFleet(t, steady(harness.Options{Sources: []harness.Source{
		{Name: "books", Host: books.Host, Ceiling: 8, More: []string{"pace: 5"}},
	}}))
	for range workers {
		startWorker(t, f)
	}
	watch := watchStandstill(t)
	submission := submitCSV(t, f, pages(110, books))
	wait(t, f, submission, 3*time.Minute)
	deliveredOnce(t, f, submission, 110)
	starts := books.Starts()
	still := watch.longest(starts[0].Add(-time.Minute), time.Now())
	late := workers + math.Ceil(pace*still.Seconds())
	for i := range starts {
		for j := i + 1; j < len(starts); j++ {
			span := starts[j].Sub(starts[i])
			require.LessOrEqual(t, float64(j-i+1), burst+pace*1.1*span.Seconds()+late, "a burst: %d requests within %s, from %s on; stood still for %s",
				j-i+1, span, starts[i].Format(time.TimeOnly+".000"), still)
		}
	}
	// The first seconds are the workers' first leases.
	steady := starts[20:]
	rate := float64(len(steady)-1) / steady[len(steady)-1].Sub(steady[0]).Seconds()
	t.Logf("figure: pace 5/s over 4 workers: %.2f/s at the source, at most %d starts within 50 ms; this process stood still for %s at most",
		rate, closest(starts), still.Round(time.Millisecond))
}

// closest is the largest number of requests that started within 50 ms.
func closest(starts []time.Time) int {
	most := 1
	for i := range starts {
		for j := i; j < len(starts) && starts[j].Sub(starts[i]) < 50*time.Millisecond; j++ {
			most = max(most, j-i+1)
		}
	}
	return most
}

// TestDrillEngineGone takes the engine away for two minutes: requests stop before the lease ends, and everything goes on
// afterwards.
func TestDrillEngineGone(t *testing.T) {
	longDrill(t)
	const (
		records = 200
		ttl     = 15 * time.Second // as configured by default
		away    = 2 * time.Minute
	)
	books := site(t, "127.0.0.1")
	books.SetLatency(500 * time.Millisecond)
	f := ownFleet(t, harness.Options{
		Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}, LogLevel: "error", LeaseTTL: ttl,
	})
	startWorker(t, f)
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	until(t, time.Minute, "some requests", func() bool { return books.Ledger().Requests >= 20 })
	gone := time.Now()
	f.Stack.Kill()
	time.Sleep(away)
	last := books.Ledger().Last
	require.Zero(t, books.InFlight())
	require.Less(t, last.Sub(gone), ttl)
	require.NoError(t, f.Stack.Restart(t.Context()))
	back := time.Now()
	wait(t, f, submission, 5*time.Minute)
	deliveredOnce(t, f, submission, records)
	var next time.Time
	for _, at := range books.Starts() {
		if at.After(back) {
			next = at
			break
		}
	}
	require.LessOrEqual(t, books.Ledger().Peak, 4)
	t.Logf("figure: engine gone for %s: the last request started %s later (lease %s), the first again %s after its return; %d of %d delivered, %d requests repeated",
		away, last.Sub(gone).Round(10*time.Millisecond), ttl, next.Sub(back).Round(10*time.Millisecond), records, records, books.Ledger().Repeated)
}
