package urlkey_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/urlkey"
)

// readCorpus reads a JSON file of the shared corpora, or skips the test.
func readCorpus(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpora", filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the corpus %s is not beside this module", name)
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}

type whatwgRow struct {
	Input    string `json:"input"`
	Protocol string `json:"protocol"`
	Hostname string `json:"hostname"`
	Port     string `json:"port"`
	Failure  bool   `json:"failure"`
}

// whatwgRefused counts, for each problem, the rows a browser follows and we
// refuse: a change of any of these numbers is a change of what is collected.
var whatwgRefused = map[urlkey.Problem]int{
	urlkey.Userinfo: 21, // credentials do not belong in records
	urlkey.BadHost:  5,  // empty labels, punctuation no resolver answers, a backslash right after the host
}

// TestWHATWG: wherever we give a host, a browser would contact the same one,
// on the same port; wherever a browser fails, so do we.
func TestWHATWG(t *testing.T) {
	t.Parallel()
	var raw []json.RawMessage
	readCorpus(t, "url/whatwg/urltestdata.json", &raw)
	agreed, refused := 0, map[urlkey.Problem]int{}
	for _, item := range raw {
		var row whatwgRow
		if json.Unmarshal(item, &row) != nil {
			continue // a comment of the corpus
		}
		requireLaws(t, row.Input)
		host, err := urlkey.Host(row.Input)
		if err == nil {
			require.False(t, row.Failure, "%q: a browser contacts nobody, we would contact %s", row.Input, host)
			require.Equal(t, row.Hostname, host, "%q", row.Input)
			key, err := urlkey.Key(row.Input)
			require.NoError(t, err)
			authority := row.Protocol + "//" + row.Hostname
			if row.Port != "" {
				authority += ":" + row.Port
			}
			require.Contains(t, key, authority+"/", "%q", row.Input)
			agreed++
			continue
		}
		var refusal *urlkey.Error
		require.ErrorAs(t, err, &refusal)
		if !row.Failure && (row.Protocol == "http:" || row.Protocol == "https:") && refusal.Problem != urlkey.NoScheme {
			refused[refusal.Problem]++
		}
	}
	require.Equal(t, whatwgRefused, refused)
	require.GreaterOrEqual(t, agreed, 125, "rows on which a browser and the key agree")
}
