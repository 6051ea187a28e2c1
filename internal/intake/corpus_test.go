package intake_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// corpusPath is the place of a file of the shared corpora, or skips the test.
func corpusPath(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "corpora", filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Skipf("the corpus %s is not beside this module", name)
	}
	return path
}

func corpusFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(corpusPath(t, name))
	require.NoError(t, err)
	return data
}

func corpusJSON(t *testing.T, name string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(corpusFile(t, name), into))
}

// requireAllUsed: a listed difference that is no longer in the corpus is an
// error of the list.
func requireAllUsed[V any](t *testing.T, differences map[string]V, used map[string]bool) {
	t.Helper()
	for name := range differences {
		require.True(t, used[name], "%s is listed as a difference and is not in the corpus", name)
	}
}
