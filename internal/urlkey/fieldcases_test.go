package urlkey_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/urlkey"
)

func mustKey(t *testing.T, raw string) string {
	t.Helper()
	key, err := urlkey.Key(raw)
	require.NoError(t, err, raw)
	return key
}

// requireDistinct says that a server can tell all of these apart.
func requireDistinct(t *testing.T, raws ...string) {
	t.Helper()
	seen := map[string]string{}
	for _, raw := range raws {
		key := mustKey(t, raw)
		require.NotContains(t, seen, key, "%q has the key of %q", raw, seen[key])
		seen[key] = raw
	}
}

// requireSame says that all of these name one resource.
func requireSame(t *testing.T, raws ...string) {
	t.Helper()
	for _, raw := range raws[1:] {
		require.Equal(t, mustKey(t, raws[0]), mustKey(t, raw), raw)
	}
}

func TestCase21OnlySchemeAndHostFoldCase(t *testing.T) {
	t.Parallel()
	requireDistinct(t,
		"https://example.com/Product/ABC", "https://example.com/product/abc",
		"https://example.com/?token=SeCrEt", "https://example.com/?token=secret")
	requireSame(t, "HTTPS://EXAMPLE.COM/Product/ABC", "https://example.com/Product/ABC")
}

func TestCase23QueryOrder(t *testing.T) {
	t.Parallel()
	requireSame(t, "https://example.com/?B=1&A=2", "https://example.com/?A=2&B=1")
	requireSame(t, "https://example.com/?b=1&a=2&b=0", "https://example.com/?a=2&b=1&b=0", "https://example.com/?b=1&b=0&a=2")
	requireDistinct(t, "https://example.com/?a=1&a=2", "https://example.com/?a=2&a=1")
}

func TestCase24EncodedHashStaysEncoded(t *testing.T) {
	t.Parallel()
	key := mustKey(t, "https://example.com/p/foo%20bar%3a%20%2376%2c%20x#bash")
	require.Equal(t, "https://example.com/p/foo%20bar%3A%20%2376%2C%20x", key)
	require.Equal(t, key, mustKey(t, key))
}

func TestCase26LonePercentSign(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://example.com/a+b/_/90%25+of+x", mustKey(t, "https://example.com/a+b/_/90%+of+x"))
}

func TestCase27UnreservedTriplets(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://example.org/p-1/p-2/?q=f", mustKey(t, "https://example.org/p%2d1/p%2d2/?q=f"))
}

func TestCase29InternationalisedHostWithPort(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://xn--e1aybc.xn--e1aybc:33/", mustKey(t, "https://тест.тест:33"))
}

func TestCase30NearTwins(t *testing.T) {
	t.Parallel()
	requireDistinct(t, "https://www.example.com/", "https://example.com/")
	requireDistinct(t, "https://example.com/services", "https://example.com/services/")
	requireSame(t, "https://example.com", "https://example.com/")
}

// TestCase32RedirectTarget: a record's key is that of the URL submitted, so a
// redirect from A to B never makes A a duplicate, and B discovered later has
// the key that the redirect's target had, however it is spelt.
func TestCase32RedirectTarget(t *testing.T) {
	t.Parallel()
	requireDistinct(t, "https://example.com/a", "https://example.com/b")
	requireDistinct(t, "http://example.com/a", "https://example.com/a")
	requireSame(t, "https://example.com/b", "HTTPS://example.com:443/./b#top")
}

// TestServerCanTellApart lists pairs that normalisers are known to merge.
func TestServerCanTellApart(t *testing.T) {
	t.Parallel()
	for _, pair := range [][]string{
		{"https://example.com/?q=a+b", "https://example.com/?q=a%20b", "https://example.com/?q=a%2Bb"},
		{"https://example.com/a/b", "https://example.com/a%2Fb", "https://example.com/a%252Fb", `https://example.com/a\b`},
		{"https://example.com/a%23b", "https://example.com/a%2523b"},
		{"https://example.com/a;b", "https://example.com/a%3Bb"},
		{"https://example.com/[a]|b", "https://example.com/%5Ba%5D%7Cb"},
		{"https://example.com/?'", "https://example.com/?%27"},
		{"https://example.com/a", "https://example.com/a?", "https://example.com/a?&", "https://example.com/a?="},
		{"https://example.com/?a", "https://example.com/?a=", "https://example.com/?a=&"},
		{"https://example.com/a/b", "https://example.com/a//b"},
		{"https://example.com/", "https://example.com:8443/", "https://example.com./"},
		{"https://example.com/caf%C3%A9", "https://example.com/caf%E9", "https://example.com/cafe%CC%81"},
	} {
		requireDistinct(t, pair...)
	}
}
