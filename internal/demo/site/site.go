package site

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// The two hosts. Both lead to loopback, and a source is known by its host.
const (
	ShopHost  = "127.0.0.1"
	StockHost = "localhost"
)

// Timing says how long answers take.
type Timing struct {
	Ordinary, Slow time.Duration
	// RetryAfter is what a throttled page asks for; whole seconds.
	RetryAfter time.Duration
}

// DefaultTiming makes the demo take some seconds.
func DefaultTiming() Timing {
	return Timing{Ordinary: 150 * time.Millisecond, Slow: 1500 * time.Millisecond, RetryAfter: 2 * time.Second}
}

// Site is a running site.
type Site struct {
	timing  Timing
	server  *http.Server
	port    string
	count   *counter
	patient *patience
	ended   chan error
}

// Start serves the site on a free port.
func Start(timing Timing) (*Site, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(ShopHost, "0"))
	if err != nil {
		return nil, fmt.Errorf("start the source site: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the source site: %w", err), listener.Close())
	}
	s := &Site{timing: timing, port: port, count: newCounter(), patient: newPatience(time.Now), ended: make(chan error, 1)}
	s.server = &http.Server{Handler: s.count.around(s.pages()), ReadHeaderTimeout: 10 * time.Second}
	go func() { s.ended <- s.server.Serve(listener) }()
	return s, nil
}

// Stop stops the site; requests under way may end.
func (s *Site) Stop(ctx context.Context) error {
	if err := s.server.Shutdown(ctx); err != nil {
		return fmt.Errorf("stop the source site: %w", errors.Join(err, s.server.Close()))
	}
	if err := <-s.ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the source site stopped by itself: %w", err)
	}
	return nil
}

// URL is the address of a path on one of the hosts.
func (s *Site) URL(host, path string) string {
	return "http://" + net.JoinHostPort(host, s.port) + path
}

// Requests is how many requests came for a path.
func (s *Site) Requests(path string) int { return s.count.ofPath(path) }

// Peak is the most requests that were under way at once for a host.
func (s *Site) Peak(host string) int { return s.count.ofHost(host).peak }

// Total is how many requests came for a host.
func (s *Site) Total(host string) int { return s.count.ofHost(host).total }
