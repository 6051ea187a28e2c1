package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/starter"
)

// system is a whole weir on this machine: the stack, a worker and a shop, each command as a person would give it.
type system struct {
	world World
	shop  *httptest.Server
	// open lets the shop answer for /held.
	open chan struct{}
}

// quiet is a writer for what several goroutines write.
type quiet struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (q *quiet) Write(b []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.text.Write(b)
}

func (q *quiet) String() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.text.String()
}

// background runs a command until the test ends, as Ctrl-C would end it, and waits until it has said something.
func background(t *testing.T, w World, until string, args ...string) {
	t.Helper()
	signals := make(chan os.Signal, 1)
	var said quiet
	w.Args, w.Stdout, w.Stderr, w.Signals = args, &said, &said, signals
	ended := make(chan int, 1)
	go func() { ended <- Main(w) }()
	t.Cleanup(func() {
		signals <- os.Interrupt
		require.Zero(t, <-ended, "%v: %s", args, said.String())
	})
	require.Eventually(t, func() bool { return strings.Contains(said.String(), until) }, 8*time.Minute, 50*time.Millisecond, "%v: %s", args, &said)
}

func newSystem(t *testing.T) *system {
	t.Helper()
	if testing.Short() {
		t.Skip("runs Temporal and S3: left out by -short")
	}
	s := &system{open: make(chan struct{})}
	s.shop = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.shop.Close)
	s.world = testWorld(t)
	s.world.Now, s.world.Exit = time.Now, os.Exit
	config := "customers: [{name: acme}]\nsources: [{name: shop, hosts: [127.0.0.1], ceiling: 2, allow_private_addresses: true," +
		" parse: {type: html, fields: [{name: title, css: h1, required: true}]}}]\nworker: {metrics_address: '', shutdown_grace: 2s}\n"
	require.NoError(t, os.WriteFile(filepath.Join(s.world.Dir, "weir.yaml"), []byte(config), 0o600))

	binary := os.Getenv(envDevstack)
	if binary == "" {
		built, err := stack.Build(t.Context(), stack.BuildOptions{})
		require.NoError(t, err)
		binary = built
	}
	background(t, s.world, "Ctrl-C stops it", "dev", "--devstack", binary, "--temporal-port", "0", "--web-port", "0", "--s3-port", "0")
	variables := s.variables(t)
	s.world.Env = func(name string) (string, bool) { v, ok := variables[name]; return v, ok }
	return s
}

// variables are what a shell would take from the file that dev has written; its values need no quotes here.
func (s *system) variables(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(s.world.Dir, ".weir", "env"))
	require.NoError(t, err)
	variables := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if assignment, ok := strings.CutPrefix(strings.TrimSpace(line), "export "); ok {
			name, value, _ := strings.Cut(assignment, "=")
			variables[name] = strings.Trim(value, "'")
		}
	}
	return variables
}

func (s *system) answer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/gone":
		http.NotFound(w, r)
	case "/empty":
	case "/held":
		select {
		case <-s.open:
		case <-r.Context().Done():
		}
	default:
		fmt.Fprintf(w, "<html><body><h1>Page %s</h1></body></html>", r.URL.Path)
	}
}

// weir runs a command.
func (s *system) weir(args ...string) session { return in(s.world, realEdges(), args...) }

// submission writes a file of the shop's paths.
func (s *system) submission(t *testing.T, name string, paths ...string) string {
	t.Helper()
	text := "url\n"
	for _, path := range paths {
		text += s.shop.URL + path + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.world.Dir, name), []byte(text), 0o600))
	return name
}

// TestSystem goes through every command, against the real thing.
func TestSystem(t *testing.T) {
	s := newSystem(t)
	require.Equal(t, session{code: ExitNotFound, stderr: "weir: there is no submission nope\n"}, s.weir("status", "nope"))
	require.Equal(t, ExitNotFound, s.weir("cancel", "nope").code)

	file := s.submission(t, "pages.csv", "/1", "/2", "/gone", "/empty", "/1")
	first := s.weir("submit", file)
	require.Zero(t, first.code, first.stderr)
	id := strings.TrimSpace(first.stdout)
	require.Equal(t, session{code: ExitNotFound,
		stderr: "weir: there is no table of sources yet, since no worker has asked for permits: start one with weir worker\n"}, s.weir("sources"))
	before := s.weir("records", id)
	require.Equal(t, ExitNotFound, before.code)
	require.Contains(t, before.stderr, "has no plan", "no worker has planned it yet")

	background(t, s.world, "msg=working", "worker")
	ended := s.weir("submit", file, "--wait", "--output", "json")
	require.Equal(t, ExitNotComplete, ended.code, ended.stderr)
	var answer submitAnswer
	require.NoError(t, json.Unmarshal([]byte(ended.stdout), &answer), ended.stdout)
	require.True(t, answer.Existing)
	require.Equal(t, id, answer.ID)
	require.Equal(t, collection.StatePartiallyFailed, answer.Status.State)
	require.Equal(t, tally(collection.Count{Outcome: collection.OutcomeDelivered, Records: 2},
		collection.Count{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Records: 1},
		collection.Count{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Records: 1},
		collection.Count{Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate, Records: 1}), answer.Status.Outcomes)

	s.asksForRecords(t, id)
	s.fetchesLinks(t, id)
	s.answersAlone(t, id, row(t, s, id))
	s.operates(t)
	s.cancels(t)
}

