package workers

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
	"github.com/weir-collect/weir/internal/tryout"
)

// nameServer knows some names: any other does not exist.
type nameServer map[string]string

// resolver speaks DNS over a pipe, so that the real resolver is in the test.
func (n nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			for n.answer(theirs) == nil {
			}
		}()
		return ours, nil
	}}
}

func (n nameServer) answer(conn net.Conn) error {
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return err
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return err
	}
	question := m.Questions[0]
	m.Additionals, m.Response, m.RCode = nil, true, dnsmessage.RCodeNameError
	if address, err := netip.ParseAddr(n[strings.TrimSuffix(question.Name.String(), ".")]); err == nil {
		m.RCode = dnsmessage.RCodeSuccess
		if question.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: address.As4()},
			}}
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
	return err
}

// oneSource is a configuration.
type oneSource struct{ src collection.Source }

func (o oneSource) Source(string) (collection.Source, bool)        { return o.src, true }
func (o oneSource) SourceForHost(string) (collection.Source, bool) { return o.src, true }
func (oneSource) Customer(string) (collection.Customer, bool)      { return collection.Customer{}, false }

// collector is a Collector with real rules and a real client, and a record's progress from attempt to attempt.
type collector struct {
	interceptor.WorkerInterceptorBase
	*activities.Collector
	permits *counted

	mu       sync.Mutex
	progress *collection.AttemptProgress
}

func newCollector(t *testing.T, src collection.Source, client *fetch.Client, ways activities.Egresses) *collector {
	t.Helper()
	t.Cleanup(client.Close)
	c := &collector{permits: newCounted()}
	rules, err := NewSiteRules([]collection.Source{src}, RobotsNeeds{
		Fetcher: client, Permits: c.permits, Egresses: ways, Metrics: silentMetrics{}, Agent: "tester/1.0 (+https://a.example)",
		Now: time.Now, Learn: func(string, string, time.Duration) {},
	})
	require.NoError(t, err)
	c.Collector = &activities.Collector{
		Store: memstore.New(), Directory: oneSource{src}, Fetcher: client, Permits: c.permits, Robots: rules, Egresses: ways,
		Metrics: silentMetrics{}, Memory: newMemory(1 << 30), Clock: time.Now, Random: func() float64 { return 0.5 },
	}
	return c
}

// collect makes one attempt, which takes over from the one before.
func (c *collector) collect(t *testing.T, url string) (collection.CollectResult, *temporal.ApplicationError) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{c}})
	env.RegisterActivity(c.Collect)
	if c.progress != nil {
		before := *c.progress
		before.Ended = 0 // the environment says of every attempt that it is the first
		env.SetHeartbeatDetails(before)
	}
	value, err := env.ExecuteActivity(c.Collect, collection.CollectInput{
		Submission: "s1", Customer: "acme", Source: "books", AcceptedAt: time.Now(),
		Record: collection.Record{ID: collection.RecordID("books", url), Key: url, URL: url},
	})
	var out collection.CollectResult
	if err != nil {
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		return out, app
	}
	require.NoError(t, value.Get(&out))
	return out, nil
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (c *collector) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &listening{interceptor.ActivityInboundInterceptorBase{Next: next}, c}
}

type listening struct {
	interceptor.ActivityInboundInterceptorBase
	to *collector
}

func (l *listening) Init(out interceptor.ActivityOutboundInterceptor) error {
	return l.Next.Init(&heard{interceptor.ActivityOutboundInterceptorBase{Next: out}, l.to})
}

type heard struct {
	interceptor.ActivityOutboundInterceptorBase
	by *collector
}

func (h *heard) RecordHeartbeat(_ context.Context, details ...any) {
	p := details[0].(collection.AttemptProgress)
	h.by.mu.Lock()
	defer h.by.mu.Unlock()
	h.by.progress = &p
}

// anyBooks is a source of any host below these.
func anyBooks() collection.Source {
	return collection.Source{
		Name: "books", Hosts: []string{"*.example", "169.254.169.254"}, Ceiling: 2, Attempts: 3, Timeout: 10 * time.Second, MaxBody: 1 << 20,
		Backoff: collection.Backoff{Min: time.Second, Max: time.Minute}, GiveUpAfter: 24 * time.Hour,
	}
}

