package fetch

import (
	"context"
	"crypto/x509"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// hasty is a source that soon runs out of time, though not before a busy machine has come to the stage that is meant.
func hasty() collection.Source {
	src := source()
	src.Timeout = 5 * time.Second
	return src
}

func TestTimeoutsNameTheirStage(t *testing.T) {
	t.Parallel()
	stall := func(conn net.Conn, _ *http.Request) { untilClosed(conn) }
	mute := newHostile(t, stall)
	body := newHostile(t, func(conn net.Conn, req *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345")
		untilClosed(conn)
	})
	drip := newHostile(t, func(conn net.Conn, _ *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
		for {
			if _, err := conn.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	deaf := Options{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	for _, tt := range []struct {
		name, url string
		options   Options
		stage     failure.Stage
		reason    collection.Reason
	}{
		{"lookup", "http://slow.example/", Options{Resolver: zone{"slow.example": zoneSilent}.resolver(t)}, failure.StageDNS, collection.ReasonDNSTimeout},
		{"connection", "http://a.example/", deaf, failure.StageDial, collection.ReasonConnectFailed},
		{"handshake", "https://" + newMute(t).Addr().String() + "/", Options{}, failure.StageTLS, collection.ReasonTimeout},
		{"header", mute.url("/"), Options{}, failure.StageHeader, collection.ReasonTimeout},
		{"body", body.url("/"), Options{}, failure.StageBody, collection.ReasonTimeout},
		{"slow drip", drip.url("/"), Options{}, failure.StageBody, collection.ReasonTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, o := get(t, tt.options, hasty(), tt.url)
			requireFails(t, res, o, failure.TransportTimeout, tt.reason)
			require.Equal(t, tt.stage, o.Stage)
		})
	}
}

func TestConnectionFaults(t *testing.T) {
	reset := func(before string) *hostile {
		return newHostile(t, func(conn net.Conn, _ *http.Request) {
			_, _ = io.WriteString(conn, before)
			time.Sleep(20 * time.Millisecond) // let it arrive before the reset overtakes it
			_ = conn.(*net.TCPConn).SetLinger(0)
		})
	}
	fails := func(err error) Options {
		return Options{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}}
	}
	for _, tt := range []struct {
		name, url string
		options   Options
		transport failure.Transport
		reason    collection.Reason
	}{
		{"refused", "http://" + closedPort + "/", Options{}, failure.TransportRefused, collection.ReasonConnectFailed},
		{"no way to the host", "http://a.example/", fails(syscall.EHOSTUNREACH), failure.TransportUnreachable, collection.ReasonConnectFailed},
		{"any other trouble with dialling", "http://a.example/", fails(io.ErrNoProgress), failure.TransportUnreachable, collection.ReasonConnectFailed},
		{"no descriptor left", "http://a.example/", fails(syscall.EMFILE), failure.TransportLocal, collection.ReasonEgressUnavailable},
		{"no network", "http://a.example/", fails(syscall.ENETUNREACH), failure.TransportLocal, collection.ReasonEgressUnavailable},
		{"reset before the answer", reset("").url("/"), Options{}, failure.TransportReset, collection.ReasonReset},
		{"closed before the answer", newHostile(t, says("")).url("/"), Options{}, failure.TransportReset, collection.ReasonReset},
		{"closed in the header", newHostile(t, says("HTTP/1.1 200 OK\r\nServer: x")).url("/"), Options{}, failure.TransportReset, collection.ReasonReset},
		{"reset in the body", reset("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345").url("/"), Options{}, failure.TransportReset, collection.ReasonReset},
		{"not HTTP", newHostile(t, says("SSH-2.0-OpenSSH_9.9\r\n\r\n")).url("/"), Options{}, failure.TransportProtocol, collection.ReasonServerError},
		{"endless header", newHostile(t, says("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")).url("/"), Options{}, failure.TransportProtocol, collection.ReasonServerError},
		{"unknown transfer coding", newHostile(t, says("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx")).url("/"), Options{}, failure.TransportProtocol, collection.ReasonServerError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, o := get(t, tt.options, source(), tt.url)
			requireFails(t, res, o, tt.transport, tt.reason)
		})
	}
}

// C3 38: a name that does not exist is a fact, a resolver that does not know is not.
func TestCase38Lookups(t *testing.T) {
	resolver := zone{"broken.example": zoneBroken}.resolver(t)
	res, o := get(t, Options{Resolver: resolver}, source(), "http://nowhere.example/")
	requireFails(t, res, o, failure.TransportDNSNotFound, collection.ReasonDNSNotFound)
	res, o = get(t, Options{Resolver: resolver}, source(), "http://broken.example/")
	requireFails(t, res, o, failure.TransportDNSTimeout, collection.ReasonDNSTimeout)
}

func TestTLS(t *testing.T) {
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	site.EnableHTTP2 = true
	site.Config.ErrorLog = quietLog
	site.StartTLS()
	defer site.Close()

	res, o := get(t, Options{}, source(), site.URL)
	requireFails(t, res, o, failure.TransportTLS, collection.ReasonTLSError)

	trusted := x509.NewCertPool()
	trusted.AddCert(site.Certificate())
	res, o = get(t, Options{RootCAs: trusted}, source(), site.URL)
	requireBody(t, res, o, "HTTP/2.0")

	wrongName := at(site.Listener)
	wrongName.RootCAs = trusted
	res, o = get(t, wrongName, source(), "https://a.example/")
	requireFails(t, res, o, failure.TransportTLS, collection.ReasonTLSError)

	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	res, o = get(t, at(plain.Listener), source(), "https://a.example/")
	requireFails(t, res, o, failure.TransportTLS, collection.ReasonTLSError)
}

func TestHTTP2StreamReset(t *testing.T) {
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	site.EnableHTTP2 = true
	site.StartTLS()
	defer site.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(site.Certificate())
	res, o := get(t, Options{RootCAs: trusted}, source(), site.URL)
	requireFails(t, res, o, failure.TransportReset, collection.ReasonReset)
}

// A fetch that is stopped lets go of the target at once, wherever it stands.
func TestCancellationReachesTheSocket(t *testing.T) {
	arrived, left := make(chan struct{}, 1), make(chan struct{}, 1)
	hold := func(before string) func(net.Conn, *http.Request) {
		return func(conn net.Conn, _ *http.Request) {
			_, _ = io.WriteString(conn, before)
			arrived <- struct{}{}
			untilClosed(conn)
			left <- struct{}{}
		}
	}
	handshake, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = handshake.Close() }()
	go func() {
		if conn, err := handshake.Accept(); err == nil {
			arrived <- struct{}{}
			untilClosed(conn)
			left <- struct{}{}
		}
	}()
	dialling := Options{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		arrived <- struct{}{}
		<-ctx.Done()
		left <- struct{}{}
		return nil, ctx.Err()
	}}
	for _, tt := range []struct {
		name, url string
		options   Options
	}{
		{"dialling", "http://a.example/", dialling},
		{"in the handshake", "https://" + handshake.Addr().String() + "/", Options{}},
		{"before the header", newHostile(t, hold("")).url("/"), Options{}},
		{"in the body", newHostile(t, hold("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345")).url("/"), Options{}},
		{"in a compressed body", newHostile(t, hold("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n\x1f\x8b\x08")).url("/"), Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := New(tt.options)
			defer client.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			src := source()
			src.Timeout = time.Hour
			done := make(chan failure.Observation, 1)
			go func() {
				_, o := client.Fetch(ctx, src, record(tt.url), collection.Via{})
				done <- o
			}()
			within(t, arrived, "the request never arrived")
			cancel()
			within(t, left, "the connection was not let go")
			o := within(t, done, "the fetch did not end")
			requireFails(t, nil, o, failure.TransportCancelled, collection.ReasonLeaseLost)
		})
	}
}

