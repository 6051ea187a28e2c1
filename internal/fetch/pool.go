package fetch

import (
	"crypto/tls"
	"net/http"
	"time"

	"github.com/weir-collect/weir/collection"
)

// Bounds of one connection.
const (
	dialTimeout       = 10 * time.Second
	handshakeTimeout  = 10 * time.Second
	idleTimeout       = 90 * time.Second
	pingAfter         = 15 * time.Second
	maxResponseHeader = 256 << 10
)

// pool is the connections of one source, and what of the source they depend on.
type pool struct {
	transport *http.Transport
	ceiling   int
	private   bool
}

// transport is the source's pool of connections: as many stay open as there may be requests in flight. A source whose
// configuration has changed gets a new pool, since a connection into a private network must not outlive its permission.
func (c *Client) transport(src collection.Source) *http.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	ceiling := max(src.Ceiling, 1)
	p, ok := c.pools[src.Name]
	if ok && p.ceiling == ceiling && p.private == src.AllowPrivateAddresses {
		return p.transport
	}
	if ok {
		p.transport.CloseIdleConnections()
	}
	p = pool{transport: c.newTransport(ceiling, src.AllowPrivateAddresses), ceiling: ceiling, private: src.AllowPrivateAddresses}
	c.pools[src.Name] = p
	return p.transport
}

func (c *Client) newTransport(ceiling int, private bool) *http.Transport {
	d := dialer{
		resolver: c.options.Resolver,
		open:     c.options.DialContext,
		private:  private,
		tls:      &tls.Config{RootCAs: c.options.RootCAs, NextProtos: []string{"h2", "http/1.1"}},
	}
	return &http.Transport{
		// A proxy is configuration, never an accident of the environment.
		Proxy:                  nil,
		DialContext:            d.dial,
		DialTLSContext:         d.dialTLS,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
		MaxIdleConns:           ceiling,
		MaxIdleConnsPerHost:    ceiling,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxResponseHeader,
		// Bodies are decoded here, where the limit is.
		DisableCompression: true,
	}
}
