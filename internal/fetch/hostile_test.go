package fetch

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// patience is how long a test waits for what must happen; nothing is asserted about how soon it does.
const patience = 10 * time.Second

// closedPort refuses every connection: nothing listens there, and nobody is given it by chance, as may happen to the port of a
// listener that was closed.
const closedPort = "127.0.0.1:1"

// hostile is a site that speaks whatever its handler writes, and notes what was asked of it.
type hostile struct {
	listener net.Listener
	speak    func(conn net.Conn, req *http.Request)

	mu       sync.Mutex
	requests []*http.Request
	conns    []net.Conn
}

// newHostile starts a site; speak is called for each request, and the connection closed after it.
func newHostile(t *testing.T, speak func(conn net.Conn, req *http.Request)) *hostile {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h := &hostile{listener: listener, speak: speak}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			h.mu.Lock()
			h.conns = append(h.conns, conn)
			h.mu.Unlock()
			wg.Go(func() { h.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		h.mu.Lock()
		for _, conn := range h.conns {
			_ = conn.Close()
		}
		h.mu.Unlock()
		wg.Wait()
	})
	return h
}

func (h *hostile) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	req, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	if req.ContentLength > 0 {
		_, _ = io.CopyN(io.Discard, in, req.ContentLength)
	}
	h.mu.Lock()
	h.requests = append(h.requests, req)
	h.mu.Unlock()
	h.speak(conn, req)
}

func (h *hostile) url(path string) string { return "http://" + h.listener.Addr().String() + path }

func (h *hostile) seen() []*http.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]*http.Request(nil), h.requests...)
}

// newMute accepts connections and says nothing.
func newMute(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// says is a handler that writes fixed bytes.
func says(answer string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) { _, _ = io.WriteString(conn, answer) }
}

// untilClosed blocks until the other side closes the connection.
func untilClosed(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// source is a source for tests: loopback is allowed, and little is waited for.
func source() collection.Source {
	return collection.Source{
		Name: "shop", Hosts: []string{"127.0.0.1", "a.example", "b.example", "*.c.example"}, Ceiling: 2,
		Timeout: patience, MaxBody: 1 << 20, AllowPrivateAddresses: true,
	}
}

// at sends every connection to one site, whatever its name.
func at(listener net.Listener) Options {
	return Options{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, listener.Addr().String())
	}}
}

func record(rawURL string) collection.Record { return collection.Record{URL: rawURL} }

// get fetches one URL with a client of its own.
func get(t *testing.T, o Options, src collection.Source, rawURL string) (*collection.Response, failure.Observation) {
	t.Helper()
	client := New(o)
	t.Cleanup(client.Close)
	return client.Fetch(t.Context(), src, record(rawURL), collection.Via{})
}

// requireFails demands a kind of trouble and its reason, and that nothing was captured.
func requireFails(t *testing.T, res *collection.Response, o failure.Observation, transport failure.Transport, reason collection.Reason) {
	t.Helper()
	require.Nil(t, res)
	require.Equal(t, transport, o.Transport, o.Message)
	require.Equal(t, reason, failure.Classify(o), o.Message)
	require.NotEmpty(t, o.Message)
	require.LessOrEqual(t, len(o.Message), collection.MaxDetail)
}

func requireBody(t *testing.T, res *collection.Response, o failure.Observation, body string) {
	t.Helper()
	require.Empty(t, failure.Classify(o), "%+v", o)
	require.NotNil(t, res)
	require.Equal(t, body, string(res.Body))
}

// zone answers lookups from a table; a name that is not in it does not exist.
type zone map[string]string

// The answers of a zone other than an address.
const (
	zoneSilent = "silent"
	zoneBroken = "broken"
)

// resolver speaks DNS over a pipe, so that the standard library's own resolver is in the test.
func (z zone) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			// The library goes on waiting for an answer that nobody wants any more.
			<-over
			_ = theirs.Close()
		}()
		go func() {
			defer func() { _ = theirs.Close() }()
			for z.answer(theirs) == nil {
			}
		}()
		return ours, nil
	}}
}

// answer serves one query of a stream: two bytes of length, then the message.
func (z zone) answer(conn net.Conn) error {
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return err
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return err
	}
	if len(m.Questions) == 0 {
		return errors.New("no question")
	}
	question := m.Questions[0]
	m.Additionals, m.Response, m.RecursionAvailable = nil, true, true
	value, known := z[strings.TrimSuffix(question.Name.String(), ".")]
	switch address, err := netip.ParseAddr(value); {
	case value == zoneSilent:
		untilClosed(conn)
		return io.EOF
	case value == zoneBroken:
		m.RCode = dnsmessage.RCodeServerFailure
	case !known || err != nil:
		m.RCode = dnsmessage.RCodeNameError
	case address.Is4() && question.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET, TTL: 1},
			Body:   &dnsmessage.AResource{A: address.As4()},
		}}
	case address.Is6() && question.Type == dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET, TTL: 1},
			Body:   &dnsmessage.AAAAResource{AAAA: address.As16()},
		}}
	}
	packed, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
	return err
}

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u
}
