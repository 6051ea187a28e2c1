package urlkey_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/urlkey"
)

// keyCases go through the components of RFC 3986 one by one.
var keyCases = []struct{ name, raw, want string }{
	{"scheme and host are folded", "HTTPS://EXAMPLE.Com/", "https://example.com/"},
	{"empty path", "https://example.com", "https://example.com/"},
	{"empty path before a query", "https://example.com?a=1", "https://example.com/?a=1"},
	{"default port of http", "http://example.com:80/", "http://example.com/"},
	{"default port of https", "https://example.com:443/", "https://example.com/"},
	{"default port of the other scheme", "https://example.com:80/", "https://example.com:80/"},
	{"empty port", "https://example.com:/", "https://example.com/"},
	{"leading zeros of a port", "https://example.com:0008080/", "https://example.com:8080/"},
	{"largest port", "https://example.com:65535/", "https://example.com:65535/"},
	{"dot segments", "https://example.com/a/./b/../c", "https://example.com/a/c"},
	{"encoded dot segments", "https://example.com/a/%2E/b/%2e%2E/c", "https://example.com/a/c"},
	{"dot segment at the end keeps the slash", "https://example.com/a/b/..", "https://example.com/a/"},
	{"dot segments above the root", "https://example.com/../../a", "https://example.com/a"},
	{"doubled slashes stay", "https://example.com//a//b/", "https://example.com//a//b/"},
	{"only double slashes can be left", "https://example.com////../..", "https://example.com//"},
	{"a name that starts with dots", "https://example.com/..a/.b/...", "https://example.com/..a/.b/..."},
	{"unreserved triplets are decoded", "https://example.com/%41%7e%2D%5f%2E", "https://example.com/A~-_."},
	{"other triplets are upper-cased", "https://example.com/%c3%a9%2c", "https://example.com/%C3%A9%2C"},
	{"decoding happens once", "https://example.com/%2541", "https://example.com/%2541"},
	{"a triplet behind a lone percent sign", "https://example.com/%%34%31", "https://example.com/%2541"},
	{"a lone percent sign at the end", "https://example.com/100%", "https://example.com/100%25"},
	{"half a triplet", "https://example.com/%2?%f", "https://example.com/%252?%25f"},
	{"spaces", "https://example.com/a b?c d", "https://example.com/a%20b?c%20d"},
	{"non-ASCII", "https://example.com/é?ü=ß", "https://example.com/%C3%A9?%C3%BC=%C3%9F"},
	{"bytes that are not UTF-8", "https://example.com/\xff?\xfe", "https://example.com/%FF?%FE"},
	{"sub-delimiters stay", "https://example.com/!$&'()*+,;=:@?!$'()*+,;:@/?", "https://example.com/!$&'()*+,;=:@?!$'()*+,;:@/?"},
	{"a second question mark", "https://example.com/?a?b", "https://example.com/?a?b"},
	{"fragment", "https://example.com/a#b?c", "https://example.com/a"},
	{"fragment right after the host", "https://example.com#b", "https://example.com/"},
	{"query order", "https://example.com/?b=1&a=2", "https://example.com/?a=2&b=1"},
	{"repeated names keep their order", "https://example.com/?b=9&a=2&b=1&a=1", "https://example.com/?a=2&a=1&b=9&b=1"},
	{"names are compared once normalised", "https://example.com/?%62=1&a=2", "https://example.com/?a=2&b=1"},
	{"semicolons separate nothing", "https://example.com/?b;a", "https://example.com/?b;a"},
	{"outer spaces and controls", "\x00 \thttps://example.com/ \r\n", "https://example.com/"},
	{"inner tabs and line breaks", "https://exa\tmple.com/a\r\nb", "https://example.com/ab"},
	{"internationalised host", "https://Bücher.example/", "https://xn--bcher-kva.example/"},
	{"wide characters and dots", "https://ｅｘａｍｐｌｅ。com/", "https://example.com/"},
	{"encoded host", "https://b%C3%BCcher%2eexample/", "https://xn--bcher-kva.example/"},
	{"sharp s is a letter of its own", "https://faß.example/", "https://xn--fa-hia.example/"},
	{"underscore and odd hyphens in a host", "https://my_shop.r3---sn-x.example/", "https://my_shop.r3---sn-x.example/"},
	{"root dot of a name", "https://example.com./", "https://example.com./"},
	{"IPv4", "https://192.168.0.1:8080/", "https://192.168.0.1:8080/"},
	{"IPv4 with root dot", "https://192.168.0.1./", "https://192.168.0.1/"},
	{"IPv4 decimal", "https://2130706433/", "https://127.0.0.1/"},
	{"IPv4 hexadecimal", "https://0x7F.1/", "https://127.0.0.1/"},
	{"IPv4 octal", "https://0177.0.0.01/", "https://127.0.0.1/"},
	{"IPv4 in wide digits", "https://１２７.１/", "https://127.0.0.1/"},
	{"IPv6", "https://[2001:DB8:0:0:1:0:0:1]/", "https://[2001:db8::1:0:0:1]/"},
	{"IPv6 all zeros", "https://[0:0:0:0:0:0:0:0]/", "https://[::]/"},
	{"IPv6 zeros at the end", "https://[1:0:0:0:0:0:0:0]:443/", "https://[1::]/"},
	{"IPv6 a single zero is written", "https://[1:0:2:3:4:5:6:7]/", "https://[1:0:2:3:4:5:6:7]/"},
	{"IPv6 with an IPv4 tail", "https://[::ffff:1.2.3.4]:8/", "https://[::ffff:102:304]:8/"},
}

