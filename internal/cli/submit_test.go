package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/starter"
)

const books = "url\nhttps://www.bookshop.example/1\n"

// submitIn runs submit in a world with a file books.csv.
func submitIn(t *testing.T, w World, c *fakeClient, args ...string) session {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "books.csv"), []byte(books), 0o600))
	f := &fakes{client: c}
	return in(w, f.edges(), append([]string{"submit"}, args...)...)
}

func TestSubmit(t *testing.T) {
	t.Parallel()
	c := &fakeClient{submitted: starter.Submitted{ID: "acme-1", RunID: "r"}}
	s := submitIn(t, testWorld(t), c, "books.csv", "--customer", "acme", "--source", "bookshop", "--lane", "bulk", "--format", "csv", "--id", "own")
	require.Equal(t, session{stdout: "acme-1\n", stderr: "submitted books.csv\nfollow it: weir status acme-1 --wait\n"}, s)
	require.Equal(t, books, c.content)
	c.request.File = nil
	require.Equal(t, starter.Request{ID: "own", Customer: "acme", FileName: "books.csv", Format: "csv", Source: "bookshop", Lane: collection.LaneBulk}, c.request)
}

func TestSubmitAgain(t *testing.T) {
	t.Parallel()
	c := &fakeClient{submitted: starter.Submitted{ID: "acme-1", RunID: "r", Existing: true}}
	s := submitIn(t, testWorld(t), c, "books.csv", "--customer", "acme")
	require.Equal(t, session{stdout: "acme-1\n", stderr: "already submitted: books.csv is known as acme-1, and nothing was started; use --id to collect again\n" +
		"follow it: weir status acme-1 --wait\n"}, s)
	s = submitIn(t, testWorld(t), c, "books.csv", "--customer", "acme", "-o", "json")
	require.JSONEq(t, `{"id": "acme-1", "run_id": "r", "existing": true}`, s.stdout)
	require.Contains(t, s.stderr, "already submitted")
}

// TestSubmitStdin: what cannot be read twice is copied, and the copy is removed.
func TestSubmitStdin(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	w := testWorld(t)
	w.Stdin = strings.NewReader(books)
	c := &fakeClient{submitted: starter.Submitted{ID: "acme-1"}}
	require.Zero(t, submitIn(t, w, c, "-", "--customer", "acme", "--format", "csv").code)
	require.Equal(t, books, c.content)
	require.Equal(t, "stdin.csv", c.request.FileName)

	pipe := filepath.Join(w.Dir, "pipe.csv")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	go func() { _ = os.WriteFile(pipe, []byte(books), 0o600) }()
	c = &fakeClient{submitted: starter.Submitted{ID: "acme-1"}}
	require.Zero(t, submitIn(t, w, c, "pipe.csv", "--customer", "acme").code)
	require.Equal(t, books, c.content)
	require.Equal(t, "pipe.csv", c.request.FileName)

	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSubmitKnowsTheOnlyCustomer(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	only := strings.Replace(testConfig, "  - name: initech\n", "", 1)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "weir.yaml"), []byte(only), 0o600))
	c := &fakeClient{submitted: starter.Submitted{ID: "acme-1"}}
	require.Zero(t, submitIn(t, w, c, "books.csv").code)
	require.Equal(t, "acme", c.request.Customer)
}

// TestSubmitWithoutConfiguration: who only submits need not have the fleet's configuration.
func TestSubmitWithoutConfiguration(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	require.NoError(t, os.Remove(filepath.Join(w.Dir, "weir.yaml")))
	c := &fakeClient{submitted: starter.Submitted{ID: "globex-1"}}
	s := submitIn(t, w, c, "books.csv", "--customer", "globex", "--source", "anything")
	require.Zero(t, s.code, s.stderr)
	s = submitIn(t, w, c, "books.csv")
	require.Equal(t, session{code: 2, stderr: "weir: who submits? Give --customer NAME\n"}, s)
}

func TestSubmitRefused(t *testing.T) {
	t.Parallel()
	c := &fakeClient{err: &intake.HeaderError{Name: "books.csv", Line: 1, Reason: "the column url stands twice"}}
	s := submitIn(t, testWorld(t), c, "books.csv", "--customer", "acme")
	require.Equal(t, session{code: 2, stderr: "weir: books.csv: line 1: the column url stands twice\n"}, s)
}

