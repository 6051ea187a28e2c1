package stack

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sourceOf writes a module that builds in a second and prints a word.
func sourceOf(t *testing.T, word string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/tiny\n\ngo 1.26\n")
	write(t, dir, "main.go", "package main\n\nfunc main() { print(\""+word+"\") }\n")
	return dir
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func run(t *testing.T, binary string) string {
	t.Helper()
	out, err := exec.Command(binary).CombinedOutput()
	require.NoError(t, err)
	return string(out)
}

func TestBuildOnceForEachSource(t *testing.T) {
	t.Parallel()
	source, cache := sourceOf(t, "one"), t.TempDir()
	var said bytes.Buffer
	o := BuildOptions{Source: source, Cache: cache, Progress: &said}
	first, err := Build(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, "one", run(t, first))
	require.Contains(t, said.String(), "building the embedded stack (once; takes minutes) … 0 s\n")

	said.Reset()
	again, err := Build(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Empty(t, said.String(), "the second time nothing is built")

	write(t, source, "main_test.go", "package main\n")
	untouched, err := Build(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, untouched, "a test is not part of the binary")

	write(t, source, "main.go", "package main\n\nfunc main() { print(\"two\") }\n")
	second, err := Build(t.Context(), o)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.Equal(t, "two", run(t, second))
}

func TestBuildersWaitForEachOther(t *testing.T) {
	t.Parallel()
	source, cache := sourceOf(t, "one"), t.TempDir()
	const builders = 4
	said := make([]bytes.Buffer, builders)
	binaries := make([]string, builders)
	var all sync.WaitGroup
	for i := range builders {
		all.Go(func() {
			var err error
			binaries[i], err = Build(context.Background(), BuildOptions{Source: source, Cache: cache, Progress: &said[i]})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	built := 0
	for i := range builders {
		require.Equal(t, binaries[0], binaries[i])
		built += strings.Count(said[i].String(), buildingText)
	}
	require.Equal(t, 1, built)
}

func TestBuildFailureQuotesTheCompiler(t *testing.T) {
	t.Parallel()
	source, cache := sourceOf(t, "one"), t.TempDir()
	write(t, source, "main.go", "package main\n\nfunc main() { missing() }\n")
	_, err := Build(t.Context(), BuildOptions{Source: source, Cache: cache})
	require.ErrorContains(t, err, "undefined: missing")
	require.NotContains(t, err.Error(), "\n")
	left, err := filepath.Glob(filepath.Join(cache, "*evstack*"))
	require.NoError(t, err)
	require.Empty(t, left, "a failed build leaves nothing that could be taken for a binary")
}

func TestBuildCanBeCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Build(ctx, BuildOptions{Source: sourceOf(t, "one"), Cache: t.TempDir()})
	require.ErrorIs(t, err, context.Canceled)
}

func TestBuildWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), BuildOptions{Source: sourceOf(t, "one"), Cache: t.TempDir()})
	require.ErrorContains(t, err, "--devstack BINARY")
}

func TestWaitingForTheLockCanBeCancelled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path, newReporter(nil))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var said bytes.Buffer
	_, err = lock(ctx, path, newReporter(&said))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Contains(t, said.String(), waitingText)

	unlock()
	unlock, err = lock(t.Context(), path, newReporter(nil))
	require.NoError(t, err)
	unlock()
}

func TestCacheKeepsTheNewestTwo(t *testing.T) {
	t.Parallel()
	c, err := openCache(t.TempDir())
	require.NoError(t, err)
	write(t, c.dir, "unrelated", "stays")
	write(t, c.dir, buildingPrefix+"left/devstack", "of a killed builder")
	old := time.Now().Add(-time.Hour)
	for i, hash := range []string{"a", "b", "c"} {
		write(t, c.dir, binaryPrefix+hash, hash)
		used := old.Add(time.Duration(i) * time.Minute)
		require.NoError(t, os.Chtimes(c.binary(hash), used, used))
	}
	_, ok := c.get("a") // using it makes it the newest
	require.True(t, ok)
	_, err = c.put("d", func(path string) error { return os.WriteFile(path, []byte("d"), 0o755) })
	require.NoError(t, err)

	entries, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Equal(t, []string{"devstack-a", "devstack-d", "unrelated"}, names)
}

func TestOpenCacheSaysWhatItCannotUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "file", "")
	_, err := openCache(filepath.Join(dir, "file"))
	require.ErrorContains(t, err, filepath.Join(dir, "file"))
}
