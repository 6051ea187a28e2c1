package intake_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

// outcome is what one call of Next gave: fields, or the reason of a RowError.
type outcome struct {
	line   int
	fields map[string]any
	reason string
}

func row(line int, pairs ...string) outcome {
	fields := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	return outcome{line: line, fields: fields}
}

func bad(line int, reason string) outcome { return outcome{line: line, reason: reason} }

// readAll reads to the end and returns what ended it, nil for io.EOF.
func readAll(r io.Reader, opts intake.Options) ([]outcome, error) {
	reader, err := intake.Open(r, opts)
	if err != nil {
		return nil, err
	}
	var all []outcome
	for {
		got, err := reader.Next()
		var rowErr *intake.RowError
		switch {
		case err == nil:
			all = append(all, outcome{line: got.Line, fields: got.Fields})
		case errors.As(err, &rowErr):
			all = append(all, outcome{line: rowErr.Line, reason: rowErr.Reason})
		case err == io.EOF:
			return all, nil
		default:
			return all, err
		}
	}
}

// requireOutcomes compares; a reason is compared by what it contains.
func requireOutcomes(t *testing.T, want, got []outcome) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		require.Equal(t, want[i].line, got[i].line, "outcome %d: %v", i, got[i])
		require.Equal(t, want[i].fields, got[i].fields, "outcome %d: %v", i, got[i])
		require.Contains(t, got[i].reason, want[i].reason, "outcome %d", i)
		require.Equal(t, want[i].reason == "", got[i].reason == "", "outcome %d: %v", i, got[i])
	}
	require.Len(t, got, len(want), "%v", got)
}

// readText reads whole and in single bytes, which must not differ.
func readText(t *testing.T, text string, opts intake.Options) []outcome {
	t.Helper()
	whole, err := readAll(strings.NewReader(text), opts)
	require.NoError(t, err)
	single, err := readAll(oneByte{strings.NewReader(text)}, opts)
	require.NoError(t, err)
	require.Equal(t, whole, single)
	return whole
}

// oneByte gives one byte per call, so that every boundary is met.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return o.r.Read(p[:1])
}

var (
	asCSV   = intake.Options{Name: "a.csv"}
	asJSONL = intake.Options{Name: "a.jsonl"}
)
