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
	// streamBuffer is how much a target may send on one HTTP/2 stream ahead of who reads it: a body that waits for room waits
	// in the target, and not in our memory.
	streamBuffer = 256 << 10
)

// pool is the connections of one source by one egress, and what of the source they depend on.
type pool struct {
	transport *http.Transport
	ceiling   int
	private   bool
}

// poolKey names a pool. A connection through one proxy must not serve a request that is to go out by another.
type poolKey struct{ source, egress string }

// transport is the source's pool of connections by an egress: as many stay open as there may be requests in flight. A
// source whose configuration has changed gets a new pool, since a connection into a private network must not outlive its
// permission.
func (c *Client) transport(src collection.Source, egress collection.Egress) *http.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	ceiling := max(src.Ceiling, 1)
	key := poolKey{src.Name, egress.Name}
	p, ok := c.pools[key]
	if ok && p.ceiling == ceiling && p.private == src.AllowPrivateAddresses {
		return p.transport
	}
	if ok {
		p.transport.CloseIdleConnections()
	}
	p = pool{transport: c.newTransport(ceiling, src.AllowPrivateAddresses, egress), ceiling: ceiling, private: src.AllowPrivateAddresses}
	c.pools[key] = p
	return p.transport
}

func (c *Client) newTransport(ceiling int, private bool, egress collection.Egress) *http.Transport {
	d := dialer{
		resolver: c.options.Resolver,
		open:     c.options.DialContext,
		private:  private,
		tls:      &tls.Config{RootCAs: c.options.RootCAs, NextProtos: []string{"h2", "http/1.1"}},
	}
	if egress.Name != "" {
		d.through = c.tunnel(egress)
	}
	return &http.Transport{
		// A proxy is configuration, never an accident of the environment; and the ones that are configured are dialled
		// through, so that their answers and the target's are never taken for one another.
		Proxy:                  nil,
		DialContext:            d.dial,
		DialTLSContext:         d.dialTLS,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter, MaxReceiveBufferPerStream: streamBuffer},
		MaxIdleConns:           ceiling,
		MaxIdleConnsPerHost:    ceiling,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxResponseHeader,
		// Bodies are decoded here, where the limit is.
		DisableCompression: true,
	}
}
