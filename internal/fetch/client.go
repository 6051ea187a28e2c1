package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// Bounds that a source may state and that hold where it does not.
const (
	defaultTimeout = 30 * time.Second
	defaultMaxBody = 16 << 20
)

// defaultUserAgent names weir to targets where nothing else is configured.
const defaultUserAgent = "weir"

// Options are what a Client needs from outside. The zero value works, for sources without secrets.
type Options struct {
	// UserAgent names us to targets, unless a source states its own.
	UserAgent string
	// Resolver looks names up; nil means the system's.
	Resolver *net.Resolver
	// DialContext opens connections instead of the package's own dialer. What it returns is still checked for private
	// addresses.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// RootCAs are the trusted certificate authorities; nil means the system's.
	RootCAs *x509.CertPool
	// Secret resolves the reference of a secret header or parameter, or of a proxy's credentials. It is called for every request,
	// so it should cache.
	Secret func(ref string) (string, error)
	// Debug is told in full what ended a request: observations leave out the addresses of our own side. Nil is for nobody.
	Debug func(source, url string, err error)
	// Egresses are the proxies that a request may go out by.
	Egresses []collection.Egress
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Client makes requests. It keeps one pool of connections per source and egress, and is safe for concurrent use.
type Client struct {
	options  Options
	egresses map[string]collection.Egress

	mu    sync.Mutex
	pools map[poolKey]pool
}

// New returns a client without connections.
func New(o Options) *Client {
	if o.UserAgent == "" {
		o.UserAgent = defaultUserAgent
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Secret == nil {
		o.Secret = func(string) (string, error) {
			return "", errors.New("this worker has no way to resolve secrets: give fetch.Options a Secret")
		}
	}
	c := &Client{options: o, egresses: make(map[string]collection.Egress, len(o.Egresses)), pools: map[poolKey]pool{}}
	for _, e := range o.Egresses {
		c.egresses[e.Name] = e
	}
	return c
}

// Close closes the connections that are not in use.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pools {
		p.transport.CloseIdleConnections()
	}
}

// Target is the URL that the record's request goes to. Its error is an *InputError.
func (c *Client) Target(src collection.Source, rec collection.Record) (string, error) {
	req, err := BuildRequest(src, rec)
	if err != nil {
		return "", err
	}
	return req.URL.String(), nil
}

// Fetch makes the record's request and captures the answer: a response when the target answered 2xx and the whole body
// arrived, or when it said that what via names has not changed; else nil. The observation is always set; failure.Classify
// of it is empty exactly when there is a response.
//
// The whole exchange, redirects and body included, takes at most the source's Timeout, without the time that via.Hop takes,
// and ends at once when ctx does.
func (c *Client) Fetch(
	ctx context.Context, src collection.Source, rec collection.Record, via collection.Via,
) (*collection.Response, failure.Observation) {
	started := c.options.Now()
	src = bounded(src)
	egress, known := c.egress(via.Egress)
	if !known {
		return nil, observeUnknownEgress(via.Egress)
	}
	req, kept, err := c.request(src, rec)
	if err != nil {
		return nil, observeInput(err)
	}
	if err := c.mayUse(egress); err != nil {
		seen := observeInput(err)
		seen.Egress.Proxy, seen.Egress.Name = true, egress.Name
		return nil, seen
	}
	x := newExchange(ctx, kept.addTo(c.transport(src, egress), req.URL), src, req)
	defer x.close()
	x.discretion, x.debug = kept, c.options.Debug
	x.egress, x.askHop, x.askRoom, x.askStill, x.clip = egress.Name, via.Hop, via.Room, via.Still, via.Clip
	x.conditional = addCondition(req, via)
	res := x.run()
	x.observeEgress()
	if res != nil {
		kept.conceal(res, x.first)
		res.FetchedAt = c.options.Now()
		res.Duration = res.FetchedAt.Sub(started)
		res.FetchedAt = res.FetchedAt.UTC()
	}
	return res, x.observed
}

// bounded is the source with the bounds that it does not state.
func bounded(src collection.Source) collection.Source {
	if src.Timeout <= 0 {
		src.Timeout = defaultTimeout
	}
	if src.MaxBody <= 0 {
		src.MaxBody = defaultMaxBody
	}
	return src
}

// request is the record's request, complete but for the secrets of its query, and what is to be kept of these.
func (c *Client) request(src collection.Source, rec collection.Record) (*http.Request, discretion, error) {
	req, err := BuildRequest(src, rec)
	if err != nil {
		return nil, discretion{}, err
	}
	if err := c.addSecrets(req, src); err != nil {
		return nil, discretion{}, err
	}
	kept, err := c.secretQuery(src.Request.SecretQuery)
	if err != nil {
		return nil, discretion{}, err
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", c.options.UserAgent)
	}
	return req, kept, nil
}

// addSecrets resolves the source's secret headers into the request, which goes where they belong: BuildRequest has seen to it.
func (c *Client) addSecrets(req *http.Request, src collection.Source) error {
	for name, ref := range src.Request.SecretHeaders {
		value, err := c.options.Secret(ref)
		if err == nil && !httpguts.ValidHeaderFieldValue(value) {
			err = errors.New("its value has a character that HTTP does not allow, perhaps a line break at its end")
		}
		if err != nil {
			return &secretError{what: fmt.Sprintf("secret header %q", name), cause: err}
		}
		req.Header.Set(name, value)
	}
	return nil
}
