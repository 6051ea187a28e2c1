package fetch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/urlkey"
)

// C2 23: two orders of one query are one record, and the wire carries the one that was written: a site may care.
func TestFieldCaseC2x23WireKeepsTheOrderWritten(t *testing.T) {
	web := newWeb(t, leads(nil))
	client := New(web.options())
	defer client.Close()
	var keys []string
	for _, raw := range []string{"http://a.example/?B=1&A=2", "http://a.example/?A=2&B=1"} {
		res, o := client.Fetch(t.Context(), source(), record(raw), collection.Via{})
		requireBody(t, res, o, "here")
		require.Equal(t, raw, res.URL)
		key, err := urlkey.Key(raw)
		require.NoError(t, err)
		keys = append(keys, key)
	}
	require.Equal(t, keys[0], keys[1])
	require.Equal(t, []string{"GET a.example/?B=1&A=2", "GET a.example/?A=2&B=1"}, web.paths())
}

// C2 32: a client remembers no pages. A redirect to one that was fetched a moment ago is followed, one fetched by a
// redirect is fetched as itself, and each takes just the requests that it needs.
func TestFieldCaseC2x32RedirectIsNoDuplicate(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"a.example/old": "/new"}))
	client := New(web.options())
	defer client.Close()
	for _, path := range []string{"/new", "/old", "/new"} {
		res, o := client.Fetch(t.Context(), source(), record("http://a.example"+path), collection.Via{})
		requireBody(t, res, o, "here")
		require.Equal(t, "http://a.example/new", res.URL)
	}
	require.Equal(t, []string{"GET a.example/new", "GET a.example/old", "GET a.example/new", "GET a.example/new"}, web.paths())
}
