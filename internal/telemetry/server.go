package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = time.Minute
	// healthTimeout bounds all checks together; it must end before the answer may no longer be written.
	healthTimeout = 5 * time.Second
	closeTimeout  = 5 * time.Second
)

// HealthCheck is one thing that must hold for the process to do its work.
type HealthCheck struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Detail says what is wrong, or what was found.
	Detail string `json:"detail,omitempty"`
}

// health is the body of /healthz.
type health struct {
	// Status is "ok", or "failing" when a check fails.
	Status string        `json:"status"`
	Checks []HealthCheck `json:"checks"`
}

// Server answers /metrics and /healthz.
type Server struct {
	listener net.Listener
	http     http.Server
}

// Listen takes the address, so that a busy one is known before any work starts. checks may be nil; they are called for
// every request, and must end with their context.
func Listen(addr string, metrics http.Handler, checks func(context.Context) []HealthCheck) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("metrics cannot be served on %q (%w): stop what listens there, or choose another address with worker.metrics_address or --metrics-address, "+
			"one for each worker on a machine", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET /healthz", healthHandler(checks))
	return &Server{listener: listener, http: http.Server{
		Handler:           mux,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
	}}, nil
}

// Addr is the address that was taken, host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Serve answers until ctx ends, lets the requests under way finish, and returns nil.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve metrics on %s: %w", s.Addr(), err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := s.http.Shutdown(closing); err != nil {
		_ = s.http.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics on %s: %w", s.Addr(), err)
	}
	return nil
}

// Serve listens and serves until ctx ends.
func Serve(ctx context.Context, addr string, metrics http.Handler, checks func(context.Context) []HealthCheck) error {
	s, err := Listen(addr, metrics, checks)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}

func healthHandler(checks func(context.Context) []HealthCheck) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthTimeout)
		defer cancel()
		answer, code := health{Status: "ok", Checks: []HealthCheck{}}, http.StatusOK
		if checks != nil {
			answer.Checks = append(answer.Checks, checks(ctx)...)
		}
		for _, check := range answer.Checks {
			if !check.OK {
				answer.Status, code = "failing", http.StatusServiceUnavailable
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(answer) // a client that went away needs no answer
	})
}
