package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// fakeLetters is the part of fakeClient that answers for dead letters.
type fakeLetters struct {
	letters []starter.DeadLetter
	deadErr error
	// refused are the submissions that cannot be replayed; joined those that are being replayed.
	refused map[string]error
	joined  map[string]bool
	// results and failures are how replays end, by submission.
	results  map[string]collection.ReplayResult
	failures map[string]error
	told     []collection.ReplayStatus

	deadFilter starter.DeadFilter
	replays    []collection.ReplayInput
	// unlisted are the names that are no record.
	unlisted []string
	// rehearsedFrom is where a dry run would start.
	rehearsedFrom collection.ReplayFrom
}

func (f *fakeLetters) Dead(_ context.Context, filter starter.DeadFilter) iter.Seq2[starter.DeadLetter, error] {
	f.deadFilter = filter
	return func(yield func(starter.DeadLetter, error) bool) {
		for _, l := range f.letters {
			if !yield(l, nil) {
				return
			}
		}
		if f.deadErr != nil {
			yield(starter.DeadLetter{}, f.deadErr)
		}
	}
}

func (f *fakeLetters) Unlisted(_ context.Context, _ string, names []string) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(f.unlisted, name) }), f.deadErr
}

func (f *fakeLetters) Rehearse(ctx context.Context, filter starter.DeadFilter, from collection.ReplayFrom) iter.Seq2[starter.Rehearsed, error] {
	f.rehearsedFrom = from
	return func(yield func(starter.Rehearsed, error) bool) {
		for l, err := range f.Dead(ctx, filter) {
			r := starter.Rehearsed{DeadLetter: l, Refused: f.refused[l.Submission]}
			r.WithoutRaw = r.Refused == nil && from == collection.ReplayFromRaw && l.Raw == ""
			if !yield(r, err) {
				return
			}
		}
	}
}

func (f *fakeLetters) Replay(_ context.Context, in collection.ReplayInput) (starter.ReplayStarted, error) {
	f.replays = append(f.replays, in)
	if err := f.refused[in.Submission]; err != nil {
		return starter.ReplayStarted{}, err
	}
	return starter.ReplayStarted{
		Submission: in.Submission, ID: collection.ReplayWorkflowID(in.Submission), RunID: "run", Joined: f.joined[in.Submission],
	}, nil
}

func (f *fakeLetters) WaitReplay(ctx context.Context, r starter.ReplayStarted, progress func(collection.ReplayStatus)) (collection.ReplayResult, error) {
	for _, s := range f.told {
		progress(s)
	}
	return f.results[r.Submission], f.failures[r.Submission]
}

func wentWell(n int) collection.ReplayResult {
	return collection.ReplayResult{Number: 1, Dead: n, Selected: n,
		Outcomes: tally(collection.Count{Outcome: collection.OutcomeDelivered, Records: n}),
		Settled:  &collection.SubmissionResult{State: collection.StateComplete, Manifest: "results/acme/acme-1/manifest.json", ManifestSHA256: "ab12"}}
}

func TestReplayOfOneSubmission(t *testing.T) {
	t.Parallel()
	c := &fakeClient{}
	s := ask(t, c, "replay", "acme-1", "--reason", "parse_empty", "--source", "bookshop", "--record", "17", "--record", "a,b", "--from", "raw")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, "acme-1 is being replayed\n", s.stdout)
	require.Len(t, c.replays, 1)
	require.Equal(t, collection.ReplayInput{Submission: "acme-1", From: collection.ReplayFromRaw, By: asker(), Select: collection.ReplaySelect{
		Reasons: []collection.Reason{"parse_empty"}, Sources: []string{"bookshop"}, Records: []string{"17", "a,b"},
	}}, c.replays[0])

	c = &fakeClient{fakeLetters: fakeLetters{joined: map[string]bool{"acme-1": true}}}
	s = ask(t, c, "replay", "acme-1")
	require.Contains(t, s.stdout, "acme-1 is being replayed already: joined")
	require.Empty(t, c.replays[0].From, "each record from where it failed")
}

// TestReplayOfUnknownNames: a name that is no record of the submission is told of, and where none is one nothing is started.
func TestReplayOfUnknownNames(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--dry-run"}, {"--wait"}} {
		c := &fakeClient{fakeLetters: fakeLetters{unlisted: []string{"nosuch", "b", "c", "d", "e", "f\x1b[2J"}}}
		s := ask(t, c, append([]string{"replay", "acme-1", "--record", "nosuch"}, flags...)...)
		require.Equal(t, session{code: ExitNotFound, stderr: "weir: no record nosuch in acme-1\n"}, s)
		require.Empty(t, c.replays)
		s = ask(t, c, append([]string{"replay", "acme-1", "--record", "b", "--record", "c", "--record", "d", "--record", "e", "--record", "nosuch",
			"--record", "f\x1b[2J"}, flags...)...)
		require.Equal(t, session{code: ExitNotFound, stderr: "weir: no record b, c, d, e, nosuch, and 1 more in acme-1\n"}, s)
	}
	c := &fakeClient{fakeLetters: fakeLetters{unlisted: []string{"nosuch"}}}
	s := ask(t, c, "replay", "acme-1", "--record", "17", "--record", "nosuch")
	require.Zero(t, s.code)
	require.Contains(t, s.stderr, "1 of 2 names is no record of acme-1: nosuch\n")
	require.Len(t, c.replays, 1)
	c = &fakeClient{fakeLetters: fakeLetters{deadErr: errors.New("no answer")}}
	require.Equal(t, session{code: ExitFailure, stderr: "weir: no answer\n"}, ask(t, c, "replay", "acme-1", "--record", "17"))
}

