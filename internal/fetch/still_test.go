package fetch

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// ledger is a site that counts the connections that were opened to it, and the requests that it got a byte of.
type ledger struct {
	*httptest.Server
	opened, requests atomic.Int32
}

func newLedger(t *testing.T, secure, http2 bool) *ledger {
	l := &ledger{}
	l.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		l.requests.Add(1)
		_, _ = io.WriteString(w, "answer")
	}))
	l.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			l.opened.Add(1)
		}
	}
	l.EnableHTTP2 = http2
	if secure {
		l.StartTLS()
	} else {
		l.Start()
	}
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) client(t *testing.T) *Client {
	options := Options{}
	if cert := l.Certificate(); cert != nil {
		options.RootCAs = x509.NewCertPool()
		options.RootCAs.AddCert(cert)
	}
	client := New(options)
	t.Cleanup(client.Close)
	return client
}

var protocols = []struct {
	name          string
	secure, http2 bool
	// looks is how often is asked before the first byte of a request is written.
	looks int32
}{
	{"HTTP/1.1", false, false, 3},
	{"HTTP/1.1 with TLS", true, false, 3},
	{"HTTP/2", true, true, 2},
}

// TestStillKeepsARequestFromBeingSent: a request that may no longer be made is not, wherever the process was when its right
// ended: before a connection was looked for, with the connection in hand, or right before the first byte.
func TestStillKeepsARequestFromBeingSent(t *testing.T) {
	t.Parallel()
	over := errors.New("the lease has ended")
	for _, tt := range protocols {
		for look := int32(1); look <= tt.looks; look++ {
			for _, reused := range []bool{false, true} {
				site := newLedger(t, tt.secure, tt.http2)
				client, src := site.client(t), source()
				if reused {
					res, o := client.Fetch(t.Context(), src, record(site.URL), collection.Via{})
					requireBody(t, res, o, "answer")
				}
				opened, requests := site.opened.Load(), site.requests.Load()
				var asked atomic.Int32
				res, o := client.Fetch(t.Context(), src, record(site.URL), collection.Via{Still: func() error {
					if asked.Add(1) >= look {
						return over
					}
					return nil
				}})
				what := []any{"%s, look %d, reused %t", tt.name, look, reused}
				requireFails(t, res, o, failure.TransportCancelled, collection.ReasonLeaseLost)
				require.True(t, strings.HasSuffix(o.Message, "the request was not sent: the lease has ended"), o.Message)
				require.Equal(t, requests, site.requests.Load(), what...)
				if reused {
					require.Equal(t, opened, site.opened.Load(), what...)
				}
				res, o = client.Fetch(t.Context(), src, record(site.URL), collection.Via{Still: func() error { return nil }})
				requireBody(t, res, o, "answer")
			}
		}
	}
}

// TestStillAgrees: who may go on is asked before the request and when the connection is there, and on a connection that
// serves one request at a time once more.
func TestStillAgrees(t *testing.T) {
	t.Parallel()
	for _, tt := range protocols {
		site := newLedger(t, tt.secure, tt.http2)
		client := site.client(t)
		for range 2 {
			var asked atomic.Int32
			res, o := client.Fetch(t.Context(), source(), record(site.URL), collection.Via{Still: func() error {
				asked.Add(1)
				return nil
			}})
			requireBody(t, res, o, "answer")
			require.GreaterOrEqual(t, asked.Load(), tt.looks, tt.name)
		}
		require.EqualValues(t, 1, site.opened.Load(), tt.name)
	}
}

// TestStillIsAskedForEveryHop: a redirect's request is one as well.
func TestStillIsAskedForEveryHop(t *testing.T) {
	t.Parallel()
	var over atomic.Bool
	web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
		over.Store(true)
		http.Redirect(w, r, "/2", http.StatusFound)
	})
	res, o := visit(t, web.options(), source(), collection.Via{Still: func() error {
		if over.Load() {
			return errors.New("the lease has ended")
		}
		return nil
	}}, "http://a.example/1")
	requireFails(t, res, o, failure.TransportCancelled, collection.ReasonLeaseLost)
}
