package cli

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

// requireOwners: a folder, and all that is in it, is for nobody else on this machine.
func requireOwners(t *testing.T, folder string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s is %s", path, info.Mode())
		return nil
	}))
}

// endless is a text over and over.
func endless(text string) io.Reader { return &repeating{text: text} }

type repeating struct {
	text string
	at   int
}

func (r *repeating) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}

// TestSpoolIsBounded: what is piped in may have no end, and the disk has.
func TestSpoolIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, err := spool(endless("url\n"), "stdin.csv", 1000)
	require.EqualError(t, err, "keep what is read from stdin.csv: it is larger than 1000 B, and no submission may be: split it")
	require.Equal(t, ExitUsage, codeOf(err))
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	require.Empty(t, left)

	kept, err := spool(strings.NewReader("1234"), "stdin.csv", 4)
	require.NoError(t, err)
	kept.close()
	require.EqualValues(t, intake.DefaultMaxDecoded, maxSpooled)
}
