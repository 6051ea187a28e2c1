package fetch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/fetch/proxytest"
)

// The canaries must stand in no message.
const (
	canaryUser     = "canary-user"
	canaryPassword = "canary-password"
)

// secrets resolves the references of the tests' proxies.
func secrets(ref string) (string, error) {
	value, ok := map[string]string{"env:USER": canaryUser, "env:PASSWORD": canaryPassword, "env:OLD": "canary-old"}[ref]
	if !ok {
		return "", fmt.Errorf("no secret %s", ref)
	}
	return value, nil
}

// by is an egress through a proxy.
func by(kind string, p *proxytest.Proxy) collection.Egress {
	return collection.Egress{Name: "eu-1", Type: kind, Address: p.Address(), AllowPrivateAddress: true}
}

// known is an egress with credentials.
func known(e collection.Egress) collection.Egress {
	e.User, e.Password = "env:USER", "env:PASSWORD"
	return e
}

// through fetches one URL by an egress, with a client of its own.
func through(t *testing.T, o Options, src collection.Source, e collection.Egress, rawURL string) (*collection.Response, failure.Observation) {
	t.Helper()
	o.Egresses, o.Secret = []collection.Egress{e}, secrets
	client := New(o)
	t.Cleanup(client.Close)
	res, seen := client.Fetch(t.Context(), src, record(rawURL), collection.Via{Egress: e.Name})
	require.True(t, seen.Egress.Proxy)
	require.Equal(t, e.Name, seen.Egress.Name)
	requireNoSecrets(t, seen, canaryUser, canaryPassword, base64.StdEncoding.EncodeToString([]byte(canaryUser+":"+canaryPassword)))
	return res, seen
}

// TestThroughEveryProxy: http and https URLs go through a tunnel alike, the proxy looks names up, and credentials are shown.
func TestThroughEveryProxy(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Empty(t, r.Header.Get("Proxy-Authorization"), "the proxy's credentials are not for the target")
		_, _ = io.WriteString(w, r.Proto+" "+r.RequestURI)
	})
	plain, secure := httptest.NewServer(handler), httptest.NewUnstartedServer(handler)
	defer plain.Close()
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	options := Options{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	targets := map[string]string{"a.example:80": plain.Listener.Addr().String(), "example.com:443": secure.Listener.Addr().String()}
	src := source()
	src.Hosts = append(src.Hosts, "example.com") // the name on the certificate of httptest
	for kind, start := range map[string]func(b proxytest.Behaviour) *proxytest.Proxy{
		"http":   func(b proxytest.Behaviour) *proxytest.Proxy { return proxytest.HTTP(t, b) },
		"https":  func(b proxytest.Behaviour) *proxytest.Proxy { return proxytest.HTTPS(t, b, secure.TLS.Certificates[0]) },
		"socks5": func(b proxytest.Behaviour) *proxytest.Proxy { return proxytest.SOCKS5(t, b) },
	} {
		for _, b := range []proxytest.Behaviour{{Targets: targets}, {Targets: targets, User: canaryUser, Password: canaryPassword}} {
			proxy := start(b)
			egress := by(kind, proxy)
			if b.User != "" {
				egress = known(egress)
			}
			res, o := through(t, options, src, egress, "http://a.example/x?y=1")
			requireBody(t, res, o, "HTTP/1.1 /x?y=1")
			require.Equal(t, failure.Egress{Proxy: true, Name: "eu-1", Passed: true}, o.Egress)
			res, o = through(t, options, src, egress, "https://example.com/z")
			requireBody(t, res, o, "HTTP/2.0 /z")
			require.Equal(t, []string{"a.example:80", "example.com:443"}, proxy.Asked(), kind)
		}
	}
}

