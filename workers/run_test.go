package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestMain(m *testing.M) { stacktest.Main(m) }

const someConfig = `
s3: {bucket: weir, region: us-east-1, path_style: true, endpoint: "http://127.0.0.1:1", access_key: "env:KEY", secret_key: "env:KEY"}
worker: {metrics_address: "", shutdown_grace: 1s}
temporal: {address: "127.0.0.1:1"}
sources:
  - {name: books, hosts: [books.example], ceiling: 2, parse: {type: json, fields: [{name: title, jq: .title}]}}
  - {name: films, hosts: [films.example], ceiling: 2, parse: {type: json, fields: [{name: title, jq: .title}]}}
customers:
  - {name: acme}
`

// load reads a configuration; WEIR_ variables given to it count.
func load(t *testing.T, env map[string]string) config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weir.yaml")
	require.NoError(t, os.WriteFile(file, []byte(someConfig), 0o600))
	cfg, err := config.Load(config.Options{File: file, CPUs: 2, Version: "test", Env: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}})
	require.NoError(t, err)
	return cfg
}

func someOptions(cfg config.Config, keys map[string]string) Options {
	return Options{Config: cfg, Logger: slog.New(slog.DiscardHandler), Secrets: connect.Secrets{
		Env:      func(name string) (string, bool) { v, ok := keys[name]; return v, ok },
		ReadFile: os.ReadFile,
	}}
}

func names(sources []collection.Source) []string {
	var all []string
	for _, s := range sources {
		all = append(all, s.Name)
	}
	return all
}

func TestChosenSources(t *testing.T) {
	t.Parallel()
	cfg := load(t, nil)
	all, err := chosenSources(cfg, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"books", "films"}, names(all))
	some, err := chosenSources(cfg, []string{"films", "films"})
	require.NoError(t, err)
	require.Equal(t, []string{"films"}, names(some), "one collect queue is polled once")
	_, err = chosenSources(cfg, []string{"books", "songs"})
	require.EqualError(t, err, `source "songs" is not in the configuration`)
}

func TestRunRefusesAnUnknownSourceBeforeItDials(t *testing.T) {
	t.Parallel()
	o := someOptions(load(t, nil), nil)
	o.Sources = []string{"songs"}
	require.ErrorContains(t, Run(t.Context(), o), `"songs"`)
}

func TestRunSaysWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, Run(t.Context(), someOptions(load(t, nil), nil)), "Temporal does not answer at 127.0.0.1:1")
}

// TestRunUntilStopped runs every role against the stack, and asks for its health meanwhile.
func TestRunUntilStopped(t *testing.T) {
	t.Parallel()
	err := runUntilStopped(t, stacktest.Shared(t))
	if errors.Is(err, syscall.EADDRINUSE) {
		// Between the choice of a free port and its use another process has taken it.
		t.Log(err)
		err = runUntilStopped(t, stacktest.Shared(t))
	}
	require.NoError(t, err)
}

// runUntilStopped runs a worker until it is healthy, and stops it; it returns what the worker ended with.
func runUntilStopped(t *testing.T, s *stack.Stack) error {
	t.Helper()
	metrics := freeAddress(t)
	cfg := load(t, map[string]string{
		"WEIR_TEMPORAL_ADDRESS": s.Temporal, "WEIR_TEMPORAL_NAMESPACE": s.Namespace,
		"WEIR_S3_ENDPOINT": s.S3, "WEIR_S3_REGION": s.Region, "WEIR_S3_BUCKET": s.Bucket,
		"WEIR_S3_ACCESS_KEY": "env:ACCESS", "WEIR_S3_SECRET_KEY": "env:SECRET", "WEIR_WORKER_METRICS_ADDRESS": metrics,
	})
	o := someOptions(cfg, map[string]string{"ACCESS": s.AccessKey, "SECRET": s.SecretKey})
	ready := make(chan struct{})
	o.Ready = func() { close(ready) }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	select {
	case <-ready:
	case err := <-ended:
		return fmt.Errorf("it ended before it was ready: %w", err)
	case <-time.After(5 * time.Minute):
		t.Fatal("it is not ready")
	}
	// It is healthy once its first renewal has brought a lease.
	var health string
	healthy := func() bool {
		answer, err := http.Get("http://" + metrics + "/healthz")
		if err != nil {
			health = err.Error()
			return false
		}
		defer answer.Body.Close()
		said, _ := io.ReadAll(answer.Body)
		health = answer.Status + ": " + string(said)
		return answer.StatusCode == http.StatusOK
	}
	for deadline := time.Now().Add(5 * time.Minute); !healthy(); time.Sleep(100 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), "it does not become healthy: %s", health)
	}
	stop()
	select {
	case err := <-ended:
		return err
	case <-time.After(5 * time.Minute):
		t.Fatal("it does not end")
	}
	return nil
}

// freeAddress is one that nobody listened on a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

func TestHealth(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer s3.Close()
	store, err := objectstore.Open(t.Context(), objectstore.Options{
		Endpoint: s3.URL, Region: "us-east-1", Bucket: "weir", PathStyle: true, AccessKey: "a", SecretKey: "b",
	})
	require.NoError(t, err)
	var engineErr error
	engine := &mocks.Client{}
	engine.On("CheckHealth", mock.Anything, mock.Anything).Return(
		func(context.Context, *client.CheckHealthRequest) *client.CheckHealthResponse {
			return &client.CheckHealthResponse{}
		},
		func(context.Context, *client.CheckHealthRequest) error { return engineErr })
	checks := (&process{store: store}).health(engine)

	got := checks(t.Context())
	require.Len(t, got, 2)
	require.Equal(t, "temporal", got[0].Name)
	require.Equal(t, "store", got[1].Name)
	for _, c := range got {
		require.True(t, c.OK, "%+v", c)
		require.Empty(t, c.Detail)
	}

	engineErr, status = errors.New("the engine is down"), http.StatusForbidden
	got = checks(t.Context())
	require.False(t, got[0].OK)
	require.Equal(t, "the engine is down", got[0].Detail)
	require.False(t, got[1].OK)
	require.Contains(t, got[1].Detail, s3.URL)

	permits := NewPermits(lease.NewHolder("w"), nil, 1, time.Now)
	got = (&process{store: store, collects: true, permits: permits}).health(engine)(t.Context())
	require.Equal(t, "lease", got[2].Name)
	require.False(t, got[2].OK)
	require.Contains(t, got[2].Detail, "makes no requests")
}
