package fetch

import (
	"crypto/x509"
	"fmt"
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

// webOf is a site with many names, served by one handler; every request is noted.
type webOf struct {
	*httptest.Server
	requests []*http.Request
	bodies   []string
}

func newWeb(t *testing.T, handler func(w http.ResponseWriter, r *http.Request)) *webOf {
	t.Helper()
	web := &webOf{}
	web.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		web.requests = append(web.requests, r)
		web.bodies = append(web.bodies, string(body))
		handler(w, r)
	}))
	t.Cleanup(web.Close)
	return web
}

func (w *webOf) options() Options { return at(w.Listener) }

// paths are the requests as "METHOD host/path".
func (w *webOf) paths() []string {
	var out []string
	for _, r := range w.requests {
		out = append(out, r.Method+" "+r.Host+r.RequestURI)
	}
	return out
}

// leads redirects by a table from "host/path" to Location; anything else is answered with "here".
func leads(table map[string]string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		location, ok := table[r.Host+r.RequestURI]
		if !ok {
			_, _ = io.WriteString(w, "here")
			return
		}
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	}
}

func TestRedirectIsFollowed(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"a.example/1": "/2?x=1#there", "a.example/2?x=1": "http://b.example/3", "b.example/3": "4"}))
	res, o := get(t, web.options(), source(), "http://a.example/1")
	requireBody(t, res, o, "here")
	require.Equal(t, "http://b.example/4", res.URL)
	require.Equal(t, []string{"GET a.example/1", "GET a.example/2?x=1", "GET b.example/3", "GET b.example/4"}, web.paths())
}

func TestRedirectMethods(t *testing.T) {
	for _, tt := range []struct {
		method string
		status int
		want   string
		body   bool
	}{
		{"POST", 301, "GET", false}, {"POST", 302, "GET", false}, {"POST", 303, "GET", false},
		{"POST", 307, "POST", true}, {"POST", 308, "POST", true},
		{"PUT", 301, "PUT", true}, {"PUT", 303, "GET", false}, {"PUT", 308, "PUT", true},
		{"GET", 303, "GET", true},
	} {
		t.Run(fmt.Sprintf("%s %d", tt.method, tt.status), func(t *testing.T) {
			web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/from" {
					w.Header().Set("Location", "/to")
					w.WriteHeader(tt.status)
				}
			})
			src := source()
			src.Request.Method, src.Request.Body, src.Request.BodyType = tt.method, `{"a":1}`, "json"
			_, o := get(t, web.options(), src, "http://a.example/from")
			require.Empty(t, failure.Classify(o))
			require.Equal(t, []string{tt.method + " a.example/from", tt.want + " a.example/to"}, web.paths())
			last := web.requests[1]
			if tt.body {
				require.Equal(t, `{"a":1}`, web.bodies[1])
				require.Equal(t, "application/json", last.Header.Get("Content-Type"))
			} else {
				require.Empty(t, web.bodies[1])
				require.Empty(t, last.Header.Get("Content-Type"))
			}
		})
	}
	require.False(t, changesMethod(http.StatusSeeOther, http.MethodHead))
}

func TestRedirectOffTheSource(t *testing.T) {
	for name, location := range map[string]string{
		"another host":     "http://evil.example/",
		"a longer name":    "http://a.example.evil.example/",
		"no scheme":        "//evil.example/",
		"another protocol": "ftp://a.example/x",
		"a script":         "javascript:alert(1)",
		"a file":           "file:///etc/passwd",
		"an address":       "http://192.0.2.1/",
	} {
		t.Run(name, func(t *testing.T) {
			web := newWeb(t, leads(map[string]string{"a.example/": location}))
			res, o := get(t, web.options(), source(), "http://a.example/")
			requireFails(t, res, o, failure.TransportRedirectOffSource, collection.ReasonRedirectOffSource)
			require.Equal(t, http.StatusFound, o.Status)
			require.Len(t, web.requests, 1)
			require.Equal(t, collection.OutcomeRefused, failure.Lookup(failure.Classify(o)).End)
		})
	}
}

