package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestSystemLooksBack asks of the past what a real submission has left, and of one that waits.
func TestSystemLooksBack(t *testing.T) {
	s := newSystem(t)
	background(t, s.world, "msg=working", "worker")
	nothing := s.weir("promise")
	require.Equal(t, ExitOK, nothing.code, nothing.stderr)
	require.Contains(t, nothing.stderr, "no submission since ")

	ended := s.weir("submit", s.submission(t, "pages.csv", "/1", "/2", "/3", "/gone", "/empty", "/1"), "--id", "first", "--wait")
	require.Equal(t, ExitNotComplete, ended.code, ended.stderr)

	kept := s.promise(t, ExitOK, "--within", "1h")
	require.Equal(t, 5, kept.All.Records, "the duplicate is none")
	require.Equal(t, 5, kept.All.Started)
	require.Positive(t, *kept.All.P95)
	require.Equal(t, 1, kept.All.Outcomes.Of(collection.OutcomeDeadLettered))
	require.Equal(t, 1, kept.Covered.Submissions)
	require.Equal(t, []string{"acme"}, s.promise(t, ExitPromiseBroken, "--within", "1ns").Broken)
	t.Log(s.weir("promise").stdout)
	t.Log(s.weir("promise", "--weekly").stdout)

	short := s.weir("size", "--from-measured")
	require.Equal(t, ExitUsage, short.code)
	require.Contains(t, short.stderr, "the ledgers have 1 submission, 5 records, 5 service times and 0 days, and it takes 50 submissions")

	s.pagesRecords(t)
	s.samples(t)
	s.waits(t)
}

func (s *system) promise(t *testing.T, code int, args ...string) (answer promiseAnswer) {
	t.Helper()
	got := s.weir(append([]string{"promise", "-o", "json"}, args...)...)
	require.Equal(t, code, got.code, got.stderr)
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &answer), got.stdout)
	return answer
}

func (s *system) pagesRecords(t *testing.T) {
	t.Helper()
	all := s.weir("records", "first", "-o", "json")
	var rows string
	args := []string{"records", "first", "-o", "json", "--limit", "4"}
	for range 3 {
		part := s.weir(args...)
		require.Zero(t, part.code, part.stderr)
		rows += part.stdout
		_, command, found := strings.Cut(strings.TrimSpace(part.stderr), "go on: weir ")
		if !found {
			break
		}
		args = append(strings.Fields(command), "-o", "json")
	}
	require.Equal(t, all.stdout, rows, "in pieces it is the same list")
}

func (s *system) samples(t *testing.T) {
	t.Helper()
	shown := s.weir("sample", "first", "--n", "2", "--seed", "1", "--save", "look")
	require.Zero(t, shown.code, shown.stderr)
	require.Contains(t, shown.stdout, "<h1>Page /")
	require.Regexp(t, `(?m)^  title  Page /\d$`, shown.stdout)
	require.Contains(t, shown.stderr, "2 of 3 rows with outcome delivered; the same again: --seed 1\n")
	files, err := os.ReadDir(filepath.Join(s.world.Dir, "look"))
	require.NoError(t, err)
	require.Len(t, files, 4)
	t.Log(shown.stdout)
}

// waits submits what a paused source lets nobody start: what is not released is late once it has waited too long.
func (s *system) waits(t *testing.T) {
	t.Helper()
	require.Zero(t, s.weir("pause", "shop", "--reason", "a test").code)
	var paths []string
	for i := range 60 {
		paths = append(paths, fmt.Sprintf("/later/%d", i))
	}
	require.Zero(t, s.weir("submit", s.submission(t, "later.csv", paths...), "--id", "later").code)
	require.Eventually(t, func() bool {
		got := s.promise(t, ExitOK, "--within", "1h")
		return got.All.Undecided > 0 && got.All.Undecided+got.All.UnderWay == 60
	}, 5*time.Minute, time.Second, "some wait, the rest is released")
	time.Sleep(time.Second)
	late := s.promise(t, ExitPromiseBroken, "--within", "1s")
	require.Positive(t, late.All.WaitingLate)
	require.Zero(t, s.weir("resume", "shop").code)
	require.Zero(t, s.weir("status", "later", "--wait").code)
	require.Equal(t, 65, s.promise(t, ExitOK, "--within", "1h").All.Started, "the ledger has the last word")
}
