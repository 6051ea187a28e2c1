package fetch

import (
	"context"
	"crypto/x509"
	"errors"
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

// Options are what a Client needs from outside. The zero value works, for sources without secret headers.
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
	// Secret resolves the reference of a secret header. It is called for every request, so it should cache.
	Secret func(ref string) (string, error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Client makes requests. It keeps one pool of connections per source and is safe for concurrent use.
type Client struct {
	options Options

	mu    sync.Mutex
	pools map[string]pool
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
	return &Client{options: o, pools: map[string]pool{}}
}

// Close closes the connections that are not in use.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pools {
		p.transport.CloseIdleConnections()
	}
}

// Fetch makes the record's request and captures the answer: a response when the target answered 2xx and the whole body
// arrived, else nil. The observation is always set; failure.Classify of it is empty exactly when there is a response.
//
// The whole exchange, redirects and body included, takes at most the source's Timeout, and ends at once when ctx does.
func (c *Client) Fetch(ctx context.Context, src collection.Source, rec collection.Record) (*collection.Response, failure.Observation) {
	started := c.options.Now()
	if src.Timeout <= 0 {
		src.Timeout = defaultTimeout
	}
	if src.MaxBody <= 0 {
		src.MaxBody = defaultMaxBody
	}
	req, err := BuildRequest(src, rec)
	if err != nil {
		return nil, observeInput(err)
	}
	if err := c.addSecrets(req, src); err != nil {
		return nil, observeInput(err)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", c.options.UserAgent)
	}
	x := newExchange(ctx, c.transport(src), src, req)
	defer x.close()
	res := x.run()
	if res != nil {
		res.FetchedAt = c.options.Now()
		res.Duration = res.FetchedAt.Sub(started)
		res.FetchedAt = res.FetchedAt.UTC()
	}
	return res, x.observed
}

// addSecrets resolves the source's secret headers into the request, and sees to it that its credentials, secret or
// not, go where they belong.
func (c *Client) addSecrets(req *http.Request, src collection.Source) error {
	for name, ref := range src.Request.SecretHeaders {
		value, err := c.options.Secret(ref)
		if err == nil && !httpguts.ValidHeaderFieldValue(value) {
			err = errors.New("its value has a character that HTTP does not allow, perhaps a line break at its end")
		}
		if err != nil {
			return &secretError{header: name, cause: err}
		}
		req.Header.Set(name, value)
	}
	for _, name := range credentialHeaders(src) {
		if req.Header.Get(name) != "" {
			return checkMayHoldCredentials(src, req.URL)
		}
	}
	return nil
}