func TestReplayOfAList(t *testing.T) {
	t.Parallel()
	c := &fakeClient{}
	f := &fakes{client: c}
	w := testWorld(t)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "records.txt"), []byte("17\n\n  https://a.example/ \n"), 0o600))
	require.Zero(t, in(w, f.edges(), "replay", "acme-1", "--list", "records.txt").code)
	require.Equal(t, []string{"17", "https://a.example/"}, c.replays[0].Select.Records)

	w = testWorld(t)
	w.Stdin = endless("17\n\n") // what is too long is not read to its end, which may be none
	s := in(w, f.edges(), "replay", "acme-1", "--list", "-")
	require.Equal(t, ExitUsage, s.code)
	require.Contains(t, s.stderr, "- lists more than 5000 records")

	w = testWorld(t)
	w.Stdin = strings.NewReader(strings.Repeat("17\n", collection.MaxReplayRecords) + "\n")
	require.Zero(t, in(w, f.edges(), "replay", "acme-1", "--list", "-").code)
	require.Len(t, c.replays[1].Select.Records, collection.MaxReplayRecords)
}

// TestReplayOfMany: without an ID every submission with such dead letters is replayed, each once, and one that cannot be
// does not keep the others.
func TestReplayOfMany(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeLetters: fakeLetters{letters: someLetters()[:4], refused: map[string]error{"acme-2": errors.New("acme-2 still runs")}}}
	s := ask(t, c, "replay", "--reason", "parse_empty")
	require.Equal(t, ExitFailure, s.code)
	require.Equal(t, "acme-1 is being replayed\nacme-3 is being replayed\n", s.stdout)
	require.Contains(t, s.stderr, "acme-2: acme-2 still runs\n")
	require.Contains(t, s.stderr, "1 of 3 replays could not be started")
	require.Len(t, c.replays, 3)
}

func TestReplayOfNothing(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeLetters: fakeLetters{refused: map[string]error{"nope": notThere("there is no submission nope")}}}
	require.Equal(t, session{code: ExitNotFound, stderr: "weir: there is no submission nope\n"},
		ask(t, c, "replay", "nope"))
}

func TestReplayDryRun(t *testing.T) {
	t.Parallel()
	c := &fakeClient{fakeLetters: fakeLetters{letters: someLetters()}}
	s := ask(t, c, "replay", "--all", "--dry-run")
	require.Zero(t, s.code)
	require.Contains(t, s.stdout, "parse_empty")
	require.Empty(t, c.replays)
}

func TestReplayWaits(t *testing.T) {
	t.Parallel()
	status := collection.ReplayStatus{Submission: "acme-1", Stage: "replay", Selected: 4,
		Outcomes: tally(collection.Count{Outcome: collection.OutcomeDelivered, Records: 1})}
	c := &fakeClient{fakeLetters: fakeLetters{results: map[string]collection.ReplayResult{"acme-1": wentWell(4)}, told: []collection.ReplayStatus{status}}}
	s := ask(t, c, "replay", "acme-1", "--wait")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, text(`
submission  acme-1
replayed    4 records of 4 dead letters
state       complete
manifest    results/acme/acme-1/manifest.json
SHA-256     ab12

OUTCOME    REASON  ROWS
delivered             4
all                   4
`), s.stdout)
	require.Contains(t, s.stderr, "replaying: 25 %, 1 of 4 rows")

	s = ask(t, c, "replay", "acme-1", "--wait", "-o", "json")
	var got replayAnswer
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	want := wentWell(4)
	require.Equal(t, &want, got.Result)
	require.Equal(t, "acme-1/replay", got.ID)
}

func TestReplayCodes(t *testing.T) {
	t.Parallel()
	still := wentWell(4)
	still.Outcomes = tally(collection.Count{Outcome: collection.OutcomeDeadLettered, Reason: "parse_empty", Records: 4})
	bare := collection.ReplayResult{Dead: 4, WithoutRaw: 4}
	for name, test := range map[string]struct {
		result collection.ReplayResult
		err    error
		code   int
		says   string
	}{
		"nothing to do": {collection.ReplayResult{}, nil, ExitOK, "replayed    0 records of 0 dead letters"},
		"dead still":    {still, nil, ExitNotComplete, "dead_lettered  parse_empty"},
		"no bytes":      {bare, nil, ExitNotComplete, "use --from collect"},
		"cancelled":     {still, starter.ErrReplayCancelled, ExitCancelled, "the replay was cancelled"},
		"cancelled while it shipped": {still, fmt.Errorf("%w while it shipped: run weir redeliver acme-1", starter.ErrReplayCancelled), ExitCancelled,
			"while it shipped: run weir redeliver acme-1"},
		"failed": {bare, errors.New("the replay of acme-1 failed, internal: it rains"), ExitFailure, "it rains"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &fakeClient{fakeLetters: fakeLetters{results: map[string]collection.ReplayResult{"acme-1": test.result},
				failures: map[string]error{"acme-1": test.err}}}
			s := ask(t, c, "replay", "acme-1", "--wait")
			require.Equal(t, test.code, s.code, s.stderr)
			require.Contains(t, s.stdout, test.says)
		})
	}
}

// TestEveryStageHasAText: what a submission or a replay does is shown in words of its own, whatever it is.
func TestEveryStageHasAText(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"plan", "collect", "settle", "ship"} {
		require.NotEmpty(t, stageTexts[stage], stage)
	}
	for _, stage := range []string{"select", "replay", "settle", "ship"} {
		shown := replayStages[stage]
		require.NotEmpty(t, shown, "a replay in %s shows nothing", stage)
		if stage == "ship" {
			require.NotEqual(t, replayStages["settle"], shown)
		}
	}
	require.NotContains(t, replayStages, "", "a replay that has ended does nothing")
}
