package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/starter"
)

func processing() collection.SubmissionStatus {
	return collection.SubmissionStatus{
		Submission: "acme-1", Customer: "acme", State: collection.StateProcessing, Stage: "collect", Lane: collection.LaneNormal,
		AcceptedAt: noon.Add(-90 * time.Second), Expected: 2000,
		Notes: []string{"customer acme may not use lane urgent; the submission is normal"},
		Outcomes: tally(collection.Count{Outcome: collection.OutcomeDelivered, Records: 990},
			collection.Count{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonTimeout, Records: 10}),
		Sources: []collection.SourceProgress{{Source: "bookshop", Records: 2000, Released: 1200,
			Outcomes: tally(collection.Count{Outcome: collection.OutcomeDelivered, Records: 990},
				collection.Count{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonTimeout, Records: 10})}},
	}
}

func settled(state collection.State) collection.SubmissionStatus {
	s := processing()
	s.State, s.Stage, s.Notes, s.Sources = state, "", nil, nil
	s.Result = &collection.SubmissionResult{State: state, Expected: 2000, Manifest: "results/acme/acme-1/manifest.json", ManifestSHA256: "ab12"}
	return s
}

func TestStatus(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{status: processing()}, "status", "acme-1")
	require.Zero(t, s.code)
	require.Empty(t, s.stderr)
	require.Equal(t, text(`
submission  acme-1
customer    acme
state       processing: its records are being collected
accepted    2026-01-02 11:58:30 UTC (1 min 30 s ago)
lane        normal
rows        1,000 of 2,000 ended (50 %)
note        customer acme may not use lane urgent; the submission is normal

SOURCE    RECORDS  RELEASED  ENDED  DELIVERED  FAILED  DONE
bookshop    2,000     1,200  1,000        990      10  50 %

OUTCOME        REASON    ROWS
delivered                 990
dead_lettered  timeout     10
all                     1,000
`), s.stdout)
}

func TestStatusTellsHowItEnded(t *testing.T) {
	t.Parallel()
	for state, code := range map[collection.State]int{
		collection.StateComplete: 0, collection.StatePartiallyFailed: 3, collection.StateCancelled: 5,
	} {
		s := ask(t, &fakeClient{status: settled(state)}, "status", "acme-1")
		require.Equal(t, code, s.code)
		require.Contains(t, s.stdout, "state       "+string(state)+"\n")
		require.Contains(t, s.stdout, "manifest    results/acme/acme-1/manifest.json\nSHA-256     ab12\n")
		require.Empty(t, s.stderr, "the answer says it all")
	}
	failed := collection.SubmissionStatus{Submission: "acme-1", State: collection.StateFailed, AcceptedAt: noon,
		Reason: collection.ReasonUploadUnreadable, Detail: "the file\x1b[2J cannot be read"}
	s := ask(t, &fakeClient{status: failed}, "status", "acme-1")
	require.Equal(t, ExitFailedToPlan, s.code)
	require.Equal(t, text(`
submission  acme-1
state       failed
reason      upload_unreadable
detail      the file\x1b[2J cannot be read
accepted    2026-01-02 12:00:00 UTC (now)
`), s.stdout)
}

func TestStatusAsJSON(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{status: settled(collection.StatePartiallyFailed)}, "status", "acme-1", "-o", "json")
	require.Equal(t, ExitNotComplete, s.code)
	var got collection.SubmissionStatus
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, settled(collection.StatePartiallyFailed), got)
	require.Equal(t, 1, strings.Count(s.stdout, "\n"))
}

func TestStatusOfNothing(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{err: errors.Join(errors.New("there is no submission nope"), starter.ErrNotFound)}, "status", "nope")
	require.Equal(t, ExitNotFound, s.code)
	s = ask(t, &fakeClient{err: notThere("there is no submission nope")}, "status", "nope")
	require.Equal(t, session{code: ExitNotFound, stderr: "weir: there is no submission nope\n"}, s)
}

// notThere is an error as starter makes them.
func notThere(text string) error { return wrapped{text + ": not found"} }

type wrapped struct{ text string }