// TestKey: each spelling has its key, and a key is its own.
func TestKey(t *testing.T) {
	t.Parallel()
	for _, c := range keyCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := urlkey.Key(c.raw)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			again, err := urlkey.Key(got)
			require.NoError(t, err)
			require.Equal(t, got, again, "a key is its own key")
		})
	}
}

var longLabel = strings.Repeat("a", 64)

// refusals are texts that name no resource we could contact.
var refusals = []struct {
	name, raw string
	want      urlkey.Problem
	says      string
}{
	{"empty", "", urlkey.NoScheme, "has no scheme"},
	{"relative", "/a?b=c:d", urlkey.NoScheme, "has no scheme"},
	{"host without scheme", "example.com/a", urlkey.NoScheme, "has no scheme"},
	{"host and port without scheme", "example.com:8080/a", urlkey.NoScheme, "does not start with https://"},
	{"scheme-relative", "//example.com/", urlkey.NoScheme, "has no scheme"},
	{"invisible character first", "\u200bhttps://example.com/", urlkey.NoScheme, "has no scheme"},
	{"digit first", "1http://example.com/", urlkey.NoScheme, "has no scheme"},
	{"no slashes", "https:example.com", urlkey.NoScheme, `no // after "https:"`},
	{"one slash", "http:/example.com", urlkey.NoScheme, `no // after "http:"`},
	{"backslashes", `http:\\example.com`, urlkey.NoScheme, `no // after "http:"`},
	{"other scheme", "FTP://example.com/", urlkey.UnsupportedScheme, `"ftp" cannot be collected`},
	{"no host", "https:///a", urlkey.NoHost, "no host"},
	{"no host but a port", "https://:80/", urlkey.NoHost, "no host"},
	{"no host but a query", "https://?a", urlkey.NoHost, "no host"},
	{"user and password", "https://u:secret@example.com/", urlkey.Userinfo, "credentials do not belong"},
	{"user", "https://u@example.com/", urlkey.Userinfo, "credentials do not belong"},
	{"empty userinfo", "https://@example.com/", urlkey.Userinfo, "credentials do not belong"},
	{"backslash in front of another host", `https://example.com\.evil.example/`, urlkey.BadHost, "backslash"},
	{"port is a word", "https://example.com:http/", urlkey.BadPort, `"http" is not a number`},
	{"port is signed", "https://example.com:-1/", urlkey.BadPort, "is not a number"},
	{"port too large", "https://example.com:65536/", urlkey.BadPort, "over 65535"},
	{"port far too large", "https://example.com:18446744073709551697/", urlkey.BadPort, "over 65535"},
	{"space in host", "https://exa mple.com/", urlkey.BadHost, `' '`},
	{"encoded slash in host", "https://example.com%2Fevil/", urlkey.BadHost, `'/'`},
	{"encoded percent in host", "https://example.com%25/", urlkey.BadHost, `'%'`},
	{"lone percent in host", "https://exa%mple.com/", urlkey.BadHost, `'%'`},
	{"punctuation in host", "https://exa*mple.com/", urlkey.BadHost, `'*'`},
	{"not UTF-8 in host", "https://ex\xffample.com/", urlkey.BadHost, "not UTF-8"},
	{"empty label", "https://example..com/", urlkey.BadHost, "empty part"},
	{"only a dot", "https://./", urlkey.BadHost, "empty part"},
	{"label too long", "https://" + longLabel + ".example/", urlkey.BadHost, "longer than 63"},
	{"name too long", "https://" + strings.Repeat(longLabel[:50]+".", 6) + "example/", urlkey.BadHost, "longer than 253"},
	{"bad punycode", "https://xn--a-\u00e9.example/", urlkey.BadHost, "internationalised"},
	{"punycode of nothing", "https://xn--/", urlkey.BadHost, "empty part"},
	{"punycode of ASCII", "https://xn--abc-.example/", urlkey.BadHost, "internationalised"},
	{"mapping that is refused itself", "https://a\u2135.example/", urlkey.BadHost, "its mapping is not stable"},
	{"forbidden rune", "https://\ufffd.example/", urlkey.BadHost, "internationalised"},
	{"IPv4 with five parts", "https://1.2.3.4.5/", urlkey.BadHost, "more than four parts"},
	{"IPv4 part too large", "https://256.0.0.1/", urlkey.BadHost, `"256" does not fit`},
	{"IPv4 last part too large", "https://1.2.65536/", urlkey.BadHost, `"65536" does not fit`},
	{"IPv4 bad octal", "https://1.2.3.08/", urlkey.BadHost, `"08" does not fit`},
	{"IPv4 beyond 64 bits", "https://99999999999999999999/", urlkey.BadHost, "does not fit"},
	{"IPv4 empty part", "https://1..4/", urlkey.BadHost, "does not fit"},
	{"name that ends in a number", "https://foo.0x4/", urlkey.BadHost, `"foo" does not fit`},
	{"IPv6 unclosed", "https://[::1/", urlkey.BadHost, "no closing"},
	{"IPv6 with something behind", "https://[::1]x/", urlkey.BadHost, "goes on after"},
	{"IPv6 with a zone", "https://[fe80::1%25eth0]/", urlkey.BadHost, "not an IPv6"},
	{"IPv6 that is IPv4", "https://[1.2.3.4]/", urlkey.BadHost, "not an IPv6"},
	{"IPv6 with bad port", "https://[::1]:x/", urlkey.BadPort, "not a number"},
}

