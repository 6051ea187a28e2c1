package activities

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// replaying is a settled submission of two sources with dead letters of several kinds.
type replaying struct {
	*settling
	*Replayer
}

// kept are the bytes of a record.
func kept(r planned) *collection.Raw {
	return &collection.Raw{Key: collection.RawKey("s1", r.ID, "ab"), SHA256: "ab", Size: 2, URL: r.URL, FetchedAt: accepted}
}

// newReplaying settles pages of one source: the ends in turn, with kept bytes where a parser failed.
func newReplaying(t require.TestingT, rows string, ends ...end) *replaying {
	s := newSettling(t, rows, ends...)
	r := &replaying{s, &Replayer{Store: s.store, Engine: &describing{}}}
	for _, p := range s.records {
		r.edit(t, p, func(row *collection.LedgerRow) {
			if row.Reason == collection.ReasonParseEmpty {
				row.Raw = kept(p)
				r.store.set(t, row.Raw.Key, "<>")
			}
		})
	}
	s.mustSettle(t, &trial{})
	s.store.calls = nil
	return r
}

// edit changes the ledger's row of a record.
func (r *replaying) edit(t require.TestingT, p planned, change func(*collection.LedgerRow)) {
	rows := lines[collection.LedgerRow](t, r.store.text(t, p.ledgerKey()))
	for i := range rows {
		if rows[i].Record == p.ID {
			change(&rows[i])
		}
	}
	require.NoError(t, writeLedger(background, r.store.Store, p.ledgerKey(), rows))
}

func (r *replaying) selected(t require.TestingT, in collection.ReplayInput) collection.ReplayPlan {
	in.Submission = "s1"
	plan, err := run(t, &trial{}, r.SelectDead, in)
	require.NoError(t, err)
	return plan
}

// another makes the standing plan one that another run has made.
func (r *replaying) another(t require.TestingT, n int) {
	key := collection.ReplayPlanKey("s1", n)
	var plan collection.ReplayPlan
	require.NoError(t, json.Unmarshal([]byte(r.store.text(t, key)), &plan))
	plan.Run = "another"
	body, err := json.Marshal(plan)
	require.NoError(t, err)
	r.store.set(t, key, string(body))
}

var wasTimeout = end{collection.OutcomeDeadLettered, collection.ReasonTimeout}
var wasTerminated = end{collection.OutcomeCancelled, collection.ReasonTerminated}

func TestSelectDead(t *testing.T) {
	for name, test := range map[string]struct {
		in                   collection.ReplayInput
		selected, withoutRaw int
		batches              []collection.BatchPlan
	}{
		"all, each where it failed": {collection.ReplayInput{}, 4, 0, []collection.BatchPlan{{Number: 1, Records: 1}, {Number: 2, Records: 1}, {Number: 3, Records: 2}}},
		"from raw":                  {collection.ReplayInput{From: collection.ReplayFromRaw}, 2, 2, []collection.BatchPlan{{Number: 1, Records: 1}, {Number: 3, Records: 1}}},
		"from parse":                {collection.ReplayInput{From: collection.ReplayFromParse}, 2, 2, []collection.BatchPlan{{Number: 1, Records: 1}, {Number: 3, Records: 1}}},
		"from collect":              {collection.ReplayInput{From: collection.ReplayFromCollect}, 4, 0, []collection.BatchPlan{{Number: 1, Records: 1}, {Number: 2, Records: 1}, {Number: 3, Records: 2}}},
		"by reason": {collection.ReplayInput{Select: collection.ReplaySelect{Reasons: []collection.Reason{collection.ReasonTimeout}}},
			1, 0, []collection.BatchPlan{{Number: 2, Records: 1}}},
		"cancelled by name": {collection.ReplayInput{Select: collection.ReplaySelect{Reasons: []collection.Reason{collection.ReasonCancelled}}},
			1, 0, []collection.BatchPlan{{Number: 4, Records: 1}}},
		"by record": {collection.ReplayInput{Select: collection.ReplaySelect{Records: []string{"https://books.example/2"}}},
			1, 0, []collection.BatchPlan{{Number: 1, Records: 1}}},
		"another source": {collection.ReplayInput{Select: collection.ReplaySelect{Sources: []string{"shop"}}}, 0, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReplaying(t, pages(8), wasDelivered, wasEmpty, wasTimeout, wasGone, wasEmpty, wasTerminated, wasCancelled, wasDelivered)
			plan := r.selected(t, test.in)
			require.Equal(t, 4, plan.Dead, "what was cancelled on purpose is no dead letter")
			require.Equal(t, test.selected, plan.Selected)
			require.Equal(t, test.withoutRaw, plan.WithoutRaw)
			require.False(t, plan.Stale)
			if test.batches == nil {
				require.Zero(t, plan.Number)
				require.Empty(t, plan.Sources)
				for key := range r.store.dump(t) {
					require.False(t, strings.HasPrefix(key, "replays/"), "a replay of nothing leaves nothing behind")
				}
				return
			}
			require.Equal(t, 1, plan.Number)
			require.Equal(t, "acme", plan.Customer)
			require.Equal(t, []collection.SourcePlan{{
				Source: "books", Records: test.selected, Batches: test.batches, Policy: r.settling.plan.Sources[0].Policy,
			}}, plan.Sources)
			require.Equal(t, plan, r.selected(t, test.in), "a second attempt has the plan of the first")
		})
	}
}