func (w wrapped) Error() string { return w.text }
func (w wrapped) Unwrap() error { return starter.ErrNotFound }

func rows() []collection.LedgerRow {
	return []collection.LedgerRow{
		{Line: 9, RecordResult: collection.RecordResult{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Detail: "the row has 4 values"}},
		{Line: 2, Key: "https://www.bookshop.example/books?a=1&b=2", Source: "bookshop", RecordResult: collection.RecordResult{
			Record: "0d0d1105f836d5a415e2", Outcome: collection.OutcomeDelivered, Attempts: 2,
			Delivered: &collection.Delivered{Key: "results/x.json", Size: 3, VerifiedAt: noon}}},
		{Line: 1234, Key: "17", Source: "bookshop", RecordResult: collection.RecordResult{Record: "be3ef130c6e82f370a49", Outcome: starter.OutcomePending}},
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	c := &fakeClient{rows: rows()}
	s := ask(t, c, "records", "acme-1", "--source", "bookshop", "--outcome", "dead_lettered", "--reason", "parse_empty")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, starter.Filter{Outcome: "dead_lettered", Reason: "parse_empty", Source: "bookshop"}, c.filter)
	require.Equal(t, text(`
LINE  SOURCE    RECORD                OUTCOME    REASON         KEY OR DETAIL                               DETAIL
   9                                  invalid    row_malformed  the row has 4 values
   2  bookshop  0d0d1105f836d5a415e2  delivered                 https://www.bookshop.example/books?a=1&b=2
1234  bookshop  be3ef130c6e82f370a49  pending                   17
`), s.stdout)

	dead := collection.LedgerRow{Line: 3, Key: "18", Source: "bookshop", RecordResult: collection.RecordResult{
		Record: "be3ef130c6e82f370a50", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonTimeout, Detail: "no answer within 30 s"}}
	require.Contains(t, ask(t, &fakeClient{rows: []collection.LedgerRow{dead}}, "records", "acme-1").stdout, "timeout  18             no answer within 30 s\n")
}

// TestRecordsOfBatchesThatRun: what a batch has not written down is told, whatever was asked for.
func TestRecordsOfBatchesThatRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pending, ended int
		says           string
	}{
		{1, 0, "1 row of batches that still run is told as pending\nhow one stands: weir status acme-1 RECORD\n"},
		{12, 1, "12 rows of batches that still run are told as pending, though one of them has ended\n"},
		{2000, 1100, "2,000 rows of batches that still run are told as pending, though 1,100 of them have ended\n"},
	} {
		f := &fakeClient{}
		f.past.pending, f.past.ended = c.pending, c.ended
		s := ask(t, f, "records", "acme-1", "--outcome", "dead_lettered")
		require.Zero(t, s.code)
		require.Contains(t, s.stderr, "no rows with outcome dead_lettered\n"+c.says)
		f.past.sample = starter.Sample{Pending: c.pending, Ended: c.ended}
		require.Contains(t, ask(t, f, "sample", "acme-1").stderr, c.says)
		f.rows = rows()
		s = ask(t, f, "records", "acme-1", "--output", "json")
		require.Contains(t, s.stderr, c.says)
		require.NotContains(t, s.stdout, "told as")
	}
	require.NotContains(t, ask(t, &fakeClient{rows: rows()}, "records", "acme-1").stderr, "still run")
}

// TestRecordsThatNobodyKnows: the table says once why.
func TestRecordsThatNobodyKnows(t *testing.T) {
	t.Parallel()
	unknown := collection.LedgerRow{Line: 5, Key: "18", Source: "bookshop", RecordResult: collection.RecordResult{
		Outcome: starter.OutcomeUnknown, Detail: "its ledger is no longer kept",
	}}
	s := ask(t, &fakeClient{rows: []collection.LedgerRow{unknown, unknown}}, "records", "acme-1")
	require.Equal(t, 1, strings.Count(s.stderr, "unknown: its ledger is no longer kept"), s.stderr)
	require.NotContains(t, ask(t, &fakeClient{rows: rows()}, "records", "acme-1").stderr, "unknown")
}