// C3 39: what a proxy refuses is the proxy's, never the target's; its answer may hold our credentials, and no message does.
func TestCase39AnswersOfProxies(t *testing.T) {
	site := newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"))
	wrong := proxytest.Behaviour{User: canaryUser, Password: "another"}
	for _, tt := range []struct {
		name   string
		kind   string
		b      proxytest.Behaviour
		known  bool
		status int
		reason collection.Reason
	}{
		{"no credentials", "http", wrong, false, 407, collection.ReasonEgressAuth},
		{"wrong password", "http", wrong, true, 407, collection.ReasonEgressAuth},
		{"refused", "http", proxytest.Behaviour{Status: 403}, true, 403, collection.ReasonEgressRefused},
		{"bad gateway", "http", proxytest.Behaviour{Status: 502}, true, 502, collection.ReasonEgressUnavailable},
		{"unavailable", "http", proxytest.Behaviour{Status: 503}, true, 503, collection.ReasonEgressUnavailable},
		{"gateway timeout", "http", proxytest.Behaviour{Status: 504}, true, 504, collection.ReasonEgressUnavailable},
		{"throttled", "http", proxytest.Behaviour{Status: 429}, true, 429, collection.ReasonEgressUnavailable},
		{"echoing", "http", proxytest.Behaviour{Echo: true}, true, 0, collection.ReasonEgressUnavailable},
		{"talkative", "http", proxytest.Behaviour{Says: "welcome"}, true, 0, collection.ReasonEgressUnavailable},
		{"no credentials", "socks5", wrong, false, 407, collection.ReasonEgressAuth},
		{"wrong password", "socks5", wrong, true, 407, collection.ReasonEgressAuth},
		{"general failure", "socks5", proxytest.Behaviour{Reply: 1}, true, 502, collection.ReasonEgressUnavailable},
		{"not allowed", "socks5", proxytest.Behaviour{Reply: 2}, true, 403, collection.ReasonEgressRefused},
		{"TTL expired", "socks5", proxytest.Behaviour{Reply: 6}, true, 502, collection.ReasonEgressUnavailable},
		{"unknown reply", "socks5", proxytest.Behaviour{Reply: 99}, true, 502, collection.ReasonEgressUnavailable},
		{"echoing", "socks5", proxytest.Behaviour{Echo: true}, true, 0, collection.ReasonEgressUnavailable},
	} {
		t.Run(tt.kind+" "+tt.name, func(t *testing.T) {
			start := map[string]func(testing.TB, proxytest.Behaviour) *proxytest.Proxy{"http": proxytest.HTTP, "socks5": proxytest.SOCKS5}[tt.kind]
			egress := by(tt.kind, start(t, tt.b))
			if tt.known {
				egress = known(egress)
			}
			res, o := through(t, Options{}, source(), egress, site.url("/"))
			require.Nil(t, res)
			require.Equal(t, tt.reason, failure.Classify(o), o.Message)
			require.Equal(t, tt.status, o.Egress.Status)
			require.False(t, o.Egress.Passed)
			require.Zero(t, o.Status)
			require.Contains(t, o.Message, `egress "eu-1"`)
			require.Empty(t, site.seen(), "nothing reaches the target, least of all directly")
		})
	}
}

// TestUnusableProxies: whatever happens before the tunnel stands is the proxy's fault.
func TestUnusableProxies(t *testing.T) {
	hanging := proxytest.HTTP(t, proxytest.Behaviour{Hang: true})
	self := httptest.NewUnstartedServer(http.NotFoundHandler())
	self.Config.ErrorLog = quietLog
	self.StartTLS()
	defer self.Close()
	socks := proxytest.SOCKS5(t, proxytest.Behaviour{})
	private := by("http", hanging)
	private.AllowPrivateAddress = false
	unnamed := by("http", hanging)
	unnamed.Address = "nowhere.example:3128"
	for _, tt := range []struct {
		name      string
		egress    collection.Egress
		transport failure.Transport
	}{
		{"dead http", by("http", proxytest.Dead()), failure.TransportRefused},
		{"dead socks5", by("socks5", proxytest.Dead()), failure.TransportRefused},
		{"hanging http", by("http", hanging), failure.TransportTimeout},
		{"hanging https", by("https", hanging), failure.TransportTimeout},
		{"hanging socks5", by("socks5", hanging), failure.TransportTimeout},
		{"untrusted", collection.Egress{Name: "eu-1", Type: "https", Address: self.Listener.Addr().String(), AllowPrivateAddress: true}, failure.TransportTLS},
		{"socks5 taken for http", by("http", socks), failure.TransportProtocol},
		{"private address", private, failure.TransportPrivateAddress},
		{"unknown name", unnamed, failure.TransportDNSNotFound},
		{"unknown type", by("gopher", socks), failure.TransportProtocol},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, o := through(t, Options{Resolver: zone{}.resolver(t)}, patientUnless(tt.transport), known(tt.egress), "http://127.0.0.1:1/")
			requireFails(t, res, o, tt.transport, collection.ReasonEgressUnavailable)
			require.Equal(t, failure.StageProxy, o.Stage)
			require.False(t, o.Egress.Passed)
			require.Contains(t, o.Message, `egress "eu-1"`)
		})
	}
}