// TestSelectDeadNumbers: every replay has a number of its own, and another run does not take over its plan.
func TestSelectDeadNumbers(t *testing.T) {
	r := newReplaying(t, pages(4), wasEmpty)
	first := r.selected(t, collection.ReplayInput{})
	r.another(t, 1)
	second := r.selected(t, collection.ReplayInput{Select: collection.ReplaySelect{Records: []string{r.records[0].ID}}})
	require.Equal(t, []int{1, 2}, []int{first.Number, second.Number})
	require.Equal(t, 1, second.Selected)
}

// TestSelectDeadStale: a replay that ended before it had settled left a ledger behind that knows more than the manifest.
func TestSelectDeadStale(t *testing.T) {
	r := newReplaying(t, pages(4), wasEmpty, wasDelivered)
	r.edit(t, r.records[0], func(row *collection.LedgerRow) {
		row.RecordResult = r.ended(t, "books", 1, r.records[0].Record, wasDelivered).RecordResult
	})
	plan := r.selected(t, collection.ReplayInput{})
	require.True(t, plan.Stale)
	require.Zero(t, plan.Selected)
}

func TestSelectDeadRefuses(t *testing.T) {
	fresh := newSettling(t, pages(2), wasEmpty)
	r := &Replayer{Store: fresh.store, Engine: &describing{}}
	_, err := run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "s1"})
	requireFinal(t, err, collection.ReasonCommandRefused, "submission s1 is not settled", "submit it again")
	_, err = run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "nope"})
	requireFinal(t, err, collection.ReasonCommandRefused, "no plan of submission nope")

	damaged := newReplaying(t, pages(2), wasEmpty)
	damaged.store.set(t, damaged.records[0].ledgerKey(), "{\n")
	_, err = run(t, &trial{}, damaged.SelectDead, collection.ReplayInput{Submission: "s1"})
	requireFinal(t, err, collection.ReasonInternal, "ledger/s1/books/00001.jsonl is damaged in line 1")
}

// TestSelectDeadWithoutAPart: a part of the ledger that is lost keeps no other from being replayed, and the settlement at the
// end makes it again.
func TestSelectDeadWithoutAPart(t *testing.T) {
	r := newReplaying(t, pages(4), wasEmpty)
	r.store.remove(r.records[0].ledgerKey())
	plan := r.selected(t, collection.ReplayInput{})
	require.Equal(t, 1, plan.LostParts)
	require.Equal(t, 2, plan.Selected, "those of the other part")
	require.True(t, plan.Stale, "so that it is settled, whatever was selected")
	r.mustSettle(t, &trial{})
	r.another(t, 1)
	again := r.selected(t, collection.ReplayInput{})
	require.Zero(t, again.LostParts)
	require.Equal(t, 4, again.Selected)
}

// TestSelectDeadWithoutRaw: the ledger is kept longer than the raw bytes. A record whose bytes are gone is collected again,
// unless the source must not be asked.
func TestSelectDeadWithoutRaw(t *testing.T) {
	for from, want := range map[collection.ReplayFrom]struct{ selected, withoutRaw, raws int }{
		"": {4, 0, 3}, collection.ReplayFromCollect: {4, 0, 0}, collection.ReplayFromRaw: {3, 1, 3}, collection.ReplayFromParse: {3, 1, 3},
	} {
		r := newReplaying(t, pages(4), wasEmpty)
		r.store.remove(kept(r.records[1]).Key)
		plan := r.selected(t, collection.ReplayInput{From: from})
		require.Equal(t, want.selected, plan.Selected, from)
		require.Equal(t, want.withoutRaw, plan.WithoutRaw, from)
		raws := 0
		for n := 1; n <= 2; n++ {
			for _, start := range lines[replayStart](t, r.store.text(t, collection.ReplayBatchKey("s1", 1, "books", n))) {
				if start.Raw != nil {
					raws++
					require.NotEqual(t, r.records[1].ID, start.Record)
				}
			}
		}
		require.Equal(t, want.raws, raws, from)
	}
}

