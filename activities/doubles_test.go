package activities

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
)

var errOutage = errors.New("connection refused")

// shaky is a store that can be made to fail.
type shaky struct {
	*memstore.Store
	// trouble is asked about every call: its number from 1, what it does, and to which object.
	trouble func(n int, op, key string) trouble

	mu    sync.Mutex
	calls []string
}

// trouble is what happens to one call.
type trouble struct {
	// refuse is an error instead of the call; lose is an error after it was done.
	refuse, lose error
	// cut ends a stream after so many bytes; zero means that it is whole.
	cut int
}

func newShaky() *shaky { return &shaky{Store: memstore.New()} }

// meet counts a call and says what happens to it.
func (s *shaky) meet(op, key string) trouble {
	s.mu.Lock()
	s.calls = append(s.calls, op+" "+key)
	n := len(s.calls)
	s.mu.Unlock()
	if s.trouble == nil {
		return trouble{}
	}
	return s.trouble(n, op, key)
}

// remove makes an object disappear behind everybody's back.
func (s *shaky) remove(key string) {
	if err := s.Store.Delete(context.Background(), []string{key}); err != nil {
		panic(err)
	}
}

func (s *shaky) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

func (s *shaky) called(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c == call {
			return true
		}
	}
	return false
}

// guard makes a call unless it is refused.
func guard[T any](s *shaky, op, key string, call func() (T, error)) (T, error) {
	tr := s.meet(op, key)
	var none T
	if tr.refuse != nil {
		return none, tr.refuse
	}
	out, err := call()
	if tr.lose != nil {
		return none, tr.lose
	}
	return out, err
}

func (s *shaky) Put(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error) {
	return guard(s, "Put", key, func() (collection.ObjectInfo, error) { return s.Store.Put(ctx, key, body, contentType) })
}

func (s *shaky) Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error) {
	return guard(s, "Create", key, func() (collection.ObjectInfo, error) { return s.Store.Create(ctx, key, body, contentType) })
}

func (s *shaky) Replace(ctx context.Context, key string, body []byte, contentType string, old collection.ObjectInfo) (collection.ObjectInfo, error) {
	return guard(s, "Replace", key, func() (collection.ObjectInfo, error) { return s.Store.Replace(ctx, key, body, contentType, old) })
}

func (s *shaky) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	return guard(s, "Get", key, func() ([]byte, error) { return s.Store.Get(ctx, key, limit) })
}

func (s *shaky) GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error) {
	return guard(s, "GetRange", r.Key, func() ([]byte, error) { return s.Store.GetRange(ctx, r) })
}

func (s *shaky) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	return guard(s, "Head", key, func() (collection.ObjectInfo, error) { return s.Store.Head(ctx, key) })
}

// Open may end its stream with an error.
func (s *shaky) Open(ctx context.Context, key string) (io.ReadCloser, collection.ObjectInfo, error) {
	tr := s.meet("Open", key)
	if tr.refuse != nil {
		return nil, collection.ObjectInfo{}, tr.refuse
	}
	body, info, err := s.Store.Open(ctx, key)
	if tr.lose != nil {
		return nil, collection.ObjectInfo{}, tr.lose
	}
	if err != nil || tr.cut == 0 {
		return body, info, err
	}
	return io.NopCloser(io.MultiReader(io.LimitReader(body, int64(tr.cut)), broken{})), info, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errOutage }

// dump is every object that is there, by key.
func (s *shaky) dump(t require.TestingT) map[string]string {
	out := map[string]string{}
	for info, err := range s.List(context.Background(), "") {
		require.NoError(t, err)
		out[info.Key] = s.text(t, info.Key)
	}
	return out
}

// sums is dump with digests instead of contents, for comparing.
func (s *shaky) sums(t require.TestingT) map[string]string {
	out := s.dump(t)
	for key, body := range out {
		out[key] = collection.Digest([]byte(body))
	}
	return out
}

