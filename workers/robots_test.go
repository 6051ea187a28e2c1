package workers

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/robots/guard"
)

// host is a site behind a fetcher: what its robots.txt says, and what it was asked.
type host struct {
	robots string
	seen   failure.Observation
	asked  []string
	header collection.Request
	sticky string
	// during happens while it is asked.
	during func()
}

func (h *host) Fetch(_ context.Context, src collection.Source, rec collection.Record, _ collection.Via) (*collection.Response, failure.Observation) {
	h.asked, h.header, h.sticky = append(h.asked, rec.URL), src.Request, src.Egress.Sticky
	if h.during != nil {
		h.during()
	}
	if failure.Classify(h.seen) != "" {
		return nil, h.seen
	}
	return &collection.Response{Status: 200, Body: []byte(h.robots)}, h.seen
}

func (h *host) Fingerprint(collection.Source, collection.Record) (string, error) { return "", nil }

func (h *host) Target(_ collection.Source, rec collection.Record) (string, error) {
	return rec.URL, nil
}

// oneWay is a source without a choice of egresses.
type oneWay struct{ retired bool }

func (w oneWay) Choose(collection.Source, collection.Record, string) (string, error) {
	if w.retired {
		return "", errors.New("all egresses are retired")
	}
	return collection.EgressDirect, nil
}
func (oneWay) Report(string, collection.Reason) {}

// counted hands out permits of which there is one, and counts.
type counted struct {
	free chan struct{}
	// context and still are the permits' own; without them they last.
	context         context.Context
	still           func() error
	acquired, again int
	reasons         []collection.Reason
}

func newCounted() *counted {
	c := &counted{free: make(chan struct{}, 1), context: context.Background()}
	c.free <- struct{}{}
	return c
}

func (c *counted) Method(string) string { return "" }

func (c *counted) Acquire(ctx context.Context, _ string) (*activities.Permit, error) {
	select {
	case <-c.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.acquired++
	return &activities.Permit{
		Context: c.context, Still: c.still, EndRequest: func() {}, Release: sync.OnceFunc(func() { c.free <- struct{}{} }),
		Again: func(context.Context) error { c.again++; return nil },
	}, nil
}

func (c *counted) Report(_ string, reason collection.Reason, _ time.Duration) {
	c.reasons = append(c.reasons, reason)
}

type silentMetrics struct{}

func (silentMetrics) RecordEnded(string, collection.Outcome, collection.Reason) {}
func (silentMetrics) StartWait(string, time.Duration)                           {}
func (silentMetrics) Request(string, collection.Reason, time.Duration, int64)   {}
func (silentMetrics) Delivered(customer string, bytes int64, lag time.Duration) {}

// ruled is the rules of one source.
type ruled struct {
	*SiteRules
	host    *host
	permits *counted
	delays  []time.Duration
	src     collection.Source
}

func newRuled(t *testing.T, text string, ways oneWay) *ruled {
	t.Helper()
	r := &ruled{
		host: &host{robots: text, seen: failure.Observation{Status: 200}}, permits: newCounted(),
		src: collection.Source{Name: "books", Request: collection.Request{SecretHeaders: map[string]string{"Authorization": "env:X"}},
			Egress: collection.EgressUse{Sticky: "{account}"}},
	}
	var err error
	r.SiteRules, err = NewSiteRules([]collection.Source{r.src}, RobotsNeeds{
		Fetcher: r.host, Permits: r.permits, Egresses: ways, Metrics: silentMetrics{}, Agent: "tester/1.0 (+https://a.example)", Now: time.Now,
		Learn: func(_, _ string, d time.Duration) { r.delays = append(r.delays, d) },
	})
	require.NoError(t, err)
	return r
}

// TestRobotsTakeAPermit: robots.txt is asked for once, under a permit, without the source's credentials, and its crawl delay
// is passed on.
func TestRobotsTakeAPermit(t *testing.T) {
	r := newRuled(t, "User-agent: *\nDisallow: /a\nCrawl-delay: 3\n", oneWay{})
	decision, err := r.Check(t.Context(), r.src, "https://books.example/a")
	var refused *collection.Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, collection.ReasonRobotsDenied, refused.Reason)
	require.Equal(t, 2, decision.Line)
	_, err = r.Check(t.Context(), r.src, "https://books.example/b")
	require.NoError(t, err)
	require.Equal(t, []string{"https://books.example/robots.txt"}, r.host.asked)
	require.Empty(t, r.host.header)
	require.Empty(t, r.host.sticky, "no record's fields say by which way")
	require.Equal(t, 1, r.permits.acquired)
	require.Equal(t, []time.Duration{3 * time.Second}, r.delays)
	require.Equal(t, []collection.Reason{""}, r.permits.reasons)
}

