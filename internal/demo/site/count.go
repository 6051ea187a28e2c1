package site

import (
	"net"
	"net/http"
	"sync"
)

// counter counts requests: of every path, and at once of every host.
type counter struct {
	mu    sync.Mutex
	paths map[string]int
	hosts map[string]*load
}

type load struct{ inFlight, peak, total int }

func newCounter() *counter { return &counter{paths: map[string]int{}, hosts: map[string]*load{}} }

// around counts what a handler answers.
func (c *counter) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r)
		c.enter(host, r.URL.Path)
		defer c.leave(host)
		next.ServeHTTP(w, r)
	})
}

func (c *counter) enter(host, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths[path]++
	l := c.hosts[host]
	if l == nil {
		l = &load{}
		c.hosts[host] = l
	}
	l.total++
	l.inFlight++
	l.peak = max(l.peak, l.inFlight)
}

func (c *counter) leave(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hosts[host].inFlight--
}

func (c *counter) ofPath(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paths[path]
}

func (c *counter) ofHost(host string) load {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.hosts[host]; l != nil {
		return *l
	}
	return load{}
}

// hostOf is the host that a request is for, without its port.
func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return r.Host
	}
	return host
}
