package storetest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between a store and its client, and can lose answers: the store has then done what it was asked, and the
// client does not know.
type proxy struct {
	*httptest.Server
	// lose is how many answers to PUT are still to be lost.
	lose atomic.Int32
	// lost is how many were.
	lost atomic.Int32
}

func newProxy(t *testing.T, store string) *proxy {
	t.Helper()
	target, err := url.Parse(store)
	require.NoError(t, err)
	p := &proxy{}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is signed
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPut && p.lose.Add(-1) >= 0 {
				p.lost.Add(1)
				_ = r.Body.Close()
				return http.ErrAbortHandler
			}
			return nil
		},
		// Every failure is a connection that breaks, never an answer of the proxy's own.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.Server = httptest.NewServer(forward)
	t.Cleanup(p.Close)
	return p
}

// loseNext makes the answers to the next n writes disappear.
func (p *proxy) loseNext(n int32) {
	p.lost.Store(0)
	p.lose.Store(n)
}