func (s *system) asksForRecords(t *testing.T, id string) {
	t.Helper()
	dead := s.weir("records", id, "--outcome", "dead_lettered", "-o", "json")
	var row collection.LedgerRow
	require.NoError(t, json.Unmarshal([]byte(dead.stdout), &row), dead.stdout)
	require.Equal(t, 5, row.Line)
	require.Equal(t, collection.ReasonParseEmpty, row.Reason)
	all := s.weir("records", id)
	require.Equal(t, 6, strings.Count(all.stdout, "\n"), "a header and five rows: %s", all.stdout)

	for name, code := range map[string]int{
		s.shop.URL + "/1": ExitOK, s.shop.URL + "/gone": ExitOK, s.shop.URL + "/empty": ExitNotComplete, row.Record: ExitNotComplete,
		s.shop.URL + "/never": ExitNotFound,
	} {
		story := s.weir("status", id, name)
		require.Equal(t, code, story.code, "%s: %s%s", name, story.stdout, story.stderr)
	}
}

func (s *system) fetchesLinks(t *testing.T, id string) {
	t.Helper()
	signed := s.weir("links", id, "--expires", "5m", "-o", "json")
	var links []starter.Link
	require.NoError(t, json.Unmarshal([]byte(signed.stdout), &links), signed.stdout+signed.stderr)
	require.Equal(t, "manifest.json", links[0].Name)
	response, err := http.Get(links[0].URL)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	var manifest collection.Manifest
	require.NoError(t, json.Unmarshal(body, &manifest), string(body))
	require.Equal(t, id, manifest.Submission)
}

// row is the one dead letter.
func row(t *testing.T, s *system, id string) string {
	t.Helper()
	var row collection.LedgerRow
	dead := s.weir("records", id, "--outcome", "dead_lettered", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(dead.stdout), &row), dead.stdout)
	return row.Record
}

// answersAlone asks for a submission that is settled while one of the two sides does not answer: each says what it knows.
func (s *system) answersAlone(t *testing.T, id, record string) {
	t.Helper()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	for _, address := range []string{"127.0.0.1:1", silent.Addr().String()} {
		note := "Temporal does not answer at " + address + "; this is what the bucket says"
		without := func(args ...string) session { return s.weir(append(args, "--temporal-address", address)...) }
		began := time.Now()
		for _, args := range [][]string{{"status", id}, {"status", id, record}, {"status", id, "--wait"}} {
			told := without(args...)
			require.Equal(t, ExitNotComplete, told.code, "%v: %s%s", args, told.stdout, told.stderr)
			require.Contains(t, told.stdout, note, args)
		}
		require.Less(t, time.Since(began), 2*time.Minute, "of which most is the machine's")
		for _, args := range [][]string{{"records", id}, {"links", id}, {"sample", id}, {"dead", "--submission", id}} {
			require.Equal(t, s.weir(args...).code, without(args...).code, args)
		}
		nope := without("status", "nope")
		require.Equal(t, ExitFailure, nope.code, nope.stderr)
		require.Contains(t, nope.stderr, "Temporal does not answer at "+address+": is it running, and is temporal.address right?")
	}
	var status collection.SubmissionStatus
	told := s.weir("status", id, "--temporal-address", "127.0.0.1:1", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(told.stdout), &status), told.stderr)
	require.Len(t, status.Notes, 1)

	env := s.world.Env
	defer func() { s.world.Env = env }()
	s.world.Env = func(name string) (string, bool) {
		if name == "WEIR_S3_ENDPOINT" {
			return "http://127.0.0.1:1", true
		}
		return env(name)
	}
	for _, args := range [][]string{{"status", id}, {"status", id, record}} {
		told := s.weir(args...)
		require.Equal(t, ExitNotComplete, told.code, told.stderr)
	}
	require.Contains(t, s.weir("status", id).stdout, "the bucket does not answer; this is what Temporal says")
	require.Zero(t, s.weir("sources").code, "the bucket is not needed")
	links := s.weir("links", id)
	require.Equal(t, ExitFailure, links.code)
	require.Contains(t, links.stderr, "cannot be reached")
}

// source is the one source's row.
func (s *system) source(t *testing.T) lease.SourceView {
	t.Helper()
	answer := s.weir("sources", "shop", "-o", "json")
	require.Zero(t, answer.code, answer.stderr)
	var rows []lease.SourceView
	require.NoError(t, json.Unmarshal([]byte(answer.stdout), &rows), answer.stdout)
	require.Len(t, rows, 1)
	return rows[0]
}

