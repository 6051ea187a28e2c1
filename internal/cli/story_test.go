package cli

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/starter"
)

const recordID = "0d0d1105f836d5a415e2"

func at(d time.Duration) *time.Time {
	t := noon.Add(d)
	return &t
}

func TestStoryOfADeliveredRecord(t *testing.T) {
	t.Parallel()
	c := &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Source: "bookshop", Key: "https://www.bookshop.example/1", Line: 1234, Ground: "ledger",
		Result: &collection.RecordResult{
			Record: recordID, Outcome: collection.OutcomeDelivered, Attempts: 2, FirstRequestAt: at(-time.Minute),
			Raw: &collection.Raw{Key: "raw/acme-1/x", Size: 61, URL: "https://www.bookshop.example/1?v=2", Status: 200, ContentType: "text/html"},
			Delivered: &collection.Delivered{Key: "results/acme/acme-1/records/x.json", SHA256: "49d7", Size: 201, Generation: 2,
				VerifiedAt: noon.Add(-30 * time.Second)},
		},
	}}
	s := ask(t, c, "status", "acme-1", recordID)
	require.Equal(t, session{stdout: text(`
record         0d0d1105f836d5a415e2
key            https://www.bookshop.example/1
submission     acme-1
source         bookshop
line           1234
outcome        delivered
requests       2
first request  2026-01-02 11:59:00 UTC (1 min ago)
response       HTTP 200, text/html, 61 B, from https://www.bookshop.example/1?v=2
kept as        raw/acme-1/x
delivered      results/acme/acme-1/records/x.json
               201 B, verified at the destination 2026-01-02 11:59:30 UTC (30 s ago), generation 2
SHA-256        49d7
known from     the ledger in S3
`)}, s)
	require.Equal(t, []string{"record acme-1 " + recordID}, c.asked)
}

// TestStoryByOneSideAlone: who could not be asked is told, to people and to programs.
func TestStoryByOneSideAlone(t *testing.T) {
	t.Parallel()
	note := "Temporal does not answer at 127.0.0.1:1; this is what the bucket says"
	c := &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Ground: "ledger", Notes: []string{note},
		Result: &collection.RecordResult{Record: recordID, Outcome: collection.OutcomeGone, Attempts: 1},
	}}
	require.Contains(t, ask(t, c, "status", "acme-1", recordID).stdout, "\nnote        "+note+"\nknown from  the ledger in S3\n")
	var told starter.RecordAnswer
	require.NoError(t, json.Unmarshal([]byte(ask(t, c, "status", "acme-1", recordID, "-o", "json").stdout), &told))
	require.Equal(t, []string{note}, told.Notes)
}

func TestStoryOfADeadLetter(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Source: "bookshop", Ground: "engine",
		Result: &collection.RecordResult{Record: recordID, Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty,
			Detail: "no rule found anything in the response", Attempts: 1},
	}}, "status", "acme-1", "https://www.bookshop.example/1")
	require.Equal(t, session{code: ExitNotComplete, stdout: text(`
record      0d0d1105f836d5a415e2
key         https://www.bookshop.example/1
submission  acme-1
source      bookshop
outcome     dead_lettered
reason      parse_empty
detail      no rule found anything in the response
meaning     The parse rules found nothing in the response. The page has changed or is not the page; correct the rules, then replay from the raw copy.
requests    1
known from  its workflow in Temporal
`)}, s)
}

func TestStoryOfARunningRecord(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Source: "bookshop", Ground: "engine", Stage: "collect",
		Activity: &starter.RunningActivity{
			Attempt: 5, State: "backing_off", NextAttempt: at(51 * time.Second), LastFailure: "the target answered 503",
			Progress: &collection.AttemptProgress{Requests: 4, Faults: 3, Reason: collection.ReasonServerError, FirstRequestAt: at(-32 * time.Second)},
		},
	}}, "status", "acme-1", recordID)
	require.Equal(t, session{stdout: text(`
record         0d0d1105f836d5a415e2
submission     acme-1
source         bookshop
where          being collected, waits before attempt 5
attempt        5
next           2026-01-02 12:00:51 UTC (in 51 s)
requests       4 so far, 3 held against the site
last met       server_error
first request  2026-01-02 11:59:28 UTC (32 s ago)
last failure   the target answered 503
known from     its workflow in Temporal
`)}, s)
}