// text is one object, read past the trouble.
func (s *shaky) text(t require.TestingT, key string) string {
	body, err := s.Store.Get(context.Background(), key, 1<<30)
	require.NoError(t, err)
	return string(body)
}

// set writes an object past the trouble.
func (s *shaky) set(t require.TestingT, key, body string) {
	_, err := s.Store.Put(context.Background(), key, []byte(body), typeBytes)
	require.NoError(t, err)
}

// directory is a small configuration.
type directory struct {
	sources   []collection.Source
	customers []collection.Customer
}

func (d directory) Source(name string) (collection.Source, bool) {
	for _, s := range d.sources {
		if s.Name == name {
			return s, true
		}
	}
	return collection.Source{}, false
}

func (d directory) SourceForHost(host string) (collection.Source, bool) {
	for _, s := range d.sources {
		if s.Owns(host) {
			return s, true
		}
	}
	return collection.Source{}, false
}

func (d directory) Customer(name string) (collection.Customer, bool) {
	for _, c := range d.customers {
		if c.Name == name {
			return c, true
		}
	}
	return collection.Customer{}, false
}

// turnstile hands out permits and counts them.
type turnstile struct {
	// acquire is what a request for a permit meets; nil means that there is one.
	acquire func(ctx context.Context) error
	// permit is the permit's context; nil means one that does not end.
	permit context.Context

	// waited and paced are what permits say of themselves.
	waited, paced time.Duration

	mu sync.Mutex
	// method is the fetch method in use.
	method                string
	held, granted, agains int
	// rooms is how many have room in the process.
	rooms   int
	reports []reported
}

// reported is one call of Report.
type reported struct {
	source     string
	reason     collection.Reason
	retryAfter time.Duration
}

func (p *turnstile) Report(source string, reason collection.Reason, retryAfter time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reports = append(p.reports, reported{source, reason, retryAfter})
}

func (p *turnstile) Method(string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.method
}

func (p *turnstile) Acquire(ctx context.Context, source string) (*Permit, error) {
	if p.acquire != nil {
		if err := p.acquire(ctx); err != nil {
			return nil, err
		}
	}
	method := p.Method(source)
	permit := p.permit
	if permit == nil {
		permit = context.Background()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held++
	p.granted++
	p.rooms++
	var ended, left sync.Once
	less := func(n *int) func() {
		return func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			*n--
		}
	}
	return &Permit{
		Context: permit, Method: method, Waited: p.waited, Paced: p.paced,
		Again: func(context.Context) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.agains++
			return nil
		},
		EndRequest: func() { ended.Do(less(&p.held)) },
		Release: func() {
			ended.Do(less(&p.held))
			left.Do(less(&p.rooms))
		},
	}, nil
}

// roomsTaken is how many have room in the process.
func (p *turnstile) roomsTaken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rooms
}

func (p *turnstile) state() (held, granted int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held, p.granted
}

type fetchFunc func(
	ctx context.Context, src collection.Source, rec collection.Record, via collection.Via,
) (*collection.Response, failure.Observation)

// Fetch asks, like every fetcher, whether the request may still go out before it is made.
func (f fetchFunc) Fetch(
	ctx context.Context, src collection.Source, rec collection.Record, via collection.Via,
) (*collection.Response, failure.Observation) {
	if via.Still != nil {
		if err := via.Still(); err != nil {
			return nil, failure.Observation{Transport: failure.TransportCancelled, Message: err.Error()}
		}
	}
	return f(ctx, src, rec, via)
}

// Fingerprint is one for each request that a source makes.
func (f fetchFunc) Fingerprint(src collection.Source, _ collection.Record) (string, error) {
	body, err := json.Marshal(src.Request)
	return collection.Digest(body), err
}

// Target is the record's URL, or the method's own.
func (f fetchFunc) Target(src collection.Source, rec collection.Record) (string, error) {
	if src.Request.URL != "" {
		return src.Request.URL, nil
	}
	if rec.URL == "" {
		return "", errors.New("the record has no URL")
	}
	return rec.URL, nil
}

