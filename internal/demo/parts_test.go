package demo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/cli/screen"
)

// TestWorkerWithoutTemporal: a worker that cannot start is an error of the start, and leaves nothing running.
func TestWorkerWithoutTemporal(t *testing.T) {
	t.Parallel()
	cfg, f := testConfig(t)
	for _, name := range []string{"a", "s"} {
		require.NoError(t, os.WriteFile(f.file(name), []byte("key\n"), 0o600))
	}
	var told []error
	w, err := startWorker(t.Context(), cfg, f.file(logName), func(err error) { told = append(told, err) })
	require.ErrorContains(t, err, "Temporal does not answer at 127.0.0.1:1")
	require.Nil(t, w)
	require.Len(t, told, 1)
	require.ErrorContains(t, told[0], "the worker ended by itself, see "+f.file(logName))
	require.FileExists(t, f.file(logName))
}

// TestWorkerInterrupted: a start that is broken off says why.
func TestWorkerInterrupted(t *testing.T) {
	t.Parallel()
	cfg, f := testConfig(t)
	reason := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	_, err := startWorker(ctx, cfg, f.file(logName), func(error) {})
	require.Error(t, err)
}

func TestWorkerWithoutLog(t *testing.T) {
	t.Parallel()
	cfg, f := testConfig(t)
	_, err := startWorker(t.Context(), cfg, filepath.Join(f.path, "no", "such", "folder"), func(error) {})
	require.ErrorContains(t, err, "open the worker's log")
}

func TestStopOfNothing(t *testing.T) {
	t.Parallel()
	p := parts{stopWatching: func(error) {}}
	require.NoError(t, p.stop())
}

// TestFolders: one that was asked for stays, another is removed unless there is something to see in it.
func TestFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		dir                 string
		nothingToSee, stays bool
	}{
		{"", true, false},
		{"", false, true},
		{filepath.Join(t.TempDir(), "own"), true, true},
		{filepath.Join(t.TempDir(), "own"), false, true},
	} {
		f, err := openFolder(c.dir)
		require.NoError(t, err)
		require.True(t, filepath.IsAbs(f.path))
		require.DirExists(t, f.path)
		var out bytes.Buffer
		s := &show{Options: Options{Screen: screen.New(&out, screen.Options{})}, folder: f}
		s.leave(c.nothingToSee)
		if c.stays {
			require.DirExists(t, f.path)
			require.Contains(t, out.String(), f.path)
		} else {
			require.NoDirExists(t, f.path)
			require.Empty(t, out.String())
		}
	}
	_, err := openFolder("/dev/null/x")
	require.ErrorContains(t, err, "make a folder for the demo")
}

// TestSubmissionFile: what is submitted is what the folder keeps for people to read.
func TestSubmissionFile(t *testing.T) {
	t.Parallel()
	f, err := openFolder(t.TempDir())
	require.NoError(t, err)
	s := &show{folder: f}
	rows := scenario(address)
	request, err := s.submission(rows)
	require.NoError(t, err)
	defer request.close()
	content, err := os.ReadFile(f.file("submission.csv"))
	require.NoError(t, err)
	want, err := writeCSV(rows)
	require.NoError(t, err)
	require.Equal(t, want, content)
	require.Equal(t, "submission.csv", request.FileName)
	require.Equal(t, customerName, request.Customer)
	require.Empty(t, request.ID, "the id is derived, so that submitting again finds it")
}