// TestHostThatDoesNotExist: while robots.txt is obeyed it is what is asked for first, and a name that does not exist is
// looked up once more and ends the record; C3 38. The source, whose other hosts are in order, pays nothing for it.
func TestHostThatDoesNotExist(t *testing.T) {
	t.Parallel()
	c := newCollector(t, anyBooks(), fetch.New(fetch.Options{Resolver: nameServer{}.resolver()}), oneWay{})
	_, err := c.collect(t, "https://nope.example/a")
	require.Equal(t, string(collection.ReasonDNSNotFound), err.Type())
	require.False(t, err.NonRetryable())
	require.GreaterOrEqual(t, err.NextRetryDelay(), time.Minute, "a resolver says the same for so long")
	require.Nil(t, c.progress.Trail.Robots, "nobody has said anything of robots.txt")
	_, err = c.collect(t, "https://nope.example/a")
	require.Equal(t, string(collection.ReasonDNSNotFound), err.Type())
	require.True(t, err.NonRetryable(), "confirmed")
	require.Contains(t, err.Message(), "nope.example")
	require.Equal(t, 2, c.permits.acquired, "each lookup is a request's")
	require.Empty(t, c.permits.reasons)
}

// TestPrivateAddress: what leads into a private network is refused: at once where the address is written so, and after
// another look where a resolver says so of a name.
func TestPrivateAddress(t *testing.T) {
	t.Parallel()
	c := newCollector(t, anyBooks(), fetch.New(fetch.Options{Resolver: nameServer{"inside.example": "10.0.0.7"}.resolver()}), oneWay{})
	for url, looks := range map[string]int{"http://169.254.169.254/latest/": 1, "https://inside.example/a": 2} {
		c.progress = nil
		for look := 1; look < looks; look++ {
			_, err := c.collect(t, url)
			require.Equal(t, string(collection.ReasonPrivateAddress), err.Type(), url)
			require.False(t, err.NonRetryable())
			require.GreaterOrEqual(t, err.NextRetryDelay(), time.Minute)
		}
		out, err := c.collect(t, url)
		require.Nil(t, err, url)
		require.Equal(t, collection.OutcomeRefused, out.Outcome)
		require.Equal(t, collection.ReasonPrivateAddress, out.Reason)
	}
	require.Empty(t, c.permits.reasons)
}

// TestOutageOfNames: where resolvers say that a name of the configuration does not exist, or leads nowhere, it is the source's
// outage (E09): its breaker hears of it although only robots.txt is asked for, and no record ends.
func TestOutageOfNames(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		change func(*collection.Source)
		names  nameServer
		reason collection.Reason
	}{
		"in hosts":          {func(s *collection.Source) { s.Hosts = []string{"www.example"} }, nil, collection.ReasonDNSNotFound},
		"in the request":    {func(s *collection.Source) { s.Request.URL = "https://www.example/a" }, nil, collection.ReasonDNSNotFound},
		"to the sinkhole":   {func(s *collection.Source) { s.Hosts = []string{"www.example"} }, nameServer{"www.example": "0.0.0.0"}, collection.ReasonPrivateAddress},
		"to this machine":   {func(s *collection.Source) { s.Hosts = []string{"www.example"} }, nameServer{"www.example": "127.0.0.1"}, collection.ReasonPrivateAddress},
		"of a wildcard too": {func(s *collection.Source) { s.Hosts = []string{"*.example", "www.example"} }, nil, collection.ReasonDNSNotFound},
	} {
		src := anyBooks()
		c.change(&src)
		b := newCollector(t, src, fetch.New(fetch.Options{Resolver: c.names.resolver()}), oneWay{})
		for n := 1; n <= 2*src.Attempts; n++ {
			_, err := b.collect(t, "https://www.example/a")
			require.NotNil(t, err, what)
			require.Equal(t, string(c.reason), err.Type(), what)
			require.False(t, err.NonRetryable(), what)
			require.Zero(t, b.progress.Faults, what)
			require.Len(t, b.permits.reasons, n, what)
			require.Equal(t, collection.ReasonDNSNotFound, b.permits.reasons[n-1], "a fault of the target's: %s", what)
		}
	}
}

// TestCertificate: a certificate that nobody trusts is the origin's, for robots.txt and for the page alike: the record ends
// by that reason after its attempts, and the source hears of it.
func TestCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	src := anyBooks()
	src.AllowPrivateAddresses = true
	c := newCollector(t, src, fetch.New(fetch.Options{DialContext: dialing(server)}), oneWay{})
	for n := 1; n <= src.Attempts; n++ {
		_, err := c.collect(t, "https://www.example/a")
		require.Equal(t, string(collection.ReasonTLSError), err.Type(), err)
		require.Equal(t, n == src.Attempts, err.NonRetryable())
		require.Equal(t, n, c.progress.Faults)
		require.Len(t, c.permits.reasons, n)
		require.Equal(t, collection.ReasonTLSError, c.permits.reasons[n-1])
	}
}