// patientUnless is a source that has time, unless it is to run out of it.
func patientUnless(transport failure.Transport) collection.Source {
	if transport == failure.TransportTimeout {
		return hasty()
	}
	return source()
}

// C3 39, 40: once the tunnel stands, or the proxy says that it is the target, the proxy has no part in it.
func TestCase40TargetThroughAGoodProxy(t *testing.T) {
	site := func(answer string) string { return newHostile(t, says(answer)).listener.Addr().String() }
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for _, tt := range []struct {
		name, url string
		at        string
		b         proxytest.Behaviour
		socks     bool
		transport failure.Transport
		reason    collection.Reason
	}{
		{name: "403", at: site("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"), reason: collection.ReasonBlocked},
		{name: "407", at: site("HTTP/1.1 407 Mine\r\nContent-Length: 0\r\n\r\n"), reason: collection.ReasonAuthRequired},
		{name: "502", at: site("HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n"), reason: collection.ReasonServerError},
		{name: "closed", at: site(""), transport: failure.TransportReset, reason: collection.ReasonReset},
		{name: "not TLS", url: "https://a.example/", at: plain.Listener.Addr().String(), transport: failure.TransportTLS, reason: collection.ReasonTLSError},
		{name: "mute", at: newMute(t).Addr().String(), transport: failure.TransportTimeout, reason: collection.ReasonTimeout},
		{name: "cut tunnel", b: proxytest.Behaviour{Cut: true}, at: site(""), transport: failure.TransportReset, reason: collection.ReasonReset},
		{name: "refusing", socks: true, at: closedPort, transport: failure.TransportRefused, reason: collection.ReasonConnectFailed},
		{name: "no network", socks: true, b: proxytest.Behaviour{Reply: 3}, transport: failure.TransportUnreachable, reason: collection.ReasonConnectFailed},
		{name: "no host", socks: true, b: proxytest.Behaviour{Reply: 4}, transport: failure.TransportUnreachable, reason: collection.ReasonConnectFailed},
	} {
		for _, kind := range []string{"http", "socks5"} {
			if tt.socks && kind == "http" {
				continue
			}
			t.Run(kind+" "+tt.name, func(t *testing.T) {
				start := map[string]func(testing.TB, proxytest.Behaviour) *proxytest.Proxy{"http": proxytest.HTTP, "socks5": proxytest.SOCKS5}[kind]
				tt.b.Targets = map[string]string{"a.example:80": tt.at, "a.example:443": tt.at}
				if tt.url == "" {
					tt.url = "http://a.example/"
				}
				res, o := through(t, Options{}, patientUnless(tt.transport), by(kind, start(t, tt.b)), tt.url)
				requireFails(t, res, o, tt.transport, tt.reason)
				require.True(t, o.Egress.Passed)
				require.Equal(t, failure.FaultTarget, failure.Lookup(failure.Classify(o)).Fault)
			})
		}
	}
}