// C1 20: the other origin's ceiling and robots rules are not ours to use, so the hop is refused.
func TestCase20RedirectToAnotherSource(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"a.example/": "http://b.example/private"}))
	src := source()
	src.Hosts = []string{"a.example"}
	res, o := get(t, web.options(), src, "http://a.example/")
	requireFails(t, res, o, failure.TransportRedirectOffSource, collection.ReasonRedirectOffSource)
	require.Equal(t, []string{"GET a.example/"}, web.paths())
}

// A wildcard ends where another source has a host below it for itself: that one's ceiling counts there.
func TestRedirectBelowAWildcardToAnotherSource(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"a.example.com/": "http://b.example.com/", "b.example.com/": "http://www.example.com/"}))
	src := source()
	src.Hosts, src.Elsewhere = []string{"*.example.com"}, []string{"www.example.com"}
	res, o := get(t, web.options(), src, "http://a.example.com/")
	requireFails(t, res, o, failure.TransportRedirectOffSource, collection.ReasonRedirectOffSource)
	require.Equal(t, []string{"GET a.example.com/", "GET b.example.com/"}, web.paths())
}

func TestRecordsOwnHostMayRedirectToItself(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"named.example/": "/there", "named.example/there": "http://a.example/", "a.example/": "http://other.example/"}))
	res, o := get(t, web.options(), source(), "http://named.example/")
	requireFails(t, res, o, failure.TransportRedirectOffSource, collection.ReasonRedirectOffSource)
	require.Equal(t, []string{"GET named.example/", "GET named.example/there", "GET a.example/"}, web.paths())
}

func TestDowngradeIsRefused(t *testing.T) {
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+r.Host+"/plain")
		w.WriteHeader(http.StatusMovedPermanently)
	}))
	defer site.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(site.Certificate())
	res, o := get(t, Options{RootCAs: trusted}, source(), site.URL)
	requireFails(t, res, o, failure.TransportRedirectOffSource, collection.ReasonRedirectOffSource)
	require.Contains(t, o.Message, "https to http")
}

func TestEndlessRedirects(t *testing.T) {
	var n atomic.Int32
	web := newWeb(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", fmt.Sprintf("/%d", n.Add(1)))
		w.WriteHeader(http.StatusFound)
	})
	res, o := get(t, web.options(), source(), "http://a.example/")
	requireFails(t, res, o, failure.TransportRedirectLoop, collection.ReasonRedirectLoop)
	require.Len(t, web.requests, maxRedirects+1)
}

// C5 66: a loop is seen at once, also when only the case of a percent-encoded byte differs.
func TestCase66LoopsAreSeenAtOnce(t *testing.T) {
	for name, table := range map[string]map[string]string{
		"to itself":        {"a.example/x%2C5": "/x%2C5"},
		"case of hex":      {"a.example/x%2C5": "/x%2c5", "a.example/x%2c5": "/x%2c5"},
		"between two":      {"a.example/x%2C5": "/y", "a.example/y": "http://a.example/x%2c5"},
		"fragment only":    {"a.example/x%2C5": "/x%2C5#top"},
		"over the port":    {"a.example/x%2C5": "http://a.example:80/x%2C5"},
		"case of the host": {"a.example/x%2C5": "http://A.EXAMPLE/x%2C5"},
	} {
		t.Run(name, func(t *testing.T) {
			web := newWeb(t, leads(table))
			res, o := get(t, web.options(), source(), "http://a.example/x%2C5")
			requireFails(t, res, o, failure.TransportRedirectLoop, collection.ReasonRedirectLoop)
			require.LessOrEqual(t, len(web.requests), 2)
			require.False(t, failure.Lookup(failure.Classify(o)).Retry)
		})
	}
}

func TestSetCookieAndComeBackIsNoLoop(t *testing.T) {
	web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil {
			_, _ = io.WriteString(w, "here")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		w.Header().Set("Location", "/")
		w.WriteHeader(http.StatusFound)
	})
	res, o := get(t, web.options(), source(), "http://a.example/")
	requireBody(t, res, o, "here")
	require.Len(t, web.requests, 2)
}