// TestKeyRefuses: the refusal is typed, says what is wrong, and repeats no secret.
func TestKeyRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range []func(string) (string, error){urlkey.Key, urlkey.Host} {
				got, err := f(c.raw)
				require.Empty(t, got)
				var refusal *urlkey.Error
				require.ErrorAs(t, err, &refusal)
				require.Equal(t, c.want, refusal.Problem)
				require.Contains(t, refusal.Error(), c.says)
				require.NotContains(t, refusal.Error(), "secret")
			}
		})
	}
}

// TestErrorStaysShort: a cell that holds a whole page must not fill a ledger.
func TestErrorStaysShort(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"https://" + strings.Repeat("é", 5000) + "/",
		"https://a:" + strings.Repeat("x", 5000),
		strings.Repeat("x", 5000) + "://a",
		"https://1." + strings.Repeat("9", 5000),
	} {
		_, err := urlkey.Key(raw)
		var refusal *urlkey.Error
		require.True(t, errors.As(err, &refusal), raw[:20])
		require.Less(t, len(refusal.Error()), 600)
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, want string }{
		{"https://WWW.Example.com:8443/a?b#c", "www.example.com"},
		{"https://тест.тест:33", "xn--e1aybc.xn--e1aybc"},
		{"http://0x7f.1:80/", "127.0.0.1"},
		{"http://[0:0::1]:8080/", "[::1]"},
	} {
		got, err := urlkey.Host(c.raw)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
		key, err := urlkey.Key(c.raw)
		require.NoError(t, err)
		require.Contains(t, key, "://"+got)
	}
}
