package integration

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/internal/fetch/proxytest"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/starter"
)

// proxied is a source that goes out by these proxies alone, and the top-level lines that describe them.
func proxied(host string, proxies map[string]*proxytest.Proxy, types map[string]string, use string) (harness.Source, []string) {
	lines := []string{"egresses:"}
	for name, p := range proxies {
		lines = append(lines, fmt.Sprintf("  - {name: %s, type: %s, address: %q, allow_private_address: true}", name, types[name], p.Address()))
	}
	return harness.Source{Name: "books", Host: host, Ceiling: 4, More: []string{"egress: {use: [" + use + "]}"}}, lines
}

// wayOf is how the fleet sees an egress.
func wayOf(t *testing.T, f *harness.Fleet, name string) (lease.EgressView, bool) {
	t.Helper()
	ways, err := f.Client.Egresses(t.Context())
	if errors.Is(err, starter.ErrNotFound) {
		return lease.EgressView{}, false // no worker has renewed yet
	}
	require.NoError(t, err)
	for _, w := range ways {
		if w.Egress == name {
			return w, true
		}
	}
	return lease.EgressView{}, false
}

// TestDrillEgressDead: with one egress dead, records succeed by the other, the dead one is out for the whole fleet within
// ten failures, no record goes out directly or is charged, and it comes back after its probation (L01, L02; C3 41, 42).
func TestDrillEgressDead(t *testing.T) {
	const records = 60
	books := site(t, "127.0.0.1")
	books.SetLatency(100 * time.Millisecond)
	east, west := proxytest.HTTP(t, proxytest.Behaviour{}), proxytest.SOCKS5(t, proxytest.Behaviour{})
	east.Behave(proxytest.Behaviour{Status: http.StatusBadGateway})
	source, more := proxied(books.Host, map[string]*proxytest.Proxy{"east": east, "west": west},
		map[string]string{"east": "http", "west": "socks5"}, "east, west")
	f := ownFleet(t, harness.Options{Sources: []harness.Source{source}, More: more})
	startWorker(t, f)
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	wait(t, f, submission, 2*time.Minute)
	deliveredOnce(t, f, submission, records)
	failed := 0
	for _, row := range ledgerOf(t, f, submission) {
		require.Equal(t, "west", row.Raw.Egress)
		for _, line := range row.Trail.Attempts {
			require.NotEqual(t, collection.EgressDirect, line.Egress)
			if line.Egress == "east" {
				failed++
			}
		}
	}
	require.LessOrEqual(t, failed, 10)
	way, known := wayOf(t, f, "east")
	require.True(t, known && way.State != lease.EgressGood, "%+v", way)
	t.Logf("figure: one of two egresses dead, 2 workers: retired after %d failures, %d of %d records delivered by the other", failed, records, records)
}

// TestEgressIsNotChargedForTheTarget: a 403 of the site through a good proxy retires none (L01).
func TestEgressIsNotChargedForTheTarget(t *testing.T) {
	const records = 30
	books := site(t, "127.0.0.1")
	books.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/robots.txt" {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	east := proxytest.HTTP(t, proxytest.Behaviour{})
	source, more := proxied(books.Host, map[string]*proxytest.Proxy{"east": east}, map[string]string{"east": "http"}, "east")
	f := ownFleet(t, harness.Options{Sources: []harness.Source{source}, More: more, LogLevel: "error"})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	status := wait(t, f, submission, time.Minute)
	require.Equal(t, records, status.Outcomes.Of(collection.OutcomeDeadLettered), "%+v", status.Outcomes)
	for _, row := range ledgerOf(t, f, submission) {
		require.Equal(t, collection.ReasonBlocked, row.Reason)
	}
	time.Sleep(2 * time.Second) // two renewals
	if way, known := wayOf(t, f, "east"); known {
		require.Equal(t, lease.EgressGood, way.State)
	}
	require.NotEmpty(t, east.Asked())
}

// TestNoDirectFallback: with every egress dead the records wait, and nothing reaches the site by another way (C3 41).
func TestNoDirectFallback(t *testing.T) {
	books := site(t, "127.0.0.1")
	east := proxytest.Dead()
	source, more := proxied(books.Host, map[string]*proxytest.Proxy{"east": east}, map[string]string{"east": "http"}, "east")
	f := ownFleet(t, harness.Options{Sources: []harness.Source{source}, More: more})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(8, books))
	until(t, time.Minute, "the egress is retired", func() bool {
		way, known := wayOf(t, f, "east")
		return known && way.State != lease.EgressGood
	})
	status, err := f.Client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Zero(t, status.Outcomes.Total(), "nothing was dead-lettered")
	require.Zero(t, books.Ledger().Requests+books.Ledger().Robots, "nothing went out by another way than %s", east.Address())
	require.NoError(t, f.Client.Cancel(t.Context(), submission, "the test is over"))
}