// TestStoryOfARecordWhoseSourceIsClosed: a record that waits does not wait for workers where its source is kept from being asked.
func TestStoryOfARecordWhoseSourceIsClosed(t *testing.T) {
	t.Parallel()
	paused := pausedSource()
	paused.CeilingOverride, paused.PaceOverride, paused.MethodOverride, paused.Methods, paused.Method, paused.Workers = nil, nil, nil, nil, "", nil
	paused.Breaker, paused.BreakerTrips, paused.BreakerHeld = "", 0, nil
	waits := starter.RecordAnswer{Submission: "acme-1", Record: recordID, Source: "stock", Ground: "engine", Stage: "collect",
		Activity: &starter.RunningActivity{Attempt: 1, State: "scheduled"}}
	table := []lease.SourceView{openSource(), paused}
	twice := paused
	held := note(time.Minute, "wait")
	twice.BreakerHeld = &held
	require.Contains(t, ask(t, &fakeClient{record: waits, table: []lease.SourceView{twice}}, "status", "acme-1", recordID).stdout,
		"morning to mend it\n            breaker held open by ann@ops, 1 min ago: wait\nattempt ")
	s := ask(t, &fakeClient{record: waits, table: table}, "status", "acme-1", recordID)
	require.Equal(t, session{stdout: text(`
record      0d0d1105f836d5a415e2
submission  acme-1
source      stock
where       being collected, waits in the queue for a worker, and none takes it while its source is closed
its source  paused by ann@ops, 4 min ago: they called: their database is down, and it will take until the morning to mend it
attempt     1
known from  its workflow in Temporal
`)}, s)

	unreleased := waits
	unreleased.Stage, unreleased.Activity = starter.StageWaiting, nil
	require.Contains(t, ask(t, &fakeClient{record: unreleased, table: table}, "status", "acme-1", recordID).stdout, "\nits source  paused by ann@ops")

	parsed := waits
	parsed.Stage = "parse"
	elsewhere := waits
	elsewhere.Source = "bookshop"
	ended := waits
	ended.Result = &collection.RecordResult{Record: recordID, Outcome: collection.OutcomeDelivered}
	for what, answer := range map[string]starter.RecordAnswer{"it has been collected": parsed, "an open source": elsewhere, "it has ended": ended} {
		s := ask(t, &fakeClient{record: answer, table: table}, "status", "acme-1", recordID)
		require.Zero(t, s.code, what)
		require.NotContains(t, s.stdout, "its source", what)
		require.NotContains(t, s.stdout, "closed", what)
	}
	s = ask(t, &fakeClient{record: waits}, "status", "acme-1", recordID)
	require.Contains(t, s.stdout, "waits in the queue for a worker\n", "where nobody says how the source stands, nothing is said of it")
}

// TestStoryOfADeniedRedirect: a record whose first URL was asked, and that was then led where robots.txt lets nobody in, is not said
// never to have been asked for.
func TestStoryOfADeniedRedirect(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Source: "bookshop", Ground: "engine", Result: &collection.RecordResult{
			Record: recordID, Outcome: collection.OutcomeRefused, Reason: collection.ReasonRobotsDenied, Attempts: 1, FirstRequestAt: at(-time.Minute),
			Trail: &collection.Trail{Robots: &collection.RobotsDecision{Allowed: true, Why: "no rule"},
				Attempts: []collection.AttemptLine{{At: noon.Add(-time.Minute), Took: 120, Reason: collection.ReasonRobotsDenied}}},
		},
	}}, "status", "acme-1", recordID)
	require.Contains(t, s.stdout, "\nrequests       1\n")
	require.Contains(t, s.stdout, "\nattempt at ")
	require.NotContains(t, s.stdout, "othing was requested")
	require.Contains(t, s.stdout, "forbids this URL to us, or one that it redirects to. What is forbidden is not requested;")
}

