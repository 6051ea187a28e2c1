package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/intake"
)

// gatekeeper is a robots.txt that forbids what ends so.
type gatekeeper struct{ forbids string }

func (g gatekeeper) Check(_ context.Context, _ collection.Source, url string) (collection.RobotsDecision, error) {
	if strings.HasSuffix(url, g.forbids) {
		return collection.RobotsDecision{}, &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: url}
	}
	return collection.RobotsDecision{Allowed: true}, nil
}

func (g gatekeeper) CheckHop(ctx context.Context, src collection.Source, url string, _ *activities.Permit) error {
	_, err := g.Check(ctx, src, url)
	return err
}

// shopProber asks a site of its own that moves /moved to /private and /elsewhere to /1, and throttles /busy.
func shopProber(t *testing.T) (*prober, string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/private", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, "/1", http.StatusFound)
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/api":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(site.Close)
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.Close)
	src := collection.Source{
		Name: "shop", Hosts: []string{"127.0.0.1"}, AllowPrivateAddresses: true,
		Methods: []collection.Method{{Name: "page"}, {Name: "api", Request: collection.Request{URL: site.URL + "/api"}}},
	}
	return &prober{src: src, fetcher: client, robots: gatekeeper{forbids: "/private"}}, site.URL
}

func aPermit(method string, again error) *activities.Permit {
	return &activities.Permit{
		Context: context.Background(), Release: func() {}, Method: method, Again: func(context.Context) error { return again },
	}
}

func TestProberAsksAsAWorkerDoes(t *testing.T) {
	t.Parallel()
	p, site := shopProber(t)
	for name, c := range map[string]struct {
		path, method string
		again        error
		reason       collection.Reason
		retryAfter   time.Duration
	}{
		"a page":                          {path: "/1"},
		"by the fleet's method":           {path: "/1", method: "api", reason: collection.ReasonGone},
		"by a method that is not known":   {path: "/1", method: "mirror"},
		"a throttle":                      {path: "/busy", reason: collection.ReasonThrottled, retryAfter: 7 * time.Second},
		"a redirect":                      {path: "/elsewhere"},
		"a redirect to what is forbidden": {path: "/moved", reason: collection.ReasonRobotsDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := p.Fetch(t.Context(), aPermit(c.method, c.again), collection.Record{URL: site + c.path})
			require.Equal(t, c.reason, got.Reason)
			require.Equal(t, c.retryAfter, got.RetryAfter)
		})
	}
}

// TestRedirectsKeepThePace: the second request of a redirect waits for the pace as well, and is not made without.
func TestRedirectsKeepThePace(t *testing.T) {
	t.Parallel()
	p, site := shopProber(t)
	got := p.Fetch(t.Context(), aPermit("", errors.New("the lease has ended")), collection.Record{URL: site + "/elsewhere"})
	require.NotEmpty(t, got.Reason)
}

func TestPickTargets(t *testing.T) {
	t.Parallel()
	cfg := config.Config{Sources: []collection.Source{
		{Name: "shop", Hosts: []string{"shop.example"}},
		{Name: "stock", Hosts: []string{"stock.example"}, Request: collection.Request{URL: "https://stock.example/{isin}"}},
	}}
	for name, c := range map[string]struct {
		source  string
		row     map[string]any
		taken   string
		fields  string
		other   bool
		refusal string
	}{
		"by host":            {source: "shop", row: map[string]any{"URL": " https://shop.example/1 ", "isbn": "9"}, taken: "https://shop.example/1", fields: `{"isbn":"9"}`},
		"by name":            {source: "shop", row: map[string]any{"url": "https://shop.example/1", "source": "shop", "key": json.Number("7")}, taken: "https://shop.example/1"},
		"another host's":     {source: "shop", row: map[string]any{"url": "https://stock.example/1"}, other: true},
		"another by name":    {source: "shop", row: map[string]any{"url": "https://shop.example/1", "source": "stock"}, other: true},
		"nobody's host":      {source: "shop", row: map[string]any{"url": "https://x.example/"}, refusal: "line 3: its host is none of source shop's"},
		"of no text":         {source: "shop", row: map[string]any{"url": json.Number("1")}, refusal: "line 3: url must be text"},
		"no URL":             {source: "shop", row: map[string]any{"url": nil}, refusal: "line 3: "},
		"built from fields":  {source: "stock", row: map[string]any{"source": "stock", "isin": "DE1"}, fields: `{"isin":"DE1"}`},
		"without its fields": {source: "stock", row: map[string]any{"source": "stock"}, refusal: "isin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src, ok := cfg.Source(c.source)
			require.True(t, ok)
			pick := targetPicker{cfg: cfg, src: src}
			pick.take(intake.Row{Line: 3, Fields: c.row})
			switch {
			case c.other:
				require.Equal(t, 1, pick.others)
			case c.refusal != "":
				require.ErrorContains(t, pick.refusal, c.refusal)
				require.Equal(t, 1, pick.refused)
			default:
				require.Len(t, pick.records, 1, "%v", pick.refusal)
				require.Equal(t, c.taken, pick.records[0].URL)
				require.Equal(t, c.fields, string(pick.records[0].Fields))
				return
			}
			require.Empty(t, pick.records)
		})
	}
}

// TestEveryRowIsAccountedFor: whatever a file holds, a row is a target, another's, or refused.
func TestEveryRowIsAccountedFor(t *testing.T) {
	t.Parallel()
	cfg := config.Config{Sources: []collection.Source{{Name: "shop", Hosts: []string{"shop.example"}}}}
	rapid.Check(t, func(t *rapid.T) {
		pick := targetPicker{cfg: cfg, src: cfg.Sources[0]}
		rows := rapid.IntRange(0, 20).Draw(t, "rows")
		for line := range rows {
			fields := map[string]any{}
			for _, column := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"url", "Source", "key", "isbn"}), func(c string) string { return c }).Draw(t, "columns") {
				fields[column] = rapid.OneOf(rapid.Just(any("https://shop.example/1")), rapid.Map(rapid.String(), func(s string) any { return s }),
					rapid.Just(any(json.Number("1"))), rapid.Just(any(nil))).Draw(t, column)
			}
			pick.take(intake.Row{Line: line + 1, Fields: fields})
		}
		require.Equal(t, rows, len(pick.records)+pick.others+pick.refused)
		require.Equal(t, pick.refused > 0, pick.refusal != nil)
		for _, rec := range pick.records {
			require.Equal(t, "https://shop.example/1", rec.URL)
		}
	})
}
