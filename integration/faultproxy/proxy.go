// Package faultproxy stands between workers and their store, and lets things go wrong at one exact request: before it is
// made, after it has been made, or with its answer lost. So a process can be killed between any two steps of its work
// without a hook in the program.
//
// It must not know weir.
package faultproxy

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// Moment is when something happens to a request.
type Moment string

// The moments.
const (
	// Before the request reaches the store.
	Before Moment = "before"
	// After the store has answered, before the answer reaches who asked.
	After Moment = "after"
)

// Request is what passes.
type Request struct {
	Method string
	// Path is the path as it was asked for, with bucket and key.
	Path string
	// Number counts the requests from 1.
	Number int
}

// Rule says what happens to a request at a moment. It may do something on the side, for instance kill a process. If it
// returns false the connection is cut: nobody gets an answer.
type Rule func(Moment, Request) bool

// Proxy is one proxy.
type Proxy struct {
	// URL is where to ask instead of the store.
	URL string

	server *http.Server
	next   *httputil.ReverseProxy

	mu     sync.Mutex
	rule   Rule
	number int
}

// Start runs a proxy in front of a store's URL.
func Start(store string) (*Proxy, error) {
	target, err := url.Parse(store)
	if err != nil {
		return nil, fmt.Errorf("start a fault proxy: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start a fault proxy: %w", err)
	}
	p := &Proxy{URL: "http://" + listener.Addr().String()}
	p.next = &httputil.ReverseProxy{
		// The host stays as it was asked for: it is part of what is signed.
		Rewrite:      func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go p.server.Serve(listener) //nolint:errcheck // it ends with Close
	return p, nil
}

// Close ends the proxy and every request in it.
func (p *Proxy) Close() { p.server.Close() }

// SetRule puts a rule into force; nil lets everything pass.
func (p *Proxy) SetRule(r Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = r
}

// ServeHTTP lets one request pass, or not.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.number++
	rule, request := p.rule, Request{Method: r.Method, Path: r.URL.EscapedPath(), Number: p.number}
	p.mu.Unlock()
	if rule != nil && !rule(Before, request) {
		panic(http.ErrAbortHandler)
	}
	if rule == nil {
		p.next.ServeHTTP(w, r)
		return
	}
	held := &heldAnswer{header: http.Header{}, status: http.StatusOK}
	p.next.ServeHTTP(held, r)
	if !rule(After, request) {
		panic(http.ErrAbortHandler)
	}
	held.send(w)
}

// heldAnswer keeps an answer back until the rule has been asked.
type heldAnswer struct {
	header http.Header
	status int
	body   []byte
}

func (h *heldAnswer) Header() http.Header         { return h.header }
func (h *heldAnswer) WriteHeader(status int)      { h.status = status }
func (h *heldAnswer) Write(b []byte) (int, error) { h.body = append(h.body, b...); return len(b), nil }

func (h *heldAnswer) send(w http.ResponseWriter) {
	for name, values := range h.header {
		w.Header()[name] = values
	}
	w.WriteHeader(h.status)
	_, _ = w.Write(h.body) // who asked may be gone: that is what the proxy is for
}
