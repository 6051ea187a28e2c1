package guard_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots/guard"
)

const closedX = "User-agent: *\nDisallow: /x\nCrawl-delay: 2\n"

// web is a net of sites that answer what a test says, and its clock.
type web struct {
	mu      sync.Mutex
	now     time.Time
	answers map[string]guard.Answer
	err     error
	asked   map[string]int
	reads   []report
}

type report struct {
	origin string
	delay  time.Duration
	ok     bool
}

func newWeb() *web {
	return &web{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), answers: map[string]guard.Answer{}, asked: map[string]int{}}
}

func (w *web) fetch(_ context.Context, origin string) (guard.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[origin]++
	if w.err != nil {
		return guard.Answer{}, w.err
	}
	answer, ok := w.answers[origin]
	if !ok {
		answer.Status = 404
	}
	return answer, nil
}

func (w *web) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *web) onRead(origin string, delay time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads = append(w.reads, report{origin, delay, ok})
}

func (w *web) set(origin string, status int, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = nil
	w.answers[origin] = guard.Answer{Status: status, Body: []byte(body)}
}

func (w *web) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

func (w *web) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *web) count(origin string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[origin]
}

func (w *web) options() guard.Options {
	return guard.Options{Fetch: w.fetch, Now: w.clock, Agent: "example-collector/1.0 (+https://example.com/bot)", OnRead: w.onRead}
}

func (w *web) guard(t testing.TB) *guard.Guard { return build(t, w.options()) }

func build(t testing.TB, o guard.Options) *guard.Guard {
	t.Helper()
	g, err := guard.New(o)
	require.NoError(t, err)
	return g
}

// requireRefused checks for a refusal and gives its sentence.
func requireRefused(t testing.TB, err error, reason collection.Reason) string {
	t.Helper()
	var refused *collection.Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, reason, refused.Reason)
	return refused.Detail
}