func TestRecordsAsJSONLines(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{rows: rows()}, "records", "acme-1", "--output", "json", "--limit", "2")
	lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
	require.Len(t, lines, 2, "the limit holds")
	require.Contains(t, lines[1], "?a=1&b=2", "addresses are left as they are")
	for i, line := range lines {
		var row collection.LedgerRow
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		require.Equal(t, rows()[i], row)
	}
}

func TestRecordsThatAreNone(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{}, "records", "acme-1")
	require.Equal(t, session{stderr: "no rows\n"}, s)
	s = ask(t, &fakeClient{}, "records", "acme-1", "--reason", "timeout", "--source", "bookshop")
	require.Equal(t, session{stderr: "no rows with reason timeout and source bookshop\n"}, s)
}

func TestRecordsThatBreakOff(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{rows: rows(), err: errors.New("read ledger/x: the store is gone")}, "records", "acme-1")
	require.Equal(t, 1, s.code)
	require.Contains(t, s.stdout, "be3ef130c6e82f370a49", "what was read is shown")
	require.Equal(t, "weir: read ledger/x: the store is gone\n", s.stderr)
}

// planning answers what is asked of the plan with "not found", and Status with a submission that is being planned.
type planning struct{ *fakeClient }

func (p planning) Status(context.Context, string) (collection.SubmissionStatus, error) {
	return collection.SubmissionStatus{Submission: "acme-1", State: collection.StateAccepted, Stage: "plan"}, nil
}

// TestWithoutAPlan: a submission that is being planned is there, though nothing is known of its rows.
func TestWithoutAPlan(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"records", "acme-1"}, {"links", "acme-1"}, {"status", "acme-1", "17"}} {
		missing := &fakeClient{err: notThere("there is no submission acme-1")}
		require.Equal(t, session{code: 4, stderr: "weir: there is no submission acme-1\n"}, ask(t, missing, args...))

		e := (&fakes{}).edges()
		e.dial = func(context.Context, config.Config, connect.Secrets, *slog.Logger) (client, error) {
			return planning{missing}, nil
		}
		require.Equal(t, session{code: 4, stderr: "weir: submission acme-1 is accepted and has no plan, so none of its rows is known: " +
			"see weir status acme-1\n"}, in(testWorld(t), e, args...))
	}
}

// TestStatusWhileItIsPlanned: that a submission has no plan yet is an answer about its records, and no failure. One that has
// ended without a plan has none of them.
func TestStatusWhileItIsPlanned(t *testing.T) {
	t.Parallel()
	c := &fakeClient{err: fmt.Errorf("submission acme-1 has no plan yet: %w", starter.ErrNotPlanned)}
	e := (&fakes{}).edges()
	e.dial = func(context.Context, config.Config, connect.Secrets, *slog.Logger) (client, error) {
		return planning{c}, nil
	}
	s := in(testWorld(t), e, "status", "acme-1", "17")
	require.Equal(t, session{stdout: text(`
key         17
submission  acme-1
where       its submission is being planned: which records it has is not known yet; see weir status acme-1
known from  its workflow in Temporal
`)}, s)
	s = in(testWorld(t), e, "status", "acme-1", "17", "-o", "json")
	require.Zero(t, s.code)
	require.Contains(t, s.stdout, `"stage":"plan"`)

	c = &fakeClient{record: starter.RecordAnswer{}, err: starter.ErrNotPlanned, status: settled(collection.StateFailed)}
	require.Equal(t, ExitNotFound, ask(t, c, "status", "acme-1", "17").code)
}