func TestWhereARecordIs(t *testing.T) {
	t.Parallel()
	active := func(stage, state, waiting string) starter.RecordAnswer {
		return starter.RecordAnswer{Stage: stage, Activity: &starter.RunningActivity{
			Attempt: 1, State: state, Progress: &collection.AttemptProgress{Waiting: waiting},
		}}
	}
	for _, c := range []struct {
		answer starter.RecordAnswer
		want   string
	}{
		{starter.RecordAnswer{Stage: starter.StageWaiting}, "waiting in its batch; it has not been given to its source's queue yet"},
		{starter.RecordAnswer{Stage: "collect"}, "being collected"},
		{active("collect", "scheduled", ""), "being collected, waits in the queue for a worker"},
		{active("collect", "started", "permit"), "being collected, waits on a worker for its source's permit"},
		{active("parse", "started", ""), "being parsed, running on a worker"},
		{active("deliver", "paused", ""), "being delivered, paused by a person"},
		{active("enrich", "", ""), "enrich"},
	} {
		require.Equal(t, c.want, whereText(c.answer, false))
	}
}

func TestStoryAsJSON(t *testing.T) {
	t.Parallel()
	c := &fakeClient{record: starter.RecordAnswer{Submission: "acme-1", Record: recordID, Ground: "plan", Stage: starter.StageWaiting}}
	s := ask(t, c, "status", "acme-1", recordID, "-o", "json")
	require.Zero(t, s.code)
	var got starter.RecordAnswer
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, c.record, got)
}

// TestStoryTellsTheTrail: each attempt has its line, with its waits apart (E15).
func TestStoryTellsTheTrail(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Source: "bookshop", Ground: "ledger",
		Result: &collection.RecordResult{
			Record: recordID, Outcome: collection.OutcomeDelivered, Attempts: 9, Missing: []string{"price", "isbn"},
			Trail: &collection.Trail{
				Robots: &collection.RobotsDecision{Allowed: true, Rule: "Allow: /books/", Line: 7},
				Attempts: []collection.AttemptLine{
					{At: noon, Queue: 1500, Permit: 90, Took: 30_000, Method: "page", Egress: "east", Reason: collection.ReasonTimeout},
					{At: noon.Add(time.Minute), Backoff: 2000, Status: 503, Took: 120, Method: "page", Egress: "west", Reason: collection.ReasonThrottled},
					{At: noon.Add(2 * time.Minute), Backoff: 7000, Permit: 61_000, Pace: 400, Took: 250, Status: 200, Method: "api", Egress: "west"},
				},
			},
		},
	}}, "status", "acme-1", recordID)
	require.Equal(t, session{stdout: text(`
record      0d0d1105f836d5a415e2
submission  acme-1
source      bookshop
outcome     delivered
robots.txt  allowed by line 7, "Allow: /books/"
requests    9 in all runs; below are those of the last run
not found   price, isbn
known from  the ledger in S3

attempt at               met        status   took  by             waited for
2026-01-02 12:00:00 UTC  timeout         -   30 s  page via east  queue 1.5 s
2026-01-02 12:01:00 UTC  throttled     503  0.1 s  page via west  backoff 2 s
2026-01-02 12:02:00 UTC  success       200  0.2 s  api via west   backoff 7 s, permit 1 min 1 s, pace 0.4 s
`)}, s)
}

// TestStoryTellsOfOmittedAttempts: what the trail left out is said where it was.
func TestStoryTellsOfOmittedAttempts(t *testing.T) {
	t.Parallel()
	var trail collection.Trail
	for i := range 20 {
		trail = trail.Add(collection.AttemptLine{At: noon.Add(time.Duration(i) * time.Minute), Status: 503, Reason: collection.ReasonServerError})
	}
	s := ask(t, &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Source: "bookshop", Ground: "engine", Stage: "collect",
		Activity: &starter.RunningActivity{Attempt: 20, State: "backing_off", Progress: &collection.AttemptProgress{Trail: &trail}},
	}}, "status", "acme-1", recordID)
	require.Contains(t, s.stdout, "12:03:00 UTC")
	require.Contains(t, s.stdout, "… 12 attempts")
	require.NotContains(t, s.stdout, "12:10:00 UTC")
	require.Contains(t, s.stdout, "12:19:00 UTC")
}
