package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// TestRehearsal: a dry run counts what would be run again, and says what would be left and why.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	letters := fakeLetters{letters: someLetters(), refused: map[string]error{
		"acme-2": fmt.Errorf("submission acme-2 was submitted again and runs: wait for its end, then replay it: %w", starter.ErrNotSettled),
	}}
	c := &fakeClient{fakeLetters: letters}
	s := ask(t, c, "replay", "--all", "--from", "raw", "--dry-run")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, collection.ReplayFromRaw, c.rehearsedFrom)
	require.Empty(t, c.replays)
	require.Equal(t, text(`
SOURCE    REASON       CUSTOMER  RECORDS   OLDEST  SUBMISSIONS
bookshop  parse_empty  acme            1  1 d 2 h  acme-1, acme-2 and 1 more
films     timeout      acme            0  unknown  acme-2

left  2 records, of which no bytes are kept: use --from collect
left  2 records: submission acme-2 was submitted again and runs: wait for its end, then replay it
`), s.stdout)

	s = ask(t, &fakeClient{fakeLetters: letters}, "replay", "--all", "--from", "raw", "--dry-run", "-o", "json")
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(s.stdout, "\n", 2)[0]), &got))
	require.Equal(t, []any{1.0, 2.0, 1.0}, []any{got["records"], got["without_raw"], got["not_settled"]})

	s = ask(t, &fakeClient{fakeLetters: fakeLetters{letters: someLetters()}}, "replay", "--all", "--dry-run")
	require.NotContains(t, s.stdout, "left")
	require.Contains(t, ask(t, c, "replay", "--help").stdout, `"without_raw"`)
}

// TestStrangers: no dead letters of a name that the configuration does not have is a slip of whoever has typed it; those of
// a source that was taken out of it are found.
func TestStrangers(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"dead --source bokshop":             `no dead letters, and the configuration has no source "bokshop": did you mean bookshop?`,
		"dead --customer acne":              `no customer "acne": did you mean acme?`,
		"dead --customer nobody --list":     `no customer "nobody"; it has acme, initech`,
		"replay --source zzz":               `nothing was started, and the configuration has no source "zzz"; it has bookshop`,
		"replay --all --source x --dry-run": `no source "x"`,
		"dead --source bokshop -o json":     `no source "bokshop"`,
	} {
		s := ask(t, &fakeClient{}, strings.Fields(args)...)
		require.Equal(t, ExitNotFound, s.code, args)
		require.Contains(t, s.stderr, says)
		require.Empty(t, s.stdout)
	}
	require.Zero(t, ask(t, &fakeClient{}, "dead", "--source", "bookshop", "--customer", "acme").code)
	removed := ask(t, &fakeClient{fakeLetters: fakeLetters{letters: someLetters()[4:]}}, "dead", "--source", "films")
	require.Zero(t, removed.code)
	require.Contains(t, removed.stdout, "films")
	require.Empty(t, stranger("source", "any", nil), "who only operates needs none")
}

// TestDeadKeys: where nobody knows the key any more, it is said where to ask.
func TestDeadKeys(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeLetters: fakeLetters{letters: someLetters()[1:2]}}
	s := ask(t, c, "dead", "--list")
	require.True(t, c.deadFilter.Rows, "the keys are looked up")
	require.Contains(t, s.stdout, "see weir status acme-1 be3ef130c6e82f370a49")
	require.NoError(t, json.Unmarshal([]byte(ask(t, c, "dead", "--list", "-o", "json").stdout), &starter.DeadLetter{}))
}

// TestFollowAReplay: with weir's own command, and the choice of records that was made.
func TestFollowAReplay(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{}, "replay", "acme-1", "--record", "a b", "--from", "raw")
	require.Contains(t, s.stderr, "follow it while it runs: weir replay acme-1 --record 'a b' --from raw --wait\n")
}
