package cli

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/demo"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/starter"
	"github.com/weir-collect/weir/workers"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const testConfig = `
customers:
  - name: acme
  - name: initech
sources:
  - name: bookshop
    hosts: [www.bookshop.example]
    parse: {type: html, fields: [{name: title, css: h1}]}
`

// fakeClient answers from its fields and notes what it was asked.
type fakeClient struct {
	fakeLetters
	fakeSweeps
	submitted   starter.Submitted
	status      collection.SubmissionStatus
	record      starter.RecordAnswer
	rows        []collection.LedgerRow
	links       []starter.Link
	redelivered collection.RedeliverResult
	// err is the answer to everything, statusErr that to Status alone, where they are set.
	err, statusErr, cancelErr error
	// seen are the statuses that Wait passes on before the last one; block makes it wait for the end of its context.
	seen  []collection.SubmissionStatus
	block bool
	// table is the answer to Sources, after the one to Command; commandErr is the answer to Command alone, where it is set.
	table      []lease.SourceView
	ways       []lease.EgressView
	after      lease.SourceView
	commandErr error

	// past is what the commands that look back are told.
	past fakePast

	// unattended are the roles that nobody has, and lookedFor those that were asked about.
	unattended, lookedFor []collection.Role
	unattendedErr         error
	// hindered are the answers to Hindered, one after the other; one without a step says that nothing has failed, as does their end.
	hindered []starter.Hindrance

	asked   []string
	request starter.Request
	content string
	filter  starter.Filter
	expiry  time.Duration
	update  string
	command collection.SourceCommand
	closed  bool
}

func (f *fakeClient) Submit(_ context.Context, r starter.Request) (starter.Submitted, error) {
	f.request = r
	if _, err := r.File.Seek(0, io.SeekStart); err != nil {
		return starter.Submitted{}, err
	}
	content, err := io.ReadAll(r.File)
	if err != nil {
		return starter.Submitted{}, err
	}
	f.content = string(content)
	return f.submitted, f.err
}

func (f *fakeClient) Status(_ context.Context, id string) (collection.SubmissionStatus, error) {
	f.asked = append(f.asked, "status "+id)
	if f.statusErr != nil {
		return collection.SubmissionStatus{}, f.statusErr
	}
	return f.status, f.err
}

func (f *fakeClient) Wait(ctx context.Context, id string, progress func(collection.SubmissionStatus)) (collection.SubmissionStatus, error) {
	f.asked = append(f.asked, "wait "+id)
	for _, s := range f.seen {
		progress(s)
	}
	if f.block {
		<-ctx.Done()
		return f.status, ctx.Err()
	}
	return f.status, f.err
}

func (f *fakeClient) Record(_ context.Context, id, name string) (starter.RecordAnswer, error) {
	f.asked = append(f.asked, "record "+id+" "+name)
	return f.record, f.err
}

func (f *fakeClient) Redeliver(_ context.Context, id, to string) (collection.RedeliverResult, error) {
	f.asked = append(f.asked, strings.TrimSpace("redeliver "+id+" "+to))
	return f.redelivered, f.err
}

func (f *fakeClient) Links(_ context.Context, _ string, expiry time.Duration) ([]starter.Link, error) {
	f.expiry = expiry
	return f.links, f.err
}

func (f *fakeClient) Cancel(_ context.Context, id, reason string) error {
	f.asked = append(f.asked, "cancel "+id+" "+reason)
	return f.cancelErr
}

func (f *fakeClient) Sources(context.Context) ([]lease.SourceView, error) { return f.table, f.err }

func (f *fakeClient) Egresses(context.Context) ([]lease.EgressView, error) { return f.ways, f.err }

func (f *fakeClient) Command(_ context.Context, update string, in collection.SourceCommand) (lease.SourceView, error) {
	f.update, f.command = update, in
	return f.after, f.commandErr
}

func (f *fakeClient) Unattended(_ context.Context, workflowID string, roles ...collection.Role) ([]collection.Role, error) {
	f.asked, f.lookedFor = append(f.asked, "unattended "+workflowID), roles
	return f.unattended, f.unattendedErr
}

func (f *fakeClient) Hindered(context.Context, string) (starter.Hindrance, bool, error) {
	if len(f.hindered) == 0 {
		return starter.Hindrance{}, false, nil
	}
	h := f.hindered[0]
	f.hindered = f.hindered[1:]
	return h, h.Step != "", nil
}

func (f *fakeClient) Close() { f.closed = true }

// fakes are the edges of a program that must not leave its process.
type fakes struct {
	client  *fakeClient
	dialErr error
	cfg     config.Config

	work  func(ctx context.Context, o workers.Options) error
	stack func(ctx context.Context, o stack.Options) (running, stackAddresses, error)
	demo  func(ctx context.Context, o demo.Options) error
}

func (f *fakes) edges() edges {
	return edges{
		dial: func(_ context.Context, cfg config.Config, _ connect.Secrets, _ *slog.Logger) (client, error) {
			f.cfg = cfg
			if f.dialErr != nil {
				return nil, f.dialErr
			}
			return f.client, nil
		},
		work: f.work, stack: f.stack, demo: f.demo,
	}
}

// session is one run of the program.
type session struct {
	code           int
	stdout, stderr string
}

// testWorld is a world with a folder of its own that holds a weir.yaml.
func testWorld(t *testing.T) World {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "weir.yaml"), []byte(testConfig), 0o600))
	return World{
		Stdin: strings.NewReader(""), Env: func(string) (string, bool) { return "", false }, Dir: dir,
		Now: func() time.Time { return noon }, Exit: func(int) { panic("the program was ended") },
	}
}

// in runs the program in a world.
func in(w World, e edges, args ...string) session {
	var out, err bytes.Buffer
	w.Args, w.Stdout, w.Stderr = args, &out, &err
	code := run(w, e)
	return session{code: code, stdout: out.String(), stderr: err.String()}
}

// ask runs the program against a client, and checks that it is closed in the end.
func ask(t *testing.T, c *fakeClient, args ...string) session {
	t.Helper()
	f := &fakes{client: c}
	s := in(testWorld(t), f.edges(), args...)
	if f.cfg.Sources != nil {
		require.True(t, c.closed, "the connection is closed")
	}
	return s
}

// text is what a test expects: without the first line break.
func text(s string) string { return strings.TrimPrefix(s, "\n") }

func tally(counts ...collection.Count) collection.Tally {
	var t collection.Tally
	for _, c := range counts {
		t.Add(c.Outcome, c.Reason, c.Records)
	}
	return t
}