func within[T any](t *testing.T, c <-chan T, otherwise string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		require.Fail(t, otherwise)
		panic("unreachable")
	}
}

// manyRequests are made where connections are counted. On a busy machine a connection is now and then not free again when the
// next request comes, and that request opens another one: so that they are kept shows in many of them alone.
const manyRequests = 20

func TestConnectionsAreKeptPerSource(t *testing.T) {
	opened := map[string]int{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		opened[r.RemoteAddr]++
		if r.URL.Path == "/404" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, "answer")
	}))
	defer site.Close()
	client := New(Options{})
	defer client.Close()
	src := source()
	for range manyRequests / 2 {
		for _, path := range []string{"/", "/404"} {
			client.Fetch(t.Context(), src, record(site.URL+path), collection.Via{})
		}
	}
	first := maps.Clone(opened)
	require.Less(t, len(first), manyRequests/2, "a connection serves answers and errors alike")

	other := source()
	other.Name = "other"
	for range manyRequests {
		client.Fetch(t.Context(), other, record(site.URL), collection.Via{})
	}
	require.Less(t, len(opened)-len(first), manyRequests/2)
	for connection, requests := range first {
		require.Equal(t, requests, opened[connection], "another source has connections of its own")
	}

	src.AllowPrivateAddresses = false
	before := maps.Clone(opened)
	res, o := client.Fetch(t.Context(), src, record(site.URL), collection.Via{})
	requireFails(t, res, o, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
	require.Equal(t, before, opened, "a connection does not outlive its permission")
}

func TestEnvironmentProxyIsNotUsed(t *testing.T) {
	proxy := newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy"))
	t.Setenv("HTTP_PROXY", proxy.url(""))
	site := newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsite"))
	res, o := get(t, at(site.listener), source(), "http://a.example/")
	requireBody(t, res, o, "site")
	require.Empty(t, proxy.seen())
}

func TestDefaultBoundsHoldForABareSource(t *testing.T) {
	site := newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n"))
	src := collection.Source{Name: "bare", Hosts: []string{"127.0.0.1"}, AllowPrivateAddresses: true}
	res, o := get(t, Options{}, src, site.url("/"))
	requireFails(t, res, o, failure.TransportBodyTooLarge, collection.ReasonTooLarge)
}
