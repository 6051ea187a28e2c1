package faultproxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProxy: requests pass with their host and body; one that is cut before never reaches the store, one that is cut after
// has been done.
func TestProxy(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	var host atomic.Value
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done.Add(1)
		host.Store(r.Host)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("ETag", "x")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body)
	}))
	defer store.Close()
	p, err := Start(store.URL)
	require.NoError(t, err)
	defer p.Close()
	put := func() (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, p.URL+"/bucket/key%201", strings.NewReader("hello"))
		require.NoError(t, err)
		// A new connection each time: a reused one that is cut would be tried again by the client itself.
		r.Close = true
		return http.DefaultClient.Do(r)
	}
	for _, rule := range []Rule{nil, func(Moment, Request) bool { return true }} {
		p.SetRule(rule)
		res, err := put()
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, "hello", string(body))
		require.Equal(t, http.StatusCreated, res.StatusCode)
		require.Equal(t, "x", res.Header.Get("ETag"))
		require.Equal(t, strings.TrimPrefix(p.URL, "http://"), host.Load())
	}
	for i, cut := range []Moment{Before, After} {
		before := done.Load()
		p.SetRule(func(m Moment, r Request) bool {
			require.Equal(t, "/bucket/key%201", r.Path)
			require.Equal(t, http.MethodPut, r.Method)
			return m != cut
		})
		_, err := put() //nolint:bodyclose // there is no answer
		require.Error(t, err)
		require.Equal(t, before+int32(i), done.Load())
	}
}