func TestLinks(t *testing.T) {
	t.Parallel()
	c := &fakeClient{links: []starter.Link{
		{Name: "manifest.json", URL: "http://s3.example/m?a=1&b=2", Size: 1800, SHA256: "ab", Expires: noon.Add(time.Hour)},
		{Name: "results-00001.jsonl.gz", URL: "http://s3.example/r?a=1&b=2", Size: 5 << 20, Records: 10_000, Expires: noon.Add(time.Hour), Capped: true},
	}}
	s := ask(t, c, "links", "acme-1", "--expires", "90m")
	require.Equal(t, 90*time.Minute, c.expiry)
	require.Equal(t, text(`
NAME                    RECORDS     SIZE  EXPIRES
manifest.json                    1.8 KiB  2026-01-02 13:00:00 UTC (in 1 h)
results-00001.jsonl.gz   10,000  5.0 MiB  2026-01-02 13:00:00 UTC (in 1 h)
The links expire earlier than asked, because the credentials that sign them do.

manifest.json
http://s3.example/m?a=1&b=2

results-00001.jsonl.gz
http://s3.example/r?a=1&b=2
`), s.stdout)

	s = ask(t, c, "links", "acme-1", "-o", "json")
	require.Equal(t, 24*time.Hour, c.expiry)
	var got []starter.Link
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, c.links, got)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	c := &fakeClient{status: processing()}
	s := ask(t, c, "cancel", "acme-1", "--reason", "wrong file")
	require.Equal(t, session{stdout: "acme-1 stops; what has been delivered stays\n", stderr: "follow it: weir status acme-1 --wait\n"}, s)
	require.Equal(t, []string{"status acme-1", "cancel acme-1 wrong file", "unattended acme-1"}, c.asked)

	c = &fakeClient{status: processing()}
	require.JSONEq(t, `{"id": "acme-1", "already": false}`, ask(t, c, "cancel", "acme-1", "-o", "json").stdout)
	require.Regexp(t, `^cancel acme-1 weir cancel`, c.asked[1], "a cancellation without a reason says where it comes from")
}

// TestCancelThatNobodyTakesUp: a submission stops through a worker; where there is none, that is said.
func TestCancelThatNobodyTakesUp(t *testing.T) {
	t.Parallel()
	c := &fakeClient{status: processing(), unattended: []collection.Role{collection.RoleWorkflows}}
	s := ask(t, c, "cancel", "acme-1")
	require.Equal(t, session{stdout: "acme-1 stops; what has been delivered stays\n", stderr: "no worker answers: is a worker with the role workflows " +
		"running? It stops once one takes that up.\nfollow it: weir status acme-1 --wait\n"}, s)
	require.Equal(t, []collection.Role{collection.RoleWorkflows}, c.lookedFor)

	c = &fakeClient{status: processing(), unattendedErr: errors.New("the engine does not say")}
	require.Equal(t, "follow it: weir status acme-1 --wait\n", ask(t, c, "cancel", "acme-1").stderr)

	c = &fakeClient{status: processing()}
	c.status.Cancelled = &collection.CancelRequest{By: "ann@ops", At: noon}
	require.Equal(t, session{stdout: "acme-1 was cancelled before; nothing has changed\n"}, ask(t, c, "cancel", "acme-1"))
	require.Equal(t, []string{"status acme-1"}, c.asked, "what is asked for already is not asked for again")
}

func TestCancelOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{status: settled(collection.StateComplete)}, "cancel", "acme-1")
	require.Equal(t, session{code: ExitUsage, stderr: "weir: submission acme-1 has ended already, complete: there is nothing to cancel\n"}, s)

	again := session{stdout: "acme-1 was cancelled before; nothing has changed\n"}
	require.Equal(t, again, ask(t, &fakeClient{status: settled(collection.StateCancelled)}, "cancel", "acme-1"))
	twice := &serviceerror.CancellationAlreadyRequested{}
	require.Equal(t, again, ask(t, &fakeClient{status: processing(), cancelErr: twice}, "cancel", "acme-1"))
	s = ask(t, &fakeClient{statusErr: notThere("there is no submission nope")}, "cancel", "nope")
	require.Equal(t, session{code: 4, stderr: "weir: there is no submission nope\n"}, s)
}

// TestCancelWithoutS3: who cannot look can still stop.
func TestCancelWithoutS3(t *testing.T) {
	t.Parallel()
	c := &fakeClient{statusErr: errors.New("the store does not answer")}
	require.Zero(t, ask(t, c, "cancel", "acme-1", "--reason", "x").code)
	require.Contains(t, c.asked, "cancel acme-1 x")
}
