package cli

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// fakeSweeps are the answers about sweeps and the janitor.
type fakeSweeps struct {
	swept      starter.SweepAnswer
	sweptNow   *collection.SweepInput
	tidied     collection.JanitorResult
	tidyAsked  []bool
	lastTidy   error
	sweepErr   error
	rules      *fakeRules
	oldestOpen time.Time
	// waits is called by what is waited for, which then goes on until nobody waits any more.
	waits func()
}

func (f *fakeSweeps) Sweep(context.Context) (starter.SweepAnswer, error) { return f.swept, f.sweepErr }

func (f *fakeSweeps) SweepNow(ctx context.Context, in collection.SweepInput) (starter.SweepAnswer, error) {
	if f.waits != nil {
		f.waits()
		<-ctx.Done()
		return starter.SweepAnswer{}, ctx.Err()
	}
	f.sweptNow = &in
	return f.swept, f.sweepErr
}

func (f *fakeSweeps) Tidy(ctx context.Context, dryRun bool) (collection.JanitorResult, error) {
	if f.waits != nil {
		f.waits()
		<-ctx.Done()
		return collection.JanitorResult{}, ctx.Err()
	}
	f.tidyAsked = append(f.tidyAsked, dryRun)
	f.tidied.DryRun = dryRun
	return f.tidied, nil
}

func (f *fakeSweeps) LastTidy(context.Context) (collection.JanitorResult, error) {
	return f.tidied, f.lastTidy
}

func (f *fakeSweeps) Lifecycle() (starter.LifecycleStore, error) { return f.rules, nil }

func (f *fakeSweeps) OldestOpen(context.Context) (time.Time, error) { return f.oldestOpen, nil }

type fakeRules struct {
	set []starter.Expiry
	err error
}

func (f *fakeRules) Expiries(context.Context) ([]starter.Expiry, int, error) { return f.set, 0, f.err }

func (f *fakeRules) SetExpiries(_ context.Context, want []starter.Expiry) error {
	if f.err == nil {
		f.set = want
	}
	return f.err
}

func calm() starter.SweepAnswer {
	return starter.SweepAnswer{
		SweepResult: collection.SweepResult{
			StartedAt: noon.Add(-3 * time.Minute), EndedAt: noon.Add(-2 * time.Minute), Findings: []collection.Finding{}, DeadLetters: []collection.DeadLetterCount{},
			Checks: []collection.CheckResult{{Check: collection.CheckQueues, Looked: 4}, {Check: collection.CheckEnds, Looked: 1}},
		},
		Workflow: "weir/sweep-1", Run: "r1", Schedule: starter.ScheduleState{ID: "weir/sweep", Next: noon.Add(3 * time.Minute)},
	}
}

func TestSweepOfNothing(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{fakeSweeps: fakeSweeps{swept: calm()}}, "sweep")
	require.Equal(t, session{stdout: text(`
last sweep  2026-01-02 11:58:00 UTC (2 min ago)
looked at   5 things by 2 checks
schedule    next 2026-01-02 12:03:00 UTC (in 3 min)
found       nothing
`)}, s)
}

func TestSweepWithFindings(t *testing.T) {
	t.Parallel()
	answer := calm()
	answer.Schedule = starter.ScheduleState{ID: "weir/sweep", Paused: true, Note: "an audit"}
	answer.Checks[0].Unchecked = 1
	answer.Findings = []collection.Finding{
		{Kind: collection.FindingSubmissionFailed, Severity: collection.SEV1, Subject: "acme-1", Detail: "it failed", Do: "Submit it again."},
		{Kind: collection.FindingOrphan, Severity: collection.SEV3, Subject: "acme-2/books/1", Detail: "it was cancelled", Do: "Nothing.", Mended: true},
	}
	answer.DeadLetters = []collection.DeadLetterCount{{Source: "bookshop", Reason: collection.ReasonParseEmpty, Records: 1200, Oldest: noon.Add(-3 * time.Hour)}}
	c := &fakeClient{fakeSweeps: fakeSweeps{swept: answer}}
	s := ask(t, c, "sweep", "--now", "--quiet-after", "5m")
	require.Equal(t, collection.Duration(5*time.Minute), c.sweptNow.QuietAfter)
	require.Equal(t, session{code: ExitNotComplete, stdout: text(`
last sweep  2026-01-02 11:58:00 UTC (2 min ago)
looked at   5 things by 2 checks, and 1 thing that could not be
schedule    paused: an audit
found       2 findings

SEV1  submission_failed acme-1
      it failed
      Submit it again.
SEV3  orphan acme-2/books/1 (mended)
      it was cancelled
      Nothing.

DEAD LETTERS  SOURCE    REASON       OLDEST
       1,200  bookshop  parse_empty     3 h
`)}, s)

	s = ask(t, c, "sweep", "--output", "json")
	require.Equal(t, ExitNotComplete, s.code)
	var back starter.SweepAnswer
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &back))
	require.Equal(t, answer, back)

	c.swept.Checks = append(c.swept.Checks, collection.CheckResult{Check: collection.CheckDeadLetters, AtLeast: true})
	require.Contains(t, ask(t, c, "sweep").stdout, `
  DEAD LETTERS  SOURCE    REASON       OLDEST
at least 1,200  bookshop  parse_empty     3 h
`)

	c.swept.Findings = answer.Findings[1:]
	require.Equal(t, ExitOK, ask(t, c, "sweep").code, "what is mended, or internal, is no verdict")
}

