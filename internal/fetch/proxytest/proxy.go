package proxytest

import (
	"crypto/tls"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Behaviour is how a proxy answers. Its zero value lets everybody through.
type Behaviour struct {
	// User and Password are demanded where User is set.
	User, Password string
	// Status is what an HTTP proxy answers instead of opening a tunnel.
	Status int
	// Reply is what a SOCKS5 proxy replies instead of opening a tunnel.
	Reply byte
	// Hang accepts connections and says nothing.
	Hang bool
	// Echo sends back whatever arrives, as a careless proxy does in its error pages.
	Echo bool
	// Says is sent right after the answer, before the tunnel begins.
	Says string
	// Cut closes the tunnel as soon as the client has spoken in it.
	Cut bool
	// Targets are the addresses that names lead to; every other target is dialled as it is named.
	Targets map[string]string
}

// Proxy is a proxy that runs until its test ends.
type Proxy struct {
	listener net.Listener
	serve    func(p *Proxy, conn net.Conn, b Behaviour) error

	mu        sync.Mutex
	behaviour Behaviour
	conns     map[net.Conn]struct{}
	accepted  int
	asked     []string
}

// HTTP starts an HTTP proxy.
func HTTP(t testing.TB, b Behaviour) *Proxy { return start(t, b, serveCONNECT, nil) }

// HTTPS starts an HTTP proxy behind TLS.
func HTTPS(t testing.TB, b Behaviour, certificate tls.Certificate) *Proxy {
	return start(t, b, serveCONNECT, &tls.Config{Certificates: []tls.Certificate{certificate}})
}

// SOCKS5 starts a SOCKS5 proxy.
func SOCKS5(t testing.TB, b Behaviour) *Proxy { return start(t, b, serveSOCKS5, nil) }

func start(t testing.TB, b Behaviour, serve func(*Proxy, net.Conn, Behaviour) error, secure *tls.Config) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &Proxy{listener: listener, serve: serve, behaviour: b, conns: map[net.Conn]struct{}{}}
	if secure != nil {
		p.listener = tls.NewListener(listener, secure)
	}
	var running sync.WaitGroup
	running.Go(func() { p.accept(&running) })
	t.Cleanup(func() {
		p.Close()
		running.Wait()
	})
	return p
}

// nowhere is an address that refuses every connection: nothing listens there, and nobody is given it by chance, as may happen
// to the port of a listener that was closed.
const nowhere = "127.0.0.1:1"

// Dead is a proxy that has never come up: its address refuses every connection.
func Dead() *Proxy { return &Proxy{} }

// Address is the proxy's host:port.
func (p *Proxy) Address() string {
	if p.listener == nil {
		return nowhere
	}
	return p.listener.Addr().String()
}

// Behave changes how the proxy answers from now on.
func (p *Proxy) Behave(b Behaviour) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behaviour = b
}

// Accepted is how many connections have come.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Asked are the targets that a tunnel was asked for, in order, refused or not.
func (p *Proxy) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// Close is the death of the proxy: its port is closed, and every tunnel with it.
func (p *Proxy) Close() {
	_ = p.listener.Close() // a second close says that it is closed
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
}

func (p *Proxy) accept(running *sync.WaitGroup) {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		b := p.hold(conn)
		running.Go(func() {
			defer p.release(conn)
			if b.Hang {
				_, _ = io.Copy(io.Discard, conn) // until the client leaves
				return
			}
			_ = p.serve(p, conn, b) // a client that leaves is no failure of the test
		})
	}
}

func (p *Proxy) hold(conn net.Conn) Behaviour {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accepted++
	p.conns[conn] = struct{}{}
	return p.behaviour
}

func (p *Proxy) release(conn net.Conn) {
	_ = conn.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

func (p *Proxy) note(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, target)
}

// dial opens the proxy's own connection to a target.
func (p *Proxy) dial(target string, b Behaviour) (net.Conn, error) {
	if at, ok := b.Targets[target]; ok {
		target = at
	}
	conn, err := net.Dial("tcp", target)
	if err == nil {
		p.mu.Lock()
		p.conns[conn] = struct{}{}
		p.mu.Unlock()
	}
	return conn, err
}

// relay is the tunnel: it ends when either side does.
func (p *Proxy) relay(client, target net.Conn, b Behaviour) error {
	defer p.release(target)
	if b.Cut {
		_, err := client.Read(make([]byte, 1))
		return err
	}
	go func() {
		_, _ = io.Copy(target, client)
		_ = target.Close()
	}()
	_, err := io.Copy(client, target)
	return err
}
