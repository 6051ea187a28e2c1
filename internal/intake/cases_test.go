package intake_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

// C4 51: what a file is called says nothing of its compression. A name that promises gzip over plain text, and a plain
// name over bytes that begin with 1f 8b, are both read.
func TestFieldCaseC4x51CompressionIsFoundByItsBytes(t *testing.T) {
	t.Parallel()
	csv, jsonl := "url\nhttps://a.example/1\n", `{"url":"https://a.example/1"}`+"\n"
	for _, c := range []struct {
		name string
		body []byte
		line int
	}{
		{"list.csv.gz", []byte(csv), 2},
		{"list.csv", gzipped(t, csv), 2},
		{"list.csv.zst", gzipped(t, csv), 2},
		{"list.csv.gz", zstded(t, csv), 2},
		{"list.jsonl.gz", []byte(jsonl), 1},
		{"list.jsonl", gzipped(t, jsonl), 1},
		{"list", gzipped(t, jsonl), 1},
	} {
		got, err := readAll(bytes.NewReader(c.body), intake.Options{Name: c.name})
		require.NoError(t, err, c.name)
		requireOutcomes(t, []outcome{row(c.line, "url", "https://a.example/1")}, got)
	}
}
