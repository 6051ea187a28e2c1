// Package sourcesite is a site on this machine for tests and benchmarks to collect from: it answers as it is told and
// keeps its own ledger of what it was asked, which is the only witness of a ceiling that counts.
//
// It must not know weir.
package sourcesite

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Site is one site. Its pages are small HTML documents with a title and a price, unless Answer says otherwise.
type Site struct {
	// Host is the address that the site listens on, without its port: every site has one of its own.
	Host string
	// URL is the site's root, without a slash at its end.
	URL string

	server *http.Server

	mu       sync.Mutex
	latency  time.Duration
	answer   func(http.ResponseWriter, *http.Request) bool
	inFlight int
	peak     int
	requests map[string]int
	starts   []time.Time
	// spans are all requests, those for robots.txt too.
	spans []Span
	// robots is the site's robots.txt; without any it has none. asked is how often it was asked for.
	robots string
	asked  int
}

// Span is a request from when it came to when it ended, as its site has seen it. What has not ended has no end.
type Span struct{ From, To time.Time }

// Start runs a site on a loopback address, for instance "127.0.0.2".
func Start(host string) (*Site, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("start a source site: %w", err)
	}
	s := &Site{Host: host, URL: "http://" + listener.Addr().String(), requests: map[string]int{}}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go s.server.Serve(listener) //nolint:errcheck // it ends with Close
	return s, nil
}

// Close ends the site and every request in it.
func (s *Site) Close() { s.server.Close() }

// SetLatency is how long every answer takes from now on.
func (s *Site) SetLatency(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = d
}

// SetAnswer lets a function answer; if it returns false, the site answers as usual. It is called without the latency.
func (s *Site) SetAnswer(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// SetRobots gives the site a robots.txt.
func (s *Site) SetRobots(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.robots = text
}

// robotsPath is not a page: what it is asked stands apart in the ledger, though it is in flight like any other request.
const robotsPath = "/robots.txt"

// ServeHTTP answers one request and keeps the ledger.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	nth, latency, answer := s.enter(r)
	defer s.leave(nth)
	if answer != nil && answer(w, r) {
		return
	}
	if r.URL.Path == robotsPath {
		s.answerRobots(w, r)
		return
	}
	select {
	case <-time.After(latency):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<html><head><title>%[1]s</title></head><body><h1>Page %[1]s</h1><p class=price>£%[2]d.50</p></body></html>\n",
		r.URL.Path, len(r.URL.Path))
}

func (s *Site) answerRobots(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	text := s.robots
	s.mu.Unlock()
	if text == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprint(w, text)
}

func (s *Site) enter(r *http.Request) (nth int, latency time.Duration, answer func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.spans = append(s.spans, Span{From: now})
	s.inFlight++
	s.peak = max(s.peak, s.inFlight)
	if r.URL.Path == robotsPath {
		s.asked++
	} else {
		s.requests[r.URL.RequestURI()]++
		s.starts = append(s.starts, now)
	}
	return len(s.spans) - 1, s.latency, s.answer
}

func (s *Site) leave(nth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans[nth].To = time.Now()
	s.inFlight--
}

// Ledger is what a site was asked.
type Ledger struct {
	Requests int
	// Paths is how many different paths were asked for, and Repeated how many requests asked for one again.
	Paths, Repeated int
	// Peak is the largest number of requests in flight at a time.
	Peak int
	// First and Last are when the first and the last request started.
	First, Last time.Time
	// Robots is how often robots.txt was asked for, beside these requests.
	Robots int
}

// Ledger is the account so far.
func (s *Site) Ledger() Ledger {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := Ledger{Requests: len(s.starts), Paths: len(s.requests), Peak: s.peak, Robots: s.asked}
	l.Repeated = l.Requests - l.Paths
	if len(s.starts) > 0 {
		l.First, l.Last = s.starts[0], s.starts[len(s.starts)-1]
	}
	return l
}

// InFlight is how many requests are in flight now.
func (s *Site) InFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inFlight
}

// Starts is when each request started.
func (s *Site) Starts() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.starts)
}

// Spans is when each request started and ended, in the order in which they came; those for robots.txt are among them.
func (s *Site) Spans() []Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.spans)
}

// Asked is how often a path was asked for.
func (s *Site) Asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}
