package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// ago is a time before noon.
func ago(d time.Duration) *time.Time {
	at := noon.Add(-d)
	return &at
}

func someLetters() []starter.DeadLetter {
	return []starter.DeadLetter{
		{Submission: "acme-1", Record: "0d0d1105f836d5a415e2", Source: "bookshop", Customer: "acme", Reason: "parse_empty",
			Since: ago(26 * time.Hour), Ground: "ledger", Line: 7, Key: "https://www.bookshop.example/books?a=1&b=2", Raw: "raw/x"},
		{Submission: "acme-1", Record: "be3ef130c6e82f370a49", Source: "bookshop", Customer: "acme", Reason: "parse_empty", Since: ago(time.Hour), Ground: "engine"},
		{Submission: "acme-2", Record: "be3ef130c6e82f370a49", Source: "bookshop", Customer: "acme", Reason: "parse_empty", Since: ago(time.Minute), Ground: "engine"},
		{Submission: "acme-3", Record: "be3ef130c6e82f370a49", Source: "bookshop", Customer: "acme", Reason: "parse_empty", Ground: "ledger"},
		{Submission: "acme-2", Record: "11111111111111111111", Source: "films", Customer: "acme", Reason: "timeout", Ground: "ledger"},
	}
}

func TestDead(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeLetters: fakeLetters{letters: someLetters()}}
	s := ask(t, c, "dead", "--source", "bookshop,films", "--reason", "parse_empty", "--reason", "timeout", "--customer", "acme", "--older", "1h")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, starter.DeadFilter{Customer: "acme", Before: noon.Add(-time.Hour), Select: collection.ReplaySelect{
		Reasons: []collection.Reason{"parse_empty", "timeout"}, Sources: []string{"bookshop", "films"},
	}}, c.deadFilter)
	require.Equal(t, text(`
SOURCE    REASON       CUSTOMER  RECORDS   OLDEST  SUBMISSIONS
bookshop  parse_empty  acme            4  1 d 2 h  acme-1, acme-2 and 1 more
films     timeout      acme            1  unknown  acme-2
`), s.stdout)
	require.Contains(t, s.stderr, "weir replay")
}

// TestDeadNamesTheOwner: a group of dead letters is somebody's (F05).
func TestDeadNamesTheOwner(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	file := filepath.Join(w.Dir, "weir.yaml")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	owned := strings.Replace(string(content), "- name: bookshop\n", "- name: bookshop\n    owner: books team\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(owned), 0o600))
	f := &fakes{client: &fakeClient{fakeLetters: fakeLetters{letters: someLetters()}}}
	s := in(w, f.edges(), "dead")
	require.Equal(t, text(`
SOURCE    REASON       CUSTOMER  RECORDS   OLDEST  OWNER       SUBMISSIONS
bookshop  parse_empty  acme            4  1 d 2 h  books team  acme-1, acme-2 and 1 more
films     timeout      acme            1  unknown  nobody      acme-2
`), s.stdout, s.stderr)
	s = in(w, f.edges(), "dead", "-o", "json")
	require.Contains(t, s.stdout, `"owner":"books team"`)
}

func TestDeadRows(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeLetters: fakeLetters{letters: someLetters()}}
	s := ask(t, c, "dead", "--submission", "acme-1", "--list", "--limit", "2")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, "acme-1", c.deadFilter.Submission)
	require.Equal(t, 3, strings.Count(s.stdout, "\n"), "a header and two rows")
	require.Contains(t, s.stdout, "https://www.bookshop.example/books?a=1&b=2")

	s = ask(t, c, "dead", "--list", "-o", "json")
	lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
	require.Len(t, lines, len(someLetters()))
	for i, line := range lines {
		var l starter.DeadLetter
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		require.Equal(t, someLetters()[i], l)
	}
	s = ask(t, c, "dead", "-o", "json")
	var g starter.DeadGroup
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(s.stdout, "\n", 2)[0]), &g))
	require.Equal(t, starter.DeadGroup{Source: "bookshop", Reason: "parse_empty", Customer: "acme", Records: 4,
		Oldest: ago(26 * time.Hour), Submissions: []string{"acme-1", "acme-2", "acme-3"}}, g)
}

// TestDeadThatCouldNotBeLookedUp: what could not be read of a submission is told once, below what is known of all.
func TestDeadThatCouldNotBeLookedUp(t *testing.T) {
	t.Parallel()
	letters := someLetters()
	const note = "submission acme-2 cannot be looked up"
	letters[2].Note, letters[4].Note = note, note
	c := &fakeClient{fakeLetters: fakeLetters{letters: letters}}
	s := ask(t, c, "dead")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, text(`
SOURCE    REASON       CUSTOMER  RECORDS   OLDEST  SUBMISSIONS
bookshop  parse_empty  acme            4  1 d 2 h  acme-1, acme-2 and 1 more
films     timeout      acme            1  unknown  acme-2

note  submission acme-2 cannot be looked up
`), s.stdout)
	s = ask(t, c, "dead", "--list")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, 1, strings.Count(s.stdout, "\nnote  "+note+"\n"))

	s = ask(t, c, "dead", "-o", "json")
	require.Equal(t, 2, strings.Count(s.stdout, `"notes":["`+note+`"]`), s.stdout)
	s = ask(t, c, "dead", "--list", "-o", "json")
	require.Equal(t, 2, strings.Count(s.stdout, `"note":"`+note+`"`), s.stdout)
	require.Equal(t, len(letters), strings.Count(s.stdout, "\n"), "nothing but objects")
}

func TestDeadOfNone(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"dead"}, {"dead", "--list"}, {"replay", "--all"}, {"replay", "--all", "--dry-run"}} {
		s := ask(t, &fakeClient{}, args...)
		require.Zero(t, s.code)
		require.Empty(t, s.stdout)
		require.Contains(t, s.stderr, "no dead letters")
	}
	for _, args := range [][]string{{"dead"}, {"dead", "--list"}, {"replay", "--all"}} {
		s := ask(t, &fakeClient{fakeLetters: fakeLetters{deadErr: errors.New("list the dead letters: no answer")}}, args...)
		require.Equal(t, session{code: ExitFailure, stderr: "weir: list the dead letters: no answer\n"}, s)
	}
}

func TestDeadUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`there is no reason "parse_emtpy"; the reasons are auth_required`: {"dead", "--reason", "parse_emtpy"},
		`source "A B"`:        {"dead", "--source", "A B"},
		`customer "A B"`:      {"dead", "--customer", "A B"},
		`submission id "a/b"`: {"dead", "--submission", "a/b"},
		"nothing below zero":  {"dead", "--older", "-1h"},
		"which dead letters? Give a submission's ID":        {"replay"},
		"leave out acme-1":                                  {"replay", "acme-1", "--all"},
		"leave out --customer":                              {"replay", "acme-1", "--customer", "acme"},
		"give its ID":                                       {"replay", "--all", "--record", "x"},
		"use raw, parse or collect":                         {"replay", "acme-1", "--from", "scratch"},
		"no such file":                                      {"replay", "acme-1", "--list", "nowhere.txt"},
		"- lists no records":                                {"replay", "acme-1", "--list", "-"},
		`submission id "a/b": use 1 to 100 letters, digits`: {"replay", "a/b"},
	} {
		s := ask(t, &fakeClient{}, args...)
		require.Equal(t, ExitUsage, s.code, args)
		require.Contains(t, s.stderr, want)
	}
}
