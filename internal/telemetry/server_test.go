package telemetry

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serve runs a server until the test ends, and gives its URL.
func serve(t *testing.T, checks func(context.Context) []HealthCheck) string {
	t.Helper()
	m, err := NewMetrics()
	require.NoError(t, err)
	s, err := Listen("127.0.0.1:0", m.Handler(), checks)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return "http://" + s.Addr()
}

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		checks func(context.Context) []HealthCheck
		code   int
		body   string
	}{
		"no checks": {nil, 200, `{"status":"ok","checks":[]}`},
		"all well": {
			func(context.Context) []HealthCheck { return []HealthCheck{{Name: "temporal", OK: true}} },
			200, `{"status":"ok","checks":[{"name":"temporal","ok":true}]}`,
		},
		"one fails": {
			func(context.Context) []HealthCheck {
				return []HealthCheck{{Name: "store", Detail: "denied"}, {Name: "temporal", OK: true, Detail: "3 ms"}}
			},
			503,
			`{"status":"failing","checks":[{"name":"store","ok":false,"detail":"denied"},{"name":"temporal","ok":true,"detail":"3 ms"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, body := get(t, serve(t, c.checks)+"/healthz")
			require.Equal(t, c.code, answer.StatusCode)
			require.JSONEq(t, c.body, body)
			require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
			require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
		})
	}
}

func TestHealthChecksHaveADeadline(t *testing.T) {
	t.Parallel()
	url := serve(t, func(ctx context.Context) []HealthCheck {
		deadline, ok := ctx.Deadline()
		return []HealthCheck{{Name: "deadline", OK: ok && time.Until(deadline) <= healthTimeout}}
	})
	answer, _ := get(t, url+"/healthz")
	require.Equal(t, 200, answer.StatusCode)
	require.Less(t, healthTimeout, writeTimeout)
}

func TestPaths(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	answer, body := get(t, url+"/metrics")
	require.Equal(t, 200, answer.StatusCode)
	require.Contains(t, body, "weir_build_info{")
	answer, _ = get(t, url+"/")
	require.Equal(t, 404, answer.StatusCode)
	posted, err := http.Post(url+"/metrics", "text/plain", nil)
	require.NoError(t, err)
	require.NoError(t, posted.Body.Close())
	require.Equal(t, 405, posted.StatusCode)
}

func TestBusyAddress(t *testing.T) {
	t.Parallel()
	s, err := Listen("127.0.0.1:0", http.NotFoundHandler(), nil)
	require.NoError(t, err)
	defer s.listener.Close()
	err = Serve(t.Context(), s.Addr(), http.NotFoundHandler(), nil)
	require.ErrorContains(t, err, s.Addr())
	require.ErrorContains(t, err, "address already in use")
	require.ErrorContains(t, err, "choose another address with worker.metrics_address or --metrics-address, one for each worker on a machine")
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, "127.0.0.1:0", http.NotFoundHandler(), nil) }()
	cancel()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("the server does not end")
	}
}

func TestRequestsUnderWayAreFinished(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	slow := func(context.Context) []HealthCheck {
		cancel()
		time.Sleep(50 * time.Millisecond)
		return []HealthCheck{{Name: "slow", OK: true}}
	}
	s, err := Listen("127.0.0.1:0", http.NotFoundHandler(), slow)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	_, body := get(t, "http://"+s.Addr()+"/healthz")
	require.NoError(t, <-ended)
	var h health
	require.NoError(t, json.Unmarshal([]byte(body), &h))
	require.Equal(t, "slow", h.Checks[0].Name)
}

func TestServeReportsAListenerThatBreaks(t *testing.T) {
	t.Parallel()
	s, err := Listen("127.0.0.1:0", http.NotFoundHandler(), nil)
	require.NoError(t, err)
	require.NoError(t, s.listener.Close())
	require.ErrorContains(t, s.Serve(t.Context()), "serve metrics on")
}