// TestPrivateTargetsThroughAProxy: no record reaches into a private network by way of a proxy, as far as this machine sees.
func TestPrivateTargetsThroughAProxy(t *testing.T) {
	proxy := proxytest.SOCKS5(t, proxytest.Behaviour{Reply: 4})
	resolver := zone{"inside.c.example": "10.0.0.8", "a.example": "93.184.216.34", "slow.c.example": zoneSilent}.resolver(t)
	for _, url := range []string{"http://127.0.0.1/", "http://[::1]/", "http://0x7f.1/", "http://inside.c.example/"} {
		res, o := through(t, Options{Resolver: resolver}, guarded(), by("socks5", proxy), url)
		requireFails(t, res, o, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
	}
	require.Empty(t, proxy.Asked())
	for _, host := range []string{"a.example", "unknown.c.example", "slow.c.example"} {
		res, o := through(t, Options{Resolver: resolver}, guarded(), by("socks5", proxy), "http://"+host+"/")
		requireFails(t, res, o, failure.TransportUnreachable, collection.ReasonConnectFailed)
	}
	require.Equal(t, []string{"a.example:80", "unknown.c.example:80", "slow.c.example:80"}, proxy.Asked(), "the proxy may know better")
	res, o := through(t, Options{Resolver: resolver}, source(), by("socks5", proxy), "http://inside.c.example/")
	requireFails(t, res, o, failure.TransportUnreachable, collection.ReasonConnectFailed)
}

// TestAddressesAreNamedToSOCKS: an address is sent as one, a name as a name.
func TestAddressesAreNamedToSOCKS(t *testing.T) {
	proxy := proxytest.SOCKS5(t, proxytest.Behaviour{Reply: 5})
	for _, host := range []string{"127.0.0.1:81", "[::1]:82", "a.example:83"} {
		_, o := through(t, Options{}, source(), by("socks5", proxy), "http://"+host+"/")
		require.Equal(t, collection.ReasonConnectFailed, failure.Classify(o), o.Message)
	}
	require.Equal(t, []string{"127.0.0.1:81", "[::1]:82", "a.example:83"}, proxy.Asked())
}

// TestUnknownEgress: an egress that is not configured here is no reason to go out by another.
func TestUnknownEgress(t *testing.T) {
	site := newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"))
	client := New(Options{})
	defer client.Close()
	res, o := client.Fetch(t.Context(), source(), record(site.url("/")), collection.Via{Egress: "eu-9"})
	requireFails(t, res, o, failure.TransportUnreachable, collection.ReasonEgressUnavailable)
	require.Contains(t, o.Message, "eu-9")
	require.Empty(t, site.seen())

	res, o = client.Fetch(t.Context(), source(), record(site.url("/")), collection.Via{Egress: collection.EgressDirect})
	requireBody(t, res, o, "page")
	require.Zero(t, o.Egress)
}

func TestCredentialsThatCannotBeUsed(t *testing.T) {
	proxy := proxytest.SOCKS5(t, proxytest.Behaviour{User: canaryUser, Password: canaryPassword})
	egress := known(by("socks5", proxy))
	egress.Password = "env:MISSING"
	res, o := through(t, Options{}, source(), egress, "http://a.example/")
	requireFails(t, res, o, failure.TransportSecretUnavailable, collection.ReasonStoreUnavailable)
	require.Contains(t, o.Message, `the password of egress "eu-1"`)
	require.Zero(t, proxy.Accepted())

	long := strings.Repeat("x", 256)
	client := New(Options{
		Egresses: []collection.Egress{known(by("socks5", proxy))},
		Secret:   func(string) (string, error) { return long, nil },
	})
	defer client.Close()
	_, o = client.Fetch(t.Context(), source(), record("http://a.example/"), collection.Via{Egress: "eu-1"})
	require.Equal(t, collection.ReasonEgressAuth, failure.Classify(o))
	requireNoSecrets(t, o, long)
}

// TestConnectionsAreKeptPerEgress: a tunnel is used again, and never for a request that is to go out by another way.
func TestConnectionsAreKeptPerEgress(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") }))
	defer site.Close()
	one, two := proxytest.HTTP(t, proxytest.Behaviour{}), proxytest.SOCKS5(t, proxytest.Behaviour{})
	first, second := by("http", one), by("socks5", two)
	second.Name = "eu-2"
	client := New(Options{Egresses: []collection.Egress{first, second}})
	defer client.Close()
	for range manyRequests {
		for _, egress := range []string{"eu-1", "eu-2", "", "direct"} {
			res, o := client.Fetch(t.Context(), source(), record(site.URL), collection.Via{Egress: egress})
			requireBody(t, res, o, "page")
		}
	}
	for _, proxy := range []*proxytest.Proxy{one, two} {
		require.Positive(t, proxy.Accepted())
		require.Less(t, proxy.Accepted(), manyRequests/2)
	}

	one.Close()
	_, o := client.Fetch(t.Context(), source(), record(site.URL), collection.Via{Egress: "eu-1"})
	require.Equal(t, collection.ReasonEgressUnavailable, failure.Classify(o), "a tunnel that has died says nothing of the proxy as it is now")
	require.False(t, o.Egress.Passed)
}

// TestCancellationReachesTheProxy: a fetch that is stopped while its tunnel is asked for lets go of the proxy, and nobody
// is at fault.
func TestCancellationReachesTheProxy(t *testing.T) {
	arrived, left := make(chan struct{}), make(chan struct{})
	proxy := newHostile(t, func(conn net.Conn, _ *http.Request) {
		close(arrived)
		untilClosed(conn)
		close(left)
	})
	client := New(Options{Egresses: []collection.Egress{{Name: "eu-1", Type: "http", Address: proxy.listener.Addr().String(), AllowPrivateAddress: true}}})
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan failure.Observation, 1)
	go func() {
		src := source()
		src.Timeout = time.Hour
		_, o := client.Fetch(ctx, src, record("http://a.example/"), collection.Via{Egress: "eu-1"})
		done <- o
	}()
	within(t, arrived, "the tunnel was never asked for")
	cancel()
	within(t, left, "the proxy was not let go")
	requireFails(t, nil, within(t, done, "the fetch did not end"), failure.TransportCancelled, collection.ReasonLeaseLost)
}