// TestRobotsOfAHop: while the only permit of the source is held by the request that was redirected, the robots.txt of where
// it leads is read under that same permit; one that is known is not asked for.
func TestRobotsOfAHop(t *testing.T) {
	r := newRuled(t, "User-agent: *\nDisallow: /a\n", oneWay{})
	_, err := r.Check(t.Context(), r.src, "https://books.example/b")
	require.NoError(t, err)
	permit, err := r.permits.Acquire(t.Context(), "books")
	require.NoError(t, err)
	defer permit.Release()
	require.NoError(t, r.CheckHop(t.Context(), r.src, "https://books.example/c", permit))
	require.Error(t, r.CheckHop(t.Context(), r.src, "https://books.example/a", permit))
	require.Zero(t, r.permits.again)
	require.NoError(t, r.CheckHop(t.Context(), r.src, "https://other.example/c", permit))
	require.Error(t, r.CheckHop(t.Context(), r.src, "https://other.example/a", permit))
	require.Equal(t, 1, r.permits.again, "a request at the source's pace")
	require.Equal(t, []string{"https://books.example/robots.txt", "https://other.example/robots.txt"}, r.host.asked)
}

// TestRobotsThatCannotBeRead: what the site answers decides; what our own side broke off decides nothing.
func TestRobotsThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		seen failure.Observation
		want collection.Reason
	}{
		"404":     {failure.Observation{Status: 404, Message: "m"}, ""},
		"away":    {failure.Observation{Status: 302, Transport: failure.TransportRedirectOffSource, Message: "m"}, collection.ReasonRobotsUnreachable},
		"503":     {failure.Observation{Status: 503, Message: "m"}, collection.ReasonRobotsUnreachable},
		"429":     {failure.Observation{Status: 429, Message: "m"}, collection.ReasonRobotsUnreachable},
		"refused": {failure.Observation{Transport: failure.TransportRefused, Message: "m"}, collection.ReasonRobotsUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRuled(t, "", oneWay{})
			r.host.seen = c.seen
			_, err := r.Check(t.Context(), r.src, "https://books.example/a")
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var refused *collection.Refused
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.want, refused.Reason)
		})
	}
	r := newRuled(t, "", oneWay{retired: true})
	_, err := r.Check(t.Context(), r.src, "https://books.example/a")
	require.ErrorIs(t, err, guard.ErrBrokenOff)
	var fault *activities.EgressError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, activities.EgressError{Reason: collection.ReasonEgressUnavailable, Detail: "all egresses are retired"}, *fault)
	for _, c := range []struct {
		seen failure.Observation
		want collection.Reason
	}{
		{failure.Observation{Egress: failure.Egress{Proxy: true, Status: 502}, Message: "m"}, collection.ReasonEgressUnavailable},
		{failure.Observation{Egress: failure.Egress{Proxy: true, Status: 407}, Message: "m"}, collection.ReasonEgressAuth},
		{failure.Observation{Egress: failure.Egress{Proxy: true, Status: 403}, Message: "m"}, collection.ReasonEgressRefused},
		{failure.Observation{Transport: failure.TransportCancelled, Message: "m"}, ""},
	} {
		r = newRuled(t, "", oneWay{})
		r.host.seen = c.seen
		_, err = r.Check(t.Context(), r.src, "https://books.example/a")
		require.ErrorIs(t, err, guard.ErrBrokenOff)
		fault = nil
		require.Equal(t, c.want != "", errors.As(err, &fault))
		if fault != nil {
			require.Equal(t, activities.EgressError{Reason: c.want, Egress: collection.EgressDirect, Detail: "m"}, *fault)
		}
	}
}

// TestRobotsIgnored: a source that is configured so is not asked.
func TestRobotsIgnored(t *testing.T) {
	r := newRuled(t, "User-agent: *\nDisallow: /\n", oneWay{})
	ignoring := r.src
	ignoring.Name, ignoring.Robots = "films", collection.RobotsIgnore
	decision, err := r.Check(t.Context(), ignoring, "https://films.example/a")
	require.NoError(t, err)
	require.Contains(t, decision.Why, "ignored")
	require.NoError(t, r.CheckHop(t.Context(), ignoring, "https://films.example/b", nil))
	require.Empty(t, r.host.asked)
}