// C5 63: a sets a cookie, b redirects back, and a gets its cookie; b never does, and the next record starts without.
func TestCase63CookiesLiveForOneFetch(t *testing.T) {
	table := leads(map[string]string{"a.example/": "http://b.example/", "b.example/": "http://a.example/check"})
	web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "a.example" && r.URL.Path == "/" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
			http.SetCookie(w, &http.Cookie{Name: "wide", Value: "1", Domain: "example"})
		}
		table(w, r)
	})
	client := New(web.options())
	defer client.Close()
	for range 2 {
		res, o := client.Fetch(t.Context(), source(), record("http://a.example/"), collection.Via{})
		requireBody(t, res, o, "here")
		require.NotContains(t, res.Header, "set-cookie")
	}
	var cookies []string
	for _, r := range web.requests {
		cookies = append(cookies, r.Header.Get("Cookie"))
	}
	require.Equal(t, []string{"", "", "session=1", "", "", "session=1"}, cookies)
}

// C5 62: credentials are for one origin: scheme, host and port.
func TestCase62CredentialsStayAtTheirOrigin(t *testing.T) {
	secrets := func(src collection.Source) collection.Source {
		src.Request.SecretHeaders = map[string]string{"X-Shop-Key": "env:KEY", "Authorization": "env:AUTH"}
		src.Request.Headers = map[string]string{"Cookie": "own=1", "Private-Token": "p", "X-Plain": "kept"}
		src.Request.SecretOrigins = []string{"http://a.example"}
		return src
	}
	secret := func(ref string) (string, error) { return "value of " + ref, nil }
	for name, table := range map[string]map[string]string{
		"another host":   {"a.example/": "http://b.example/end"},
		"another port":   {"a.example/": "http://a.example:8080/end"},
		"there and back": {"a.example/": "http://b.example/", "b.example/": "http://a.example/end"},
	} {
		t.Run(name, func(t *testing.T) {
			web := newWeb(t, leads(table))
			o := web.options()
			o.Secret = secret
			res, seen := get(t, o, secrets(source()), "http://a.example/")
			requireBody(t, res, seen, "here")
			require.Equal(t, "value of env:KEY", web.requests[0].Header.Get("X-Shop-Key"))
			require.Equal(t, "value of env:AUTH", web.requests[0].Header.Get("Authorization"))
			for _, r := range web.requests[1:] {
				for _, header := range []string{"X-Shop-Key", "Authorization", "Cookie", "Private-Token"} {
					require.Empty(t, r.Header.Get(header), "%s at %s", header, r.Host)
				}
				require.Equal(t, "kept", r.Header.Get("X-Plain"))
			}
		})
	}
	t.Run("the same origin keeps them", func(t *testing.T) {
		web := newWeb(t, leads(map[string]string{"a.example/": "http://a.example:80/end"}))
		o := web.options()
		o.Secret = secret
		_, _ = get(t, o, secrets(source()), "http://a.example/")
		require.Equal(t, "value of env:KEY", web.requests[1].Header.Get("X-Shop-Key"))
		require.Equal(t, "own=1", web.requests[1].Header.Get("Cookie"))
	})
	t.Run("another scheme", func(t *testing.T) {
		src := secrets(source())
		x := newExchange(t.Context(), nil, src, httptest.NewRequest(http.MethodGet, "http://a.example/", nil))
		defer x.close()
		x.req.Header.Set("X-Shop-Key", "k")
		x.turn(http.StatusFound, mustURL(t, "https://a.example/"))
		require.Empty(t, x.req.Header.Get("X-Shop-Key"))
	})
}

