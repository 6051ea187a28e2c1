package demo

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

// needsStack skips what runs the whole system.
func needsStack(t *testing.T) Options {
	t.Helper()
	if testing.Short() {
		t.Skip("runs Temporal and S3: left out by -short")
	}
	binary := os.Getenv(stacktest.EnvBinary)
	if binary == "" {
		built, err := stack.Build(t.Context(), stack.BuildOptions{})
		require.NoError(t, err)
		binary = built
	}
	return Options{Binary: binary, Progress: io.Discard, Now: time.Now}
}

// TestDemo is the whole demo, against the real stack.
func TestDemo(t *testing.T) {
	o := needsStack(t)
	var out bytes.Buffer
	o.Exit, o.Dir, o.Screen = true, filepath.Join(t.TempDir(), "demo"), screen.New(&out, screen.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	require.NoError(t, Run(ctx, o), out.String())
	require.Contains(t, out.String(), "Everything is as it must be: 40 rows, 35 delivered documents, 4 verified files.\n")
	require.Contains(t, out.String(), "/namespaces/default/workflows/demo-")
	require.FileExists(t, filepath.Join(o.Dir, "weir.yaml"))
	log, err := os.ReadFile(filepath.Join(o.Dir, logName))
	require.NoError(t, err)
	require.Contains(t, string(log), "working")
	require.NotContains(t, out.String(), "level=", "the worker is quiet on the screen")
}

// TestDemoInterrupted: whenever it is stopped, nothing of it stays.
func TestDemoInterrupted(t *testing.T) {
	o := needsStack(t)
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := &stopAt{line: "watch it", stop: cancel}
	o.Screen = screen.New(stop, screen.Options{})
	require.ErrorIs(t, Run(ctx, o), context.Canceled)
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "weir-demo-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// stopAt is a writer that stops the demo when a line begins so.
type stopAt struct {
	line string
	stop func()
}

func (s *stopAt) Write(b []byte) (int, error) {
	if strings.HasPrefix(string(b), s.line) {
		s.stop()
	}
	return len(b), nil
}

// TestDemoWithoutStack: what cannot start is an error, and the folder stays for a look.
func TestDemoWithoutStack(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := Run(t.Context(), Options{
		Dir: t.TempDir(), Binary: filepath.Join(t.TempDir(), "missing"), Progress: io.Discard, Now: time.Now,
		Screen: screen.New(&out, screen.Options{}),
	})
	require.ErrorContains(t, err, "start the embedded stack")
	require.Contains(t, out.String(), "kept ")
}
