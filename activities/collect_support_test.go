package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// collecting is a collector with everything around it.
type collecting struct {
	*Collector
	store   *shaky
	permits *turnstile
	metrics *ledgerOfMetrics
	ways    *ways
	room    *room
	now     time.Time
	// paused are the waits for the store while a body was in hand.
	paused []time.Duration
	// heldDuringWrites is the most permits held while the store was written, roomless how many writes there were by who had no
	// room in the process.
	heldDuringWrites, roomless int
}

// patience is the source of these tests: three faults, waits from a second to a minute, a day in all.
var patience = collection.Source{
	Name: "books", Hosts: []string{"books.example"}, Ceiling: 2, Attempts: 3,
	Backoff: collection.Backoff{Min: time.Second, Max: time.Minute}, GiveUpAfter: 24 * time.Hour,
}

func newCollecting(fetch fetchFunc) *collecting {
	c := &collecting{store: newShaky(), permits: &turnstile{}, metrics: &ledgerOfMetrics{}, ways: &ways{}, room: &room{}, now: accepted.Add(time.Minute)}
	c.Collector = &Collector{
		Store: c.store, Directory: directory{sources: []collection.Source{patience}}, Fetcher: fetch, Permits: c.permits,
		Pause:  func(_ context.Context, d time.Duration) error { c.paused = append(c.paused, d); return nil },
		Robots: robots{}, Egresses: c.ways, Metrics: c.metrics, Memory: c.room, Clock: func() time.Time { return c.now }, Random: func() float64 { return 0.5 },
	}
	c.watch(nil)
	return c
}

// watch takes down how many permits are held while the store is written, and whether there is room for what is written,
// before it lets the trouble happen.
func (c *collecting) watch(next func(n int, op, key string) trouble) {
	c.store.trouble = func(n int, op, key string) trouble {
		if held, _ := c.permits.state(); op != "Get" && op != "GetRange" {
			c.heldDuringWrites = max(c.heldDuringWrites, held)
		}
		if op != "Get" && op != "GetRange" && op != "Head" && c.permits.roomsTaken() != 1 {
			c.roomless++
		}
		if next == nil {
			return trouble{}
		}
		return next(n, op, key)
	}
}

// attempt runs one attempt, and checks what holds of every attempt: no permit, memory or room is kept; while the store is
// written no permit is held, but room is.
func (c *collecting) attempt(t testing.TB, tr *trial) (collection.CollectResult, error) {
	out, err := run(t, tr, c.Collect, collectInput)
	held, _ := c.permits.state()
	require.Zero(t, held, "a permit was not given back")
	require.Zero(t, c.room.taken, "memory was not given back")
	require.Zero(t, c.permits.roomsTaken(), "room in the process was not given back")
	require.Zero(t, c.heldDuringWrites, "a permit was held while the store was written")
	require.Zero(t, c.roomless, "a body was in hand for which there was no room")
	return out, err
}

// triedAgain runs attempts that end one after another with these reasons, each to be tried again, and returns the next.
func (c *collecting) triedAgain(t testing.TB, reasons ...collection.Reason) *trial {
	tr := &trial{}
	for _, reason := range reasons {
		_, err := c.attempt(t, tr)
		requireTransient(t, err, reason)
		tr = tr.next(t)
	}
	return tr
}

var collectInput = collection.CollectInput{
	Submission: "s1", Customer: "acme", Source: "books", AcceptedAt: accepted,
	Record: collection.Record{ID: collection.RecordID("books", "k"), Line: 3, Key: "k", URL: "https://books.example/a"},
}

// page is a response that is a success.
func page(body string) *collection.Response {
	return &collection.Response{
		URL: "https://books.example/a/", Status: 200, ContentType: "text/html; charset=utf-8",
		Header: map[string]string{"server": "x"}, Body: []byte(body),
		FetchedAt: accepted.Add(61 * time.Second), Duration: 250 * time.Millisecond,
	}
}

// answers is a target that gives one answer after the other, and the last one for ever.
func answers(seen ...failure.Observation) fetchFunc {
	n := 0
	return func(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation) {
		o := seen[min(n, len(seen)-1)]
		n++
		if failure.Classify(o) == "" {
			return page("<h1>A</h1>"), o
		}
		return nil, o
	}
}

var (
	success   = failure.Observation{Status: 200}
	broken500 = failure.Observation{Status: 500, Message: "GET /a answered 500"}
	absent    = failure.Observation{Status: 404, Message: "GET /a answered 404"}
)

// counters are an attempt's progress without what its trail tells.
func counters(p collection.AttemptProgress) collection.AttemptProgress {
	p.Trail, p.EndedAt, p.Delay = nil, nil, 0
	return p
}

// withoutTrail is a result without its trail.
func withoutTrail(r collection.CollectResult) collection.CollectResult {
	r.Trail = nil
	return r
}
