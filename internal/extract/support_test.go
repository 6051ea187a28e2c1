package extract

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const pageURL = "https://shop.example/catalogue/page.html"

func rulesFor(t testing.TB, kind string, fields ...collection.Field) *Rules {
	t.Helper()
	rules, err := Compile(collection.Parse{Type: kind, Fields: fields}, nil)
	require.NoError(t, err)
	return rules
}

func apply(t testing.TB, kind, body string, fields ...collection.Field) (Result, error) {
	t.Helper()
	return rulesFor(t, kind, fields...).Apply(Input{Body: []byte(body), ContentType: "; charset=utf-8", URL: pageURL})
}

// requireFields compares as JSON, in which the order of keys does not count and every digit of a number does.
func requireFields(t testing.TB, want string, got any) {
	t.Helper()
	encoded, err := json.Marshal(got)
	require.NoError(t, err)
	exact, err := parseJSON(want, refuseDuplicates)
	require.NoError(t, err, want)
	wanted, err := json.Marshal(exact)
	require.NoError(t, err)
	require.Equal(t, string(wanted), string(encoded))
}

// requireFailure is the typed error of a reason.
func requireFailure(t testing.TB, err error, reason collection.Reason) *Error {
	t.Helper()
	var failure *Error
	require.True(t, errors.As(err, &failure), "%T %v", err, err)
	require.Equal(t, reason, failure.Reason, failure.Detail)
	return failure
}

// corpus reads a shared test corpus, which is not part of the module.
func corpus(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpora", filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the corpus file %s is not here", name)
	}
	require.NoError(t, err)
	return data
}

func corpusJSON(t testing.TB, name string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(corpus(t, name), into))
}

// glob lists the files of a corpus.
func glob(t testing.TB, pattern string) []string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "shared", "corpora")
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skipf("no corpus files match %s", pattern)
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		name, err := filepath.Rel(root, p)
		require.NoError(t, err)
		names[i] = filepath.ToSlash(name)
	}
	return names
}