// dialing is a net in which every name leads to one server.
func dialing(server *httptest.Server) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, server.Listener.Addr().String())
	}
}

// TestRedirectedToNowhere: a file that has moved to where nothing is cannot be read; the record's own host is in order, and
// the record waits.
func TestRedirectedToNowhere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://nope.example/robots.txt", http.StatusFound)
	}))
	t.Cleanup(server.Close)
	src := anyBooks()
	src.AllowPrivateAddresses = true
	lost := func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "nope.") {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nope.example", IsNotFound: true}}
		}
		return dialing(server)(ctx, network, address)
	}
	c := newCollector(t, src, fetch.New(fetch.Options{DialContext: lost}), oneWay{})
	_, err := c.collect(t, "http://www.example/a")
	require.Equal(t, string(collection.ReasonRobotsUnreachable), err.Type(), err)
	require.False(t, err.NonRetryable())
}

// proxied is a source's choice of one proxy.
type proxied struct {
	mu       *sync.Mutex
	reported *[]collection.Reason
}

func (proxied) Choose(collection.Source, collection.Record, string) (string, error) {
	return "east", nil
}

func (p proxied) Report(_ string, reason collection.Reason) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*p.reported = append(*p.reported, reason)
}

// TestEgressOnTheWayToRobots: a dead proxy is the proxy's fault also where robots.txt is what was asked for: by reason, in the
// trail, and against the proxy, not the source.
func TestEgressOnTheWayToRobots(t *testing.T) {
	t.Parallel()
	src := anyBooks()
	src.Egress.Use = []string{"east"}
	client := fetch.New(fetch.Options{Egresses: []collection.Egress{
		{Name: "east", Type: "http", Address: "127.0.0.1:1", AllowPrivateAddress: true}, // nothing listens there
	}})
	var reported []collection.Reason
	c := newCollector(t, src, client, proxied{mu: &sync.Mutex{}, reported: &reported})
	_, failed := c.collect(t, "https://www.example/a")
	require.Equal(t, string(collection.ReasonEgressUnavailable), failed.Type(), failed)
	require.False(t, failed.NonRetryable())
	require.Contains(t, failed.Message(), "east")
	require.Zero(t, c.progress.Faults)
	require.Equal(t, "east", c.progress.BadEgress)
	lines := c.progress.Trail.Attempts
	require.Equal(t, "east", lines[0].Egress)
	require.Equal(t, collection.ReasonEgressUnavailable, lines[0].Reason)
	require.Equal(t, []collection.Reason{collection.ReasonEgressUnavailable}, reported)

	c = newCollector(t, src, client, oneWay{retired: true})
	_, failed = c.collect(t, "https://www.example/a")
	require.Equal(t, string(collection.ReasonEgressUnavailable), failed.Type(), failed)
	require.Contains(t, failed.Message(), "all egresses are retired")
	require.Positive(t, failed.NextRetryDelay())
	require.Zero(t, c.permits.reasons)
}

// TestTryoutOfAHostThatCannotBeAsked: whoever tries a record is told what a worker would find.
func TestTryoutOfAHostThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	client := fetch.New(fetch.Options{Resolver: nameServer{"inside.example": "10.0.0.7"}.resolver()})
	c := newCollector(t, anyBooks(), client, oneWay{})
	steps := tryout.Steps{Target: client.Target, Robots: c.Robots.Check, Fetch: client.Fetch}
	rules, err := extract.Compile(collection.Parse{Type: "html", Fields: []collection.Field{{Name: "title", CSS: "h1"}}}, nil)
	require.NoError(t, err)
	for url, want := range map[string]collection.Reason{
		"https://nope.example/a":         collection.ReasonDNSNotFound,
		"https://inside.example/a":       collection.ReasonPrivateAddress,
		"http://169.254.169.254/latest/": collection.ReasonPrivateAddress,
	} {
		report, err := steps.Run(t.Context(), anyBooks(), collection.Record{URL: url}, rules, collection.Via{})
		require.NoError(t, err)
		require.Equal(t, want, report.Reason)
		require.NotEmpty(t, report.Detail)
	}
}