func TestSweepRefusesAndFails(t *testing.T) {
	t.Parallel()
	require.Equal(t, ExitUsage, ask(t, &fakeClient{}, "sweep", "--quiet-after", "5m").code)
	require.Equal(t, ExitNotFound, ask(t, &fakeClient{fakeSweeps: fakeSweeps{sweepErr: starter.ErrNotFound}}, "sweep").code)
	missing := calm()
	missing.Schedule = starter.ScheduleState{ID: "weir/sweep", Missing: true}
	require.Contains(t, ask(t, &fakeClient{fakeSweeps: fakeSweeps{swept: missing}}, "sweep").stdout, "there is none: start a worker with the role fleet")
}

func tidied() collection.JanitorResult {
	return collection.JanitorResult{StartedAt: noon.Add(-time.Hour), EndedAt: noon.Add(-time.Minute), Classes: []collection.TidyResult{
		{Class: collection.ClassRaw, Retention: collection.Duration(168 * time.Hour), Looked: 1200, Deleted: 1000, Bytes: 5 << 20, Held: 150, Failed: 2, Problem: "locked"},
		{Class: collection.ClassResults, Strange: 1},
	}}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeSweeps: fakeSweeps{tidied: tidied()}}
	table := text(`
ended  2026-01-02 11:59:00 UTC (1 min ago)

CLASS    KEPT FOR  LOOKED AT  DELETED     SIZE  HELD  FAILED
raw           7 d      1,200    1,000  5.0 MiB   150       2
results      ever          0        0      0 B     0       0

raw      locked
results  1 object with a key that is none of weir's: left alone
`)
	require.Equal(t, session{stdout: table}, ask(t, c, "retention"))
	require.Equal(t, session{code: ExitNotComplete, stdout: table}, ask(t, c, "retention", "run"))
	plan := ask(t, c, "retention", "plan")
	require.Contains(t, plan.stdout, "nothing is deleted")
	require.Contains(t, plan.stdout, "WOULD GO")
	require.Equal(t, []bool{false, true}, c.tidyAsked)

	none := ask(t, &fakeClient{fakeSweeps: fakeSweeps{lastTidy: starter.ErrNotFound}}, "retention")
	require.Contains(t, none.stdout, "raw           7 d\n")
	require.Contains(t, none.stdout, "results      ever\n")
	require.Contains(t, none.stderr, "no janitor has run yet")
	require.Contains(t, ask(t, c, "retention", "--output", "json").stdout, `{"ages":[{"class":"uploads","retention":"720h0m0s"}`)
}

func TestRetentionApply(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeSweeps: fakeSweeps{rules: &fakeRules{}}}
	s := ask(t, c, "retention", "apply")
	require.Equal(t, text(`
PREFIX    DAYS
uploads/    30
raw/         7
parsed/      7
seen/        7
staged/     10
replays/    90
ledger/     90
plans/     100
`), s.stdout)
	require.Equal(t, starter.Expiry{Name: "retention-raw", Prefix: "raw/", Days: 7}, c.rules.set[1])

	s = ask(t, c, "retention", "apply", "--remove")
	require.Contains(t, s.stdout, "no lifecycle rule")
	require.Empty(t, c.rules.set)

	// A submission that has been open for longer than a rule allows.
	c.oldestOpen = noon.Add(-8 * 24 * time.Hour)
	s = ask(t, c, "retention", "apply")
	require.Equal(t, ExitUsage, s.code)
	require.Contains(t, s.stderr, "retention.raw is 7 days")
	require.Empty(t, c.rules.set)

	c = &fakeClient{fakeSweeps: fakeSweeps{rules: &fakeRules{err: errors.Join(starter.ErrNoLifecycle)}}}
	s = ask(t, c, "retention", "apply")
	require.Equal(t, ExitFailure, s.code)
	require.Contains(t, s.stderr, "the janitor deletes without them")
}
