package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/starter"
)

// TestRecordsGoOn: a list that was cut says how it goes on, and one that has been told whole does not.
func TestRecordsGoOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit    string
		pageRows int
		says     string
	}{
		{"1", 0, "go on: weir records acme-1 --from bookshop/1/1 --limit 1 --outcome delivered --source bookshop\n"},
		{"2", 2, "go on: weir records acme-1 --from bookshop/2/0 --limit 2 --outcome delivered --source bookshop\n"},
		{"3", 0, ""},
		{"3", 1, ""},
		{"9", 0, ""},
		{"0", 1, ""},
	} {
		client := &fakeClient{rows: rows(), past: fakePast{pageRows: c.pageRows}}
		s := ask(t, client, "records", "acme-1", "--limit", c.limit, "--outcome", "delivered", "--source", "bookshop")
		require.Zero(t, s.code)
		require.Equal(t, c.says, s.stderr, "limit %s", c.limit)
	}
}

func TestRecordsFrom(t *testing.T) {
	t.Parallel()
	c := &fakeClient{rows: rows()}
	s := ask(t, c, "records", "acme-1", "--from", "bookshop/7/120", "-o", "json")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, starter.Cursor{Source: "bookshop", Part: 7, Row: 120}, c.past.from)
	require.Equal(t, 3, strings.Count(s.stdout, "\n"))
	c = &fakeClient{err: notThere("submission acme-1 has no place bookshop/7/0 among the rows that are asked for"), status: processing()}
	s = ask(t, c, "records", "acme-1", "--from", "bookshop/7")
	require.Equal(t, session{code: 4, stderr: "weir: submission acme-1 has no place bookshop/7/0 among the rows that are asked for\n"}, s)
}