// robots is what robots.txt files say; without any function they allow everything.
type robots struct {
	check func(url string) (collection.RobotsDecision, error)
	hop   func(url string) error
}

func (r robots) Check(_ context.Context, _ collection.Source, url string) (collection.RobotsDecision, error) {
	if r.check == nil {
		return collection.RobotsDecision{Allowed: true, Why: "no rule"}, nil
	}
	return r.check(url)
}

func (r robots) CheckHop(_ context.Context, _ collection.Source, url string, _ *Permit) error {
	if r.hop == nil {
		return nil
	}
	return r.hop(url)
}

// ways are egresses: the first that is good and not to be avoided.
type ways struct {
	bad     map[string]bool
	reports []wayReport
}

type wayReport struct {
	name   string
	reason collection.Reason
}

func (w *ways) Choose(src collection.Source, _ collection.Record, avoid string) (string, error) {
	if len(src.Egress.Use) == 0 {
		return collection.EgressDirect, nil
	}
	second := ""
	for _, name := range src.Egress.Use {
		switch {
		case w.bad[name]:
		case name == avoid:
			second = name
		default:
			return name, nil
		}
	}
	if second == "" {
		return "", errors.New("every egress is retired")
	}
	return second, nil
}

func (w *ways) Report(name string, reason collection.Reason) {
	w.reports = append(w.reports, wayReport{name, reason})
}

// room is memory that counts.
type room struct{ taken, most int64 }

func (r *room) Acquire(_ context.Context, bytes int64) (int64, error) {
	r.taken += bytes
	r.most = max(r.most, r.taken)
	return bytes, nil
}

func (r *room) Release(taken int64) { r.taken -= taken }

// ended, started, asked and proved are what the metrics were told.
type (
	endedCall struct {
		source  string
		outcome collection.Outcome
		reason  collection.Reason
	}
	startedCall struct {
		customer string
		wait     time.Duration
	}
	askedCall struct {
		source string
		reason collection.Reason
		took   time.Duration
		bytes  int64
	}
	provedCall struct {
		customer string
		bytes    int64
		lag      time.Duration
	}
)

// ledgerOfMetrics takes down what the activities tell the metrics.
type ledgerOfMetrics struct {
	mu      sync.Mutex
	ended   []endedCall
	started []startedCall
	asked   []askedCall
	proved  []provedCall
}

func (m *ledgerOfMetrics) RecordEnded(source string, o collection.Outcome, r collection.Reason) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = append(m.ended, endedCall{source, o, r})
}

func (m *ledgerOfMetrics) StartWait(customer string, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.started = append(m.started, startedCall{customer, d})
}

func (m *ledgerOfMetrics) Request(source string, r collection.Reason, d time.Duration, size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, askedCall{source, r, d, size})
}

func (m *ledgerOfMetrics) Delivered(customer string, size int64, lag time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.proved = append(m.proved, provedCall{customer, size, lag})
}

type rulebook map[string]*extract.Rules

func (r rulebook) Rules(source, method string) (*extract.Rules, bool) {
	if method != "" {
		source += "/" + method
	}
	rules, ok := r[source]
	return rules, ok
}

// engineFunc answers for the engine.
type engineFunc func(ctx context.Context, workflowID string, into any) error

func (f engineFunc) Result(ctx context.Context, workflowID string, into any) error {
	return f(ctx, workflowID, into)
}

// mayRetry says whether the workflows' retry policy lets an error of this type be tried again.
func mayRetry(reason collection.Reason) bool {
	for _, r := range failure.NonRetryable() {
		if r == reason {
			return false
		}
	}
	return true
}

// headOnly is a destination that says one thing of every object.
type headOnly struct {
	Store
	info collection.ObjectInfo
}

func (h headOnly) Head(context.Context, string) (collection.ObjectInfo, error) { return h.info, nil }