// TestSelectDeadCrashes: whichever call to the store fails, the attempt may be made again, and makes the same plan.
func TestSelectDeadCrashes(t *testing.T) {
	clean := newReplaying(t, pages(4), wasEmpty, wasDelivered, wasTimeout)
	want := clean.selected(t, collection.ReplayInput{})
	for n := 1; n <= clean.store.count(); n++ {
		for _, failing := range []trouble{{refuse: errOutage}, {lose: errOutage}} {
			r := newReplaying(t, pages(4), wasEmpty, wasDelivered, wasTimeout)
			r.store.trouble = func(call int, _, _ string) trouble {
				if call == n {
					return failing
				}
				return trouble{}
			}
			_, err := run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "s1"})
			requireTransient(t, err, collection.ReasonStoreUnavailable)
			r.store.trouble = nil
			require.Equal(t, want, r.selected(t, collection.ReplayInput{}), "call %d", n)
		}
	}
}

func TestLoadReplay(t *testing.T) {
	r := newReplaying(t, pages(4), wasEmpty, wasTimeout, wasDelivered)
	first := accepted.Add(time.Minute)
	r.edit(t, r.records[1], func(row *collection.LedgerRow) { row.FirstRequestAt = &first })
	plan := r.selected(t, collection.ReplayInput{})
	require.Equal(t, 2, plan.Selected)
	in := collection.LoadReplayInput{Submission: "s1", Replay: 1, Source: "books", Number: 1}
	out, err := run(t, &trial{}, r.LoadReplay, in)
	require.NoError(t, err)
	require.Equal(t, []collection.ReplayedRecord{
		{Record: r.records[0].Record, Replay: collection.RecordReplay{Raw: kept(r.records[0]), Attempts: 1}},
		{Record: r.records[1].Record, Replay: collection.RecordReplay{Attempts: 1, FirstRequestAt: &first}},
	}, out.Records)

	// A line that belongs to no record of the batch keeps nobody.
	key := collection.ReplayBatchKey("s1", 1, "books", 1)
	r.store.set(t, key, r.store.text(t, key)+`{"record":"00000000000000000000"}`+"\n")
	out, err = run(t, &trial{}, r.LoadReplay, in)
	require.NoError(t, err)
	require.Len(t, out.Records, 2)

	in.Number = 9
	_, err = run(t, &trial{}, r.LoadReplay, in)
	requireFinal(t, err, collection.ReasonInternal, "of the replay is gone: start another replay")
	in.Number = 1
	r.store.remove(collection.BatchKey("s1", "books", 1))
	_, err = run(t, &trial{}, r.LoadReplay, in)
	requireFinal(t, err, collection.ReasonInternal, "the batch plans/s1/books/00001.jsonl is gone")
}

// TestLoadReplayOfLargeRecords: what goes out by value leaves room for what is known of the kept bytes.
func TestLoadReplayOfLargeRecords(t *testing.T) {
	r := newReplaying(t, `{"url":"https://books.example/1","notes":"`+strings.Repeat("x", maxReplayInline)+`"}`+"\n", wasEmpty)
	r.selected(t, collection.ReplayInput{})
	out, err := run(t, &trial{}, r.LoadReplay, collection.LoadReplayInput{Submission: "s1", Replay: 1, Source: "books", Number: 1})
	require.NoError(t, err)
	require.Len(t, out.Records, 1)
	require.Empty(t, out.Records[0].Record.Fields)
	whole, err := wholeRecord(background, r.store, out.Records[0].Record)
	require.NoError(t, err)
	require.Equal(t, r.records[0].ID, whole.ID)
	require.NotEmpty(t, whole.Fields)
	require.Equal(t, kept(r.records[0]), out.Records[0].Replay.Raw)
}

// TestLoadReplayInCalls: the largest kept bytes that a target can name are more than one result holds, so that a second call
// reads on; every record comes once.
func TestLoadReplayInCalls(t *testing.T) {
	p := newPlanning(500)
	plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", pages(500)))
	batches, _ := p.stored(t, plan)
	var starts []replayStart
	for _, r := range batches["books"][0] {
		raw := &collection.Raw{Key: collection.RawKey("s1", r.ID, "ab"), URL: "https://books.example/?" + strings.Repeat("&", 8<<10)}
		starts = append(starts, replayStart{r.ID, collection.RecordReplay{Raw: raw}})
	}
	body, err := encodeLines(starts)
	require.NoError(t, err)
	p.store.set(t, collection.ReplayBatchKey("s1", 1, "books", 1), string(body))
	in := collection.LoadReplayInput{Submission: "s1", Replay: 1, Source: "books", Number: 1}
	var got []string
	for calls := 1; ; calls++ {
		out, err := run(t, &trial{}, (&Replayer{Store: p.store}).LoadReplay, in)
		require.NoError(t, err)
		encoded, err := json.Marshal(out)
		require.NoError(t, err)
		require.Less(t, len(encoded), 2<<20)
		for _, r := range out.Records {
			got = append(got, r.Record.ID)
		}
		if in.After = out.Next; out.Next == 0 {
			require.Greater(t, calls, 10)
			break
		}
	}
	require.Len(t, got, 500)
	for i, r := range batches["books"][0] {
		require.Equal(t, r.ID, got[i])
	}
}
