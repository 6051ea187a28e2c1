package urlkey_test

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/urlkey"
)

// requireLaws holds for every string: a key or a typed refusal, the same for
// Host; a key is its own key, stands in ASCII and is a URL whose host is Host.
func requireLaws(t require.TestingT, raw string) {
	key, err := urlkey.Key(raw)
	host, hostErr := urlkey.Host(raw)
	if err != nil {
		var refusal *urlkey.Error
		require.True(t, errors.As(err, &refusal), "%q: %v", raw, err)
		require.NotEmpty(t, refusal.Problem)
		require.Equal(t, err, hostErr, "%q", raw)
		return
	}
	require.NoError(t, hostErr, "%q", raw)
	again, err := urlkey.Key(key)
	require.NoError(t, err, "%q has key %q", raw, key)
	require.Equal(t, key, again, "%q", raw)
	for i := range len(key) {
		require.True(t, key[i] > ' ' && key[i] < 0x7f, "%q has key %q", raw, key)
	}
	parsed, err := url.Parse(key)
	require.NoError(t, err, "%q", raw)
	require.Equal(t, strings.Trim(host, "[]"), parsed.Hostname(), "%q", raw)
	require.Nil(t, parsed.User, "%q", raw)
	require.NotContains(t, key, "#")
}

// urlText draws texts that are close enough to URLs to get past the scheme.
func urlText() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"/", ".", "..", "%2e", "%2F", "%", "%%", "%41", "%c3", "?", "&", "=", "a", "B", "+", " ", "#", ":", "@", "[", "]",
			"\\", "é", "ß", "xn--", "0x", "1", "08", "::", "。", "\t", "\x00", "\u200d", "\xff", "ﷺ", "א", "_", "-",
		}),
		rapid.StringN(0, 3, 8),
	)
	return rapid.Custom(func(t *rapid.T) string {
		scheme := rapid.SampledFrom([]string{"http://", "HTTPS://", "https://example.com/", "https://a.b?", "http:", ""}).Draw(t, "scheme")
		return scheme + strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { requireLaws(t, urlText().Draw(t, "url")) })
}

// TestQueryOrderIsOneKey: any shuffle that keeps repeated names in order has
// the same key.
func TestQueryOrderIsOneKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z0-9%é+]{1,4}`), 1, 6, func(s string) string {
			// The key's own spelling: "%41" and "A" are one name.
			key, err := urlkey.Key("http://a/?" + s)
			require.NoError(t, err)
			return key
		}).Draw(t, "names")
		params := make([]string, 0, len(names))
		for _, name := range names {
			params = append(params, name+"="+rapid.StringMatching(`[a-z0-9=]{0,3}`).Draw(t, "value"))
		}
		seed := rapid.Uint64().Draw(t, "seed")
		shuffled := append([]string(nil), params...)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		a, err := urlkey.Key("http://a/?" + strings.Join(params, "&"))
		require.NoError(t, err)
		b, err := urlkey.Key("http://a/?" + strings.Join(shuffled, "&"))
		require.NoError(t, err)
		require.Equal(t, a, b)
	})
}

// TestSpellingsAreOneKey: encoding unreserved characters and writing triplets
// in either case changes nothing.
func TestSpellingsAreOneKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-Z0-9._~-]{1,12}`).Draw(t, "text")
		var encoded strings.Builder
		for i := range len(text) {
			if rapid.Bool().Draw(t, "encode") {
				digits := rapid.SampledFrom([]string{"0123456789abcdef", "0123456789ABCDEF"}).Draw(t, "digits")
				encoded.Write([]byte{'%', digits[text[i]>>4], digits[text[i]&15]})
				continue
			}
			encoded.WriteByte(text[i])
		}
		for _, prefix := range []string{"http://a/", "http://a/?", "http://a/?b=", "http://a/x"} {
			plain, err := urlkey.Key(prefix + text)
			require.NoError(t, err)
			spelt, err := urlkey.Key(prefix + encoded.String())
			require.NoError(t, err)
			require.Equal(t, plain, spelt)
		}
	})
}

func FuzzKey(f *testing.F) {
	for _, seed := range []string{
		"https://тест.тест:33", "https://example.com/?B=1&A=2#x", "http://0x7f.1", "http://[::1]:80/%2e%2E/%", "a", "https://u:p@h/",
		"https://xn--a.ß。/", "http://ab\u200dc.example/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) { requireLaws(t, raw) })
}