// FuzzSOCKS5Answers: no answer of a stranger's proxy brings a panic, a hang, or a fault without a side.
func FuzzSOCKS5Answers(f *testing.F) {
	f.Add([]byte{5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 80})
	f.Add([]byte{5, 2, 1, 1})
	f.Add([]byte{5, 2, 1, 0, 5, 5, 0, 3, 1, 'x', 0, 80})
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Fuzz(func(t *testing.T, answers []byte) {
		requireSided(t, answers, func(conn net.Conn) error {
			return askSOCKS5(conn, "a.example:80", &credentials{canaryUser, canaryPassword})
		})
	})
}

// FuzzCONNECTAnswers is the same for an HTTP proxy.
func FuzzCONNECTAnswers(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 407 " + canaryPassword + "\r\nContent-Length: 3\r\n\r\nabc"))
	f.Add([]byte("HTTP/1.1 " + canaryPassword + " x\r\n\r\n"))
	f.Fuzz(func(t *testing.T, answers []byte) {
		requireSided(t, answers, func(conn net.Conn) error {
			return askCONNECT(conn, "a.example:80", &credentials{canaryUser, canaryPassword})
		})
	})
}

func requireSided(t *testing.T, answers []byte, ask func(net.Conn) error) {
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	go func() {
		_, _ = theirs.Write(answers)
		_ = theirs.Close()
	}()
	err := ask(ours)
	_ = ours.Close()
	if err == nil {
		return
	}
	var fault *tunnelError
	var beyond *beyondError
	require.True(t, errors.As(err, &fault) || errors.As(err, &beyond), "%v", err)
	require.NotContains(t, err.Error(), canaryUser)
	require.NotContains(t, err.Error(), canaryPassword)
}
