package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadyLineIsTheOnlyOutput(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, "--namespace", "orders", "--bucket", "reports")

	require.True(t, p.ready.Ready)
	require.Equal(t, "orders", p.ready.Namespace)
	require.Equal(t, "reports", p.ready.Bucket)
	require.Equal(t, "us-east-1", p.ready.Region)
	require.Equal(t, dir, p.ready.Data)
	require.Equal(t, p.cmd.Process.Pid, p.ready.PID)

	page, err := http.Get(p.ready.Web + "/namespaces/orders/workflows")
	require.NoError(t, err)
	defer func() { _ = page.Body.Close() }()
	require.Equal(t, http.StatusOK, page.StatusCode)
	api, err := http.Get(p.ready.Web + "/api/v1/namespaces/orders")
	require.NoError(t, err)
	defer func() { _ = api.Body.Close() }()
	require.Equal(t, http.StatusOK, api.StatusCode)

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.waitExit(t, 2*time.Minute)
	require.Equal(t, 0, p.cmd.ProcessState.ExitCode())
	require.Equal(t, 1, strings.Count(p.stdout.String(), "\n"), p.stdout)
	// The server may complain of a machine that is slow.
	for line := range strings.Lines(p.stderr.String()) {
		require.False(t, strings.HasPrefix(line, "devstack:"), line)
	}
}

func TestEndsWithItsParent(t *testing.T) {
	p := start(t, t.TempDir(), "--no-web")
	require.Empty(t, p.ready.Web)
	require.NoError(t, p.stdin.Close())
	p.waitExit(t, 2*time.Minute)
	require.Equal(t, 0, p.cmd.ProcessState.ExitCode())
}

func TestStopsWhileClientsHangOn(t *testing.T) {
	p := start(t, t.TempDir(), "--log-level", "debug")
	startWorker(t, p.dial(t), "steps")
	for _, url := range []string{p.ready.S3, p.ready.Web} {
		page, err := http.Get(url) // the connection is kept
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, page.Body)
		require.NoError(t, err)
		require.NoError(t, page.Body.Close())
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	p.waitExit(t, 2*time.Minute)
	require.Equal(t, 0, p.cmd.ProcessState.ExitCode())
	require.Equal(t, 1, strings.Count(p.stdout.String(), "\n"), "stdout is for the ready line, however talkative the log")
	require.NotEmpty(t, p.stderr.String())
}

func TestSecondDevstackOnOneFolder(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, "--no-web")
	code, message := fails(t, dir)
	require.Equal(t, 1, code)
	requireOneLine(t, message, dir, fmt.Sprintf("pid %d", p.ready.PID), "--data")
}

func TestBusyPorts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	busy := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	for _, flag := range []string{"--temporal-port", "--web-port", "--s3-port"} {
		t.Run(flag, func(t *testing.T) {
			code, message := fails(t, t.TempDir(), flag, busy)
			require.Equal(t, 1, code)
			requireOneLine(t, message, busy, flag)
		})
	}
}

func TestBrokenFolders(t *testing.T) {
	cases := map[string]struct {
		// spoil prepares a data folder and returns the path that the message must name.
		spoil func(t *testing.T, dir string) string
	}{
		"is a file": {func(t *testing.T, dir string) string {
			require.NoError(t, os.Remove(dir))
			require.NoError(t, os.WriteFile(dir, []byte("x"), 0o644))
			return dir
		}},
		"lies under a file": {func(t *testing.T, dir string) string {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "temporal"), []byte("x"), 0o644))
			return dir
		}},
		"objects are a file": {func(t *testing.T, dir string) string {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "s3"), []byte("x"), 0o644))
			return dir
		}},
		"workflow database is not one": {func(t *testing.T, dir string) string {
			return spoilDatabase(t, dir, "workflows.db")
		}},
		"visibility database is not one": {func(t *testing.T, dir string) string {
			return spoilDatabase(t, dir, "visibility.db")
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			require.NoError(t, os.Mkdir(dir, 0o755))
			named := c.spoil(t, dir)
			code, message := fails(t, dir)
			require.Equal(t, 1, code)
			requireOneLine(t, message, named, "--data")
		})
	}
}

func TestWrongFlag(t *testing.T) {
	code, message := fails(t, t.TempDir(), "--retention", "soon")
	require.Equal(t, 2, code)
	requireOneLine(t, message, "retention", "--help")
}

func spoilDatabase(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, "temporal", name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o644))
	return path
}

// requireOneLine holds a message to what a person can use: one line that names the things.
func requireOneLine(t *testing.T, message string, names ...string) {
	t.Helper()
	require.True(t, strings.HasPrefix(message, "devstack: "), message)
	require.Equal(t, 1, strings.Count(message, "\n"), message)
	for _, name := range names {
		require.Contains(t, message, name)
	}
}