// operates gives every command to the source: what is paused is not asked, and what is set is seen.
func (s *system) operates(t *testing.T) {
	t.Helper()
	require.Equal(t, ExitNotFound, s.weir("pause", "nope", "--reason", "a test").code)
	paused := s.weir("pause", "shop", "--reason", "a test | of pauses")
	require.Zero(t, paused.code, paused.stderr)
	require.Contains(t, paused.stdout, "shop is paused: no new request\n")
	require.Contains(t, paused.stderr, "workers follow with their next renewal, within 5 s")
	require.Regexp(t, `(?m)^shop +paused +2 +0 +\d+ +\d+ +\d+ +(?:\d+ \w+ +)?none +closed$`, s.weir("sources").stdout)
	require.Regexp(t, `(?m)^shop +paused by \S+@\S+, .*: a test \| of pauses$`, s.weir("sources").stdout)

	// Once the worker has renewed, it holds no permit, and a record waits.
	require.Eventually(t, func() bool { return s.source(t).Granted == 0 }, time.Minute, 200*time.Millisecond)
	require.Zero(t, s.weir("submit", s.submission(t, "later.csv", "/later"), "--id", "later").code)
	require.Eventually(t, func() bool { return s.source(t).Waiting == 1 }, time.Minute, 200*time.Millisecond)
	verbose := s.weir("sources", "-v")
	require.Contains(t, verbose.stdout, " s left  ")
	require.Regexp(t, `(?m)^shop +20\S+ \S+ UTC pause by \S+@\S+: a test`, verbose.stdout)

	resumed := s.weir("resume", "shop")
	require.True(t, strings.HasPrefix(resumed.stdout, "shop is not paused any more\n"), resumed.stdout+resumed.stderr)
	waited := s.weir("status", "later", "--wait")
	require.Zero(t, waited.code, waited.stdout+waited.stderr)

	lowered := s.weir("ceiling", "shop", "1", "--for", "2h", "--reason", "a test")
	require.Contains(t, lowered.stdout, "the ceiling of shop is 1 now, and was 2\n", lowered.stderr)
	require.Equal(t, 1, s.source(t).InForce)
	require.Contains(t, s.weir("sources", "shop").stdout, "ceiling set to 1 until ")
	require.Contains(t, s.weir("ceiling", "shop", "--reset").stdout, "is the configured one again, 2; it was 1\n")
	require.Contains(t, s.weir("pace", "shop", "30/min").stdout, "the pace of shop is 30/min now, and was none\n")
	require.Equal(t, lease.PerSecond(0.5), s.source(t).Pace)
	require.Contains(t, s.weir("pace", "shop", "none").stdout, "the pace of shop is none now, and was 30/min\n")
	require.Contains(t, s.weir("pace", "shop", "--reset").stdout, "is the configured one again, none")
	require.Contains(t, s.weir("breaker", "hold", "shop", "--reason", "a test").stdout, "breaker held open by ")
	require.Equal(t, lease.WhyBreakerHeld, s.source(t).Why)
	require.Contains(t, s.weir("breaker", "release", "shop", "--reason", "a test").stdout, "is released: one request tries the source\n")
	require.True(t, s.source(t).Open)
}

// cancels stops a submission whose page never comes.
func (s *system) cancels(t *testing.T) {
	t.Helper()
	defer close(s.open)
	require.Zero(t, s.weir("submit", s.submission(t, "held.csv", "/held"), "--id", "held").code)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for running := ""; !strings.Contains(running, "being collected"); running = s.weir("status", "held", s.shop.URL+"/held").stdout {
		require.NoError(t, ctx.Err(), running)
		time.Sleep(100 * time.Millisecond)
	}
	require.Zero(t, s.weir("cancel", "held", "--reason", "a test").code)
	waited := s.weir("status", "held", "--wait")
	require.Equal(t, ExitCancelled, waited.code, waited.stdout+waited.stderr)
	require.Contains(t, waited.stdout, "state       cancelled\n")
	require.Equal(t, session{stdout: "held was cancelled before; nothing has changed\n"}, s.weir("cancel", "held"))
}

// TestUnreachableForReal: what does not answer is named.
func TestUnreachableForReal(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	keys := map[string]string{"WEIR_S3_ENDPOINT": "http://127.0.0.1:2", "WEIR_S3_ACCESS_KEY": "env:KEY", "WEIR_S3_SECRET_KEY": "env:KEY", "KEY": "k"}
	w.Env = func(name string) (string, bool) { v, ok := keys[name]; return v, ok }
	s := in(w, realEdges(), "sources", "--temporal-address", "127.0.0.1:1")
	require.Equal(t, 1, s.code)
	require.Contains(t, s.stderr, "weir: Temporal does not answer at 127.0.0.1:1: is it running, and is temporal.address right?")

	s = in(w, realEdges(), "status", "a", "--temporal-address", "127.0.0.1:1")
	require.Equal(t, 1, s.code)
	require.Contains(t, s.stderr, "weir: where submission a stands cannot be known now: Temporal does not answer at 127.0.0.1:1")
	require.Contains(t, s.stderr, "the store at http://127.0.0.1:2 (bucket weir) cannot be reached")
}