// C5 65: a Location with spaces or raw UTF-8 is encoded as browsers do.
func TestCase65Location(t *testing.T) {
	for _, tt := range []struct{ base, location, want string }{
		{"http://a.example/", "/C/CAL REG 2014.pdf", "http://a.example/C/CAL%20REG%202014.pdf"},
		{"http://a.example/", "/Grüße/世界?q=é", "http://a.example/Gr%C3%BC%C3%9Fe/%E4%B8%96%E7%95%8C?q=%C3%A9"},
		{"http://a.example/", "/latin\xe9", "http://a.example/latin%E9"},
		{"http://a.example/", " /x ", "http://a.example/x"},
		{"http://a.example/", "/90%+of+x", "http://a.example/90%25+of+x"},
		{"http://a.example/", "/a%20b%2Fc", "http://a.example/a%20b%2Fc"},
		{"http://a.example/d/e", "../f", "http://a.example/f"},
		{"http://a.example/d/e?x=1", "?y=2", "http://a.example/d/e?y=2"},
		{"http://a.example/d/e?x=1", "", "http://a.example/d/e?x=1"},
		{"http://a.example/", "//тест.тест:33/", "http://xn--e1aybc.xn--e1aybc:33/"},
		{"https://a.example/", "//b.example", "https://b.example/"},
		{"http://a.example/", "http://user:secret@b.example/", "http://b.example/"},
		{"http://a.example/", "/a\tb\r\nc", "http://a.example/abc"},
		{"http://a.example/", "http://0x7f.1/", "http://127.0.0.1/"},
		{"http://a.example/", `/"<>\^{|}`, "http://a.example/%22%3C%3E%5C%5E%7B%7C%7D"},
	} {
		u, err := resolve(mustURL(t, tt.base), tt.location)
		require.NoError(t, err, tt.location)
		require.Equal(t, tt.want, u.String(), tt.location)
	}
	web := newHostile(t, func(conn net.Conn, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /Grüße und mehr\r\nContent-Length: 0\r\n\r\n")
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")
	})
	res, o := get(t, Options{}, source(), web.url("/"))
	requireBody(t, res, o, "here")
	require.Equal(t, "/Gr%C3%BC%C3%9Fe%20und%20mehr", web.seen()[1].RequestURI)
}

func TestLocationThatLeadsNowhere(t *testing.T) {
	for name, location := range map[string]string{
		"no host":      "http:///x",
		"bad port":     "http://a.example:port/",
		"bad host":     "http://a b.example/",
		"bad brackets": "http://[::1/",
		"too long":     "/" + strings.Repeat("x", MaxURL),
	} {
		t.Run(name, func(t *testing.T) {
			web := newWeb(t, leads(map[string]string{"a.example/": location}))
			res, o := get(t, web.options(), source(), "http://a.example/")
			requireFails(t, res, o, "", collection.ReasonBadRequest)
			require.Equal(t, http.StatusFound, o.Status)
		})
	}
	web := newWeb(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) })
	res, o := get(t, web.options(), source(), "http://a.example/")
	requireFails(t, res, o, "", collection.ReasonBadRequest)
}

// A redirect whose page never ends does not hold the fetch up.
func TestEndlessRedirectPage(t *testing.T) {
	web := newHostile(t, func(conn net.Conn, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 1000000\r\n\r\n12345")
			untilClosed(conn)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")
	})
	res, o := get(t, Options{}, source(), web.url("/"))
	requireBody(t, res, o, "here")
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"/C/CAL REG 2014.pdf", "//тест.тест:33/", "http://user:secret@b.example/", "?y", "javascript:x", "http:x", "\\\\evil", "%zz", "http://[fe80::1%25lo]/"} {
		f.Add(seed)
	}
	base, err := parseTarget("https://a.example/dir/page?x=1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, location string) {
		u, err := resolve(base, location)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
			t.Fatalf("%q leads to %q", location, u)
		}
		text := u.String()
		for i := range len(text) {
			if text[i] <= ' ' || text[i] >= 0x7f {
				t.Fatalf("%q leads to %q, which cannot stand in a request line", location, text)
			}
		}
		again, err := parseTarget(text)
		if err != nil || again.String() != text {
			t.Fatalf("%q leads to %q, then to %v (%v)", location, text, again, err)
		}
	})
}