// TestSubmitUnderATakenID: the caller has to choose another id.
func TestSubmitUnderATakenID(t *testing.T) {
	t.Parallel()
	taken := &collection.IDTakenError{Submission: "p", Differences: []string{"it is customer acme's, not initech's"}}
	s := submitIn(t, testWorld(t), &fakeClient{err: taken}, "books.csv", "--customer", "initech", "--id", "p", "--wait")
	require.Equal(t, session{code: ExitUsage, stderr: "weir: the id p is of another submission already: it is customer acme's, not initech's; give this one another id\n"}, s)
	conflict := fmt.Errorf("give this one another id: %w", &collection.ConflictError{Existing: collection.ObjectInfo{Key: "uploads/acme/p/books.csv"}})
	s = submitIn(t, testWorld(t), &fakeClient{err: conflict}, "books.csv", "--customer", "acme", "--id", "p")
	require.Equal(t, ExitUsage, s.code)
	require.Contains(t, s.stderr, "give this one another id")
}

func TestSubmitWait(t *testing.T) {
	t.Parallel()
	c := &fakeClient{
		submitted: starter.Submitted{ID: "acme-1"}, seen: []collection.SubmissionStatus{processing()},
		status: settled(collection.StatePartiallyFailed),
	}
	s := submitIn(t, testWorld(t), c, "books.csv", "--customer", "acme", "--wait")
	require.Equal(t, ExitNotComplete, s.code)
	require.Equal(t, text(`
submitted books.csv
12:00:00 UTC  collecting: 50 %, 1,000 of 2,000 rows, 0.0/s, 10 failed
12:00:00  customer acme may not use lane urgent; the submission is normal
why: weir records acme-1 --outcome dead_lettered
files: weir links acme-1
`), s.stderr)
	require.True(t, strings.HasPrefix(s.stdout, "acme-1\nsubmission  acme-1\n"), s.stdout)
	require.Contains(t, s.stdout, "dead_lettered  timeout     10\n")
}

// TestWhyOfWhatIsThere: where to look for what failed is told by the outcomes that there are.
func TestWhyOfWhatIsThere(t *testing.T) {
	t.Parallel()
	end := settled(collection.StatePartiallyFailed)
	end.Outcomes = tally(collection.Count{Outcome: collection.OutcomeDelivered, Records: 3},
		collection.Count{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Records: 1})
	s := ask(t, &fakeClient{status: end}, "status", "acme-1", "--wait")
	require.Equal(t, "why: weir records acme-1 --outcome invalid\nfiles: weir links acme-1\n", s.stderr)
	end.Outcomes.Add(collection.OutcomeRefused, collection.ReasonRobotsDenied, 2)
	s = ask(t, &fakeClient{status: end}, "status", "acme-1", "--wait")
	require.Contains(t, s.stderr, "why: weir records acme-1 --outcome refused\nwhy: weir records acme-1 --outcome invalid\n")
}

func TestSubmitWaitAsJSON(t *testing.T) {
	t.Parallel()
	c := &fakeClient{submitted: starter.Submitted{ID: "acme-1", RunID: "r"}, status: settled(collection.StateComplete)}
	s := submitIn(t, testWorld(t), c, "books.csv", "--customer", "acme", "--wait", "--output", "json")
	require.Zero(t, s.code)
	var got submitAnswer
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got), "the answer is one document: %s", s.stdout)
	require.Equal(t, c.submitted, got.Submitted)
	require.Equal(t, c.status, *got.Status)
}

// TestInterruptedWait: Ctrl-C ends the waiting and says that the submission goes on.
func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"books.csv", "--customer", "acme", "--wait"}, {"books.csv", "--customer", "acme", "--wait", "-o", "json"}} {
		w := testWorld(t)
		signals := make(chan os.Signal, 1)
		signals <- os.Interrupt
		w.Signals = signals
		c := &fakeClient{submitted: starter.Submitted{ID: "acme-1", RunID: "r"}, block: true}
		s := submitIn(t, w, c, args...)
		require.Equal(t, ExitInterrupted, s.code)
		require.Contains(t, s.stderr, "look again: weir status acme-1 --wait\nweir: interrupted: the waiting has ended, submission acme-1 goes on\n")
		require.Contains(t, s.stdout, "acme-1", "whoever reads it learns the id")
		require.NotContains(t, s.stdout, "processing")
	}
}

func TestStatusWait(t *testing.T) {
	t.Parallel()
	c := &fakeClient{status: settled(collection.StateComplete)}
	s := ask(t, c, "status", "acme-1", "--wait")
	require.Zero(t, s.code)
	require.Equal(t, []string{"wait acme-1"}, c.asked)
	require.Contains(t, s.stdout, "state       complete\n")
}

func TestToleranceOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*collection.Tolerance{
		"": nil, "0": {}, "10": {Records: 10}, "1%": {Share: 0.01}, "0.5 %": {Share: 0.005}, "100%": {Share: 1},
	} {
		got, err := toleranceOf(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"-1", "1.5", "101%", "-1%", "NaN%", "many", "%", "1e999%"} {
		_, err := toleranceOf(text)
		require.ErrorContains(t, err, "write a number of rows", text)
	}
}
