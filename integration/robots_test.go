package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// numbered is a CSV file of n pages with an id each.
func numbered(site string, n int) string {
	var b strings.Builder
	b.WriteString("url,id\n")
	for i := range n {
		fmt.Fprintf(&b, "%s/page/%d,%d\n", site, i, i)
	}
	return b.String()
}

// ledgerOf are a submission's ended records.
func ledgerOf(t *testing.T, f *harness.Fleet, submission string) []collection.LedgerRow {
	t.Helper()
	var out []collection.LedgerRow
	for row, err := range f.Client.Records(t.Context(), submission, starter.Filter{}) {
		require.NoError(t, err)
		out = append(out, row)
	}
	return out
}

// methodOf is the method by which the first record of a submission was fetched.
func methodOf(t *testing.T, f *harness.Fleet, submission string) string {
	t.Helper()
	rows := ledgerOf(t, f, submission)
	require.NotEmpty(t, rows)
	require.NotNil(t, rows[0].Raw)
	return rows[0].Raw.Method
}

// TestRobots: what a site's robots.txt forbids is not requested; it is asked for by each worker once, not per record.
func TestRobots(t *testing.T) {
	books := site(t, "127.0.0.1")
	books.SetRobots("User-agent: weir-test\nDisallow: /page/3\nDisallow: /page/7$\n\nUser-agent: *\nDisallow: /\n")
	f := fleet(t, steady(harness.Options{Sources: []harness.Source{{Name: "robots", Host: books.Host, Ceiling: 4}}}))
	startWorker(t, f)
	submission := submitCSV(t, f, pages(20, books))
	status := wait(t, f, submission, time.Minute)
	require.Equal(t, collection.StatePartiallyFailed, status.State)
	require.Equal(t, 2, status.Outcomes.Of(collection.OutcomeRefused))
	require.Equal(t, 18, status.Outcomes.Of(collection.OutcomeDelivered))
	require.Zero(t, books.Asked("/page/3")+books.Asked("/page/7"))
	require.Equal(t, 1, books.Ledger().Robots)
	for _, r := range ledgerOf(t, f, submission) {
		require.NotNil(t, r.Trail, r.Record)
		require.NotNil(t, r.Trail.Robots, r.Record)
		require.Equal(t, r.Outcome != collection.OutcomeRefused, r.Trail.Robots.Allowed)
		if r.Outcome == collection.OutcomeRefused {
			require.Equal(t, collection.ReasonRobotsDenied, r.Reason)
			require.Contains(t, []int{2, 3}, r.Trail.Robots.Line)
		}
	}
}

// TestRobotsUnreachable: while robots.txt cannot be read nothing is requested, and nothing is lost (C1 15).
func TestRobotsUnreachable(t *testing.T) {
	books := site(t, "127.0.0.1")
	closed := func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	}
	books.SetAnswer(closed)
	f := ownFleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 2, More: []string{
		"backoff: {min: 1s, max: 5s}",
	}}}})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(6, books))
	until(t, time.Minute, "robots.txt is asked for", func() bool { return books.Ledger().Robots > 0 })
	time.Sleep(3 * time.Second)
	require.Zero(t, books.Ledger().Requests)
	books.SetAnswer(nil)
	wait(t, f, submission, 3*time.Minute)
	deliveredOnce(t, f, submission, 6)
}

// TestDrillCrawlDelay: the delay that robots.txt asks for holds for the source, over all workers (C1 17, 18).
func TestDrillCrawlDelay(t *testing.T) {
	const delay = 3 * time.Second
	books := site(t, "127.0.0.1")
	books.SetRobots("User-agent: *\nCrawl-delay: 3\n")
	f := ownFleet(t, steady(harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 5}}}))
	for range 3 {
		startWorker(t, f)
	}
	watch := watchStandstill(t)
	submission := submitCSV(t, f, pages(8, books))
	wait(t, f, submission, 2*time.Minute)
	deliveredOnce(t, f, submission, 8)
	// A site sees a request after it was started, sooner or later, and all at once what came while it could not look. That does
	// not add up: of any number of requests, only the first can be late.
	starts, least := books.Starts(), time.Hour
	still := watch.longest(starts[0].Add(-time.Minute), time.Now())
	slack := delay - 300*time.Millisecond + still
	for i := range starts {
		for j := i + 1; j < len(starts); j++ {
			apart := starts[j].Sub(starts[i])
			require.GreaterOrEqual(t, apart, time.Duration(j-i)*delay-slack, "requests %d and %d of %v", i, j, starts)
			least = min(least, apart)
		}
	}
	t.Logf("figure: crawl delay %s, 3 workers: the closest two requests started %s apart; this process stood still for %s at most",
		delay, least.Round(10*time.Millisecond), still.Round(time.Millisecond))
}

// TestRedirectObeysRobotsOfItsTarget: a redirect to another of the source's hosts is held against that host's robots.txt
// (C1 20).
func TestRedirectObeysRobotsOfItsTarget(t *testing.T) {
	first, second := site(t, "127.0.0.1"), site(t, "127.0.0.2")
	second.SetRobots("User-agent: *\nDisallow: /private/\n")
	first.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		where, moved := map[string]string{"/page/0": "/private/a", "/page/1": "/public/b"}[r.URL.Path]
		if moved {
			http.Redirect(w, r, second.URL+where, http.StatusFound)
		}
		return moved
	})
	f := ownFleet(t, steady(harness.Options{Sources: []harness.Source{{Name: "books", Host: first.Host, Ceiling: 1, Hosts: []string{second.Host}}}}))
	startWorker(t, f)
	submission := submitCSV(t, f, pages(3, first))
	status := wait(t, f, submission, time.Minute)
	require.Equal(t, 2, status.Outcomes.Of(collection.OutcomeDelivered), "%+v", status)
	require.Equal(t, 1, status.Outcomes.Of(collection.OutcomeRefused))
	require.Zero(t, second.Asked("/private/a"))
	require.Equal(t, 1, second.Asked("/public/b"))
	require.Equal(t, 1, second.Ledger().Robots)
}
