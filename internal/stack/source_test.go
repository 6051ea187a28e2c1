package stack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindSource(t *testing.T) {
	t.Parallel()
	clone := t.TempDir()
	write(t, clone, "go.mod", "// A comment first.\nmodule "+rootModule+" // and one after\n")
	write(t, clone, "integration/devstack/go.mod", "module "+rootModule+"/integration/devstack\n")
	write(t, clone, "internal/deep/doc.go", "package deep\n")
	for _, from := range []string{".", "internal/deep", "integration/devstack"} {
		found, err := findSource(filepath.Join(clone, from))
		require.NoError(t, err, from)
		require.Equal(t, filepath.Join(clone, "integration", "devstack"), found)
	}
}

func TestFindSourceOutsideAClone(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	write(t, elsewhere, "go.mod", "module "+rootModule+"-fork\n")
	_, err := findSource(elsewhere)
	require.ErrorIs(t, err, ErrNoSource)
	require.ErrorContains(t, err, "--devstack BINARY")

	write(t, elsewhere, "go.mod", "module \""+rootModule+"\"\n")
	_, err = findSource(elsewhere)
	require.ErrorIs(t, err, ErrNoSource, "a clone without the nested module")
	require.ErrorContains(t, err, filepath.Join("integration", "devstack"))
}

func TestFindSourceOfThisClone(t *testing.T) {
	t.Parallel()
	found, err := FindSource()
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(found, "main.go"))
	require.NoError(t, err)
}

func TestSourceHash(t *testing.T) {
	t.Parallel()
	base := func(t *testing.T) string {
		dir := t.TempDir()
		write(t, dir, "go.mod", "module example.com/x\n")
		write(t, dir, "go.sum", "")
		write(t, dir, "a.go", "package x\n")
		write(t, dir, "sub/b.go", "package sub\n")
		return dir
	}
	want, err := sourceHash(base(t))
	require.NoError(t, err)
	require.Len(t, want, 16)

	for name, c := range map[string]struct {
		file, content string
		same          bool
	}{
		"nothing changes":       {"a.go", "package x\n", true},
		"a test is added":       {"a_test.go", "package x\n", true},
		"test data is added":    {"testdata/a.go", "package x\n", true},
		"a text is added":       {"README.md", "hello", true},
		"a file changes":        {"a.go", "package y\n", false},
		"a file is added":       {"c.go", "", false},
		"a deep file changes":   {"sub/b.go", "package other\n", false},
		"a requirement changes": {"go.mod", "module example.com/x\n\ngo 1.26\n", false},
		"a checksum changes":    {"go.sum", "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := base(t)
			write(t, dir, c.file, c.content)
			got, err := sourceHash(dir)
			require.NoError(t, err)
			require.Equal(t, c.same, got == want)
		})
	}
	_, err = sourceHash(filepath.Join(t.TempDir(), "gone"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
