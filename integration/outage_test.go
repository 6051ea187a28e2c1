package integration

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
)

// down makes a site fail every page: every other one with a status, the rest by cutting the connection.
func down(s *sourcesite.Site) {
	s.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/robots.txt" {
			return false
		}
		if s.Ledger().Requests%2 == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
}

// outage lets a source fail for a while under waiting records, with the configuration that a new source has (E09).
func outage(t *testing.T, records int, lasts time.Duration) {
	books := site(t, "127.0.0.1")
	books.SetLatency(50 * time.Millisecond)
	f := ownFleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}})
	startWorker(t, f)
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	until(t, time.Minute, "some records", func() bool { return books.Ledger().Requests >= 40 })
	before := books.Ledger().Requests
	down(books)
	time.Sleep(lasts)
	during := books.Ledger().Requests - before
	books.SetAnswer(nil)
	back := time.Now()
	wait(t, f, submission, 20*time.Minute)
	deliveredOnce(t, f, submission, records)
	t.Logf("figure: source down for %s under %d records: %d requests met the outage, 0 records dead-lettered, all delivered %s after its end",
		lasts, records-before, during, time.Since(back).Round(time.Second))
}

// TestDrillOutage: a minute without a source under 500 waiting records.
func TestDrillOutage(t *testing.T) {
	longDrill(t)
	outage(t, 560, time.Minute)
}

// TestDrillOutageLarge: half a minute without it under 4,000, as once wrongly failed as many.
func TestDrillOutageLarge(t *testing.T) {
	longDrill(t)
	outage(t, 4050, 30*time.Second)
}

// TestOutage is the same in small.
func TestOutage(t *testing.T) { outage(t, 100, 5*time.Second) }

// TestFallback: a method that keeps failing gives way to the next one, the record says which one brought it, and an operator
// can choose.
func TestFallback(t *testing.T) {
	const records = 60
	books, mirror := site(t, "127.0.0.1"), site(t, "127.0.0.2")
	f := ownFleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4, More: []string{
		"fallback_after: 1",
		"breaker: {window: 10s, faults: 4, open: 1s}",
		"methods:",
		"  - {name: page, request: {url: \"{url}\"}}",
		"  - {name: mirror, request: {url: \"" + mirror.URL + "/{id}\"}}",
	}}}})
	startWorker(t, f)
	startWorker(t, f)
	down(books)
	submission := submitCSV(t, f, numbered(books.URL, records))
	wait(t, f, submission, 3*time.Minute)
	deliveredOnce(t, f, submission, records)
	require.Equal(t, records, mirror.Ledger().Paths)
	require.Equal(t, "mirror", methodOf(t, f, submission))
	require.Equal(t, "mirror", row(t, f, "books").Method)
	t.Logf("figure: the page failed %d requests before the mirror was asked", books.Ledger().Requests)

	books.SetAnswer(nil)
	command(t, f, collection.UpdateUseMethod, collection.SourceCommand{Source: "books", Method: "page", Reason: "it is back"})
	// A worker hears of it with its next renewal.
	until(t, time.Minute, "a record by the page again", func() bool {
		again := submitCSV(t, f, numbered(books.URL, 5))
		wait(t, f, again, time.Minute)
		deliveredOnce(t, f, again, 5)
		return methodOf(t, f, again) == "page"
	})
}
