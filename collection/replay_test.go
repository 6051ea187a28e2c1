package collection

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func ledgerRow(source string, o Outcome, r Reason) LedgerRow {
	return LedgerRow{Key: "the key", Source: source, RecordResult: RecordResult{Record: "0123456789abcdef0123", Outcome: o, Reason: r}}
}

func TestReplaySelectTakes(t *testing.T) {
	empty := ledgerRow("books", OutcomeDeadLettered, ReasonParseEmpty)
	terminated := ledgerRow("books", OutcomeCancelled, ReasonTerminated)
	cancelled := ledgerRow("books", OutcomeCancelled, ReasonCancelled)
	for name, c := range map[string]struct {
		s     ReplaySelect
		row   LedgerRow
		takes bool
	}{
		"all":                        {ReplaySelect{}, empty, true},
		"what was terminated":        {ReplaySelect{}, terminated, true},
		"not what was cancelled":     {ReplaySelect{}, cancelled, false},
		"cancelled by reason":        {ReplaySelect{Reasons: []Reason{ReasonCancelled}}, cancelled, true},
		"cancelled by name":          {ReplaySelect{Records: []string{"the key"}}, cancelled, true},
		"cancelled, another reason":  {ReplaySelect{Reasons: []Reason{ReasonTimeout}}, cancelled, false},
		"by reason":                  {ReplaySelect{Reasons: []Reason{ReasonTimeout, ReasonParseEmpty}}, empty, true},
		"another reason":             {ReplaySelect{Reasons: []Reason{ReasonTimeout}}, empty, false},
		"by source":                  {ReplaySelect{Sources: []string{"films", "books"}}, empty, true},
		"another source":             {ReplaySelect{Sources: []string{"films"}}, empty, false},
		"by id":                      {ReplaySelect{Records: []string{empty.Record}}, empty, true},
		"another record":             {ReplaySelect{Records: []string{"x"}}, empty, false},
		"by name, of another source": {ReplaySelect{Records: []string{"the key"}, Sources: []string{"films"}}, empty, false},
		"what is delivered":          {ReplaySelect{Records: []string{"the key"}}, ledgerRow("books", OutcomeDelivered, ""), false},
		"what is gone":               {ReplaySelect{Reasons: []Reason{ReasonGone}}, ledgerRow("books", OutcomeGone, ReasonGone), false},
		"what was refused":           {ReplaySelect{}, ledgerRow("books", OutcomeRefused, ReasonRobotsDenied), false},
	} {
		require.Equal(t, c.takes, c.s.Takes(c.row), name)
	}
}

func TestReplayFromStart(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	raw := &Raw{Key: "k"}
	with, without := RecordResult{Raw: raw, Attempts: 2, FirstRequestAt: &at}, RecordResult{Attempts: 2, FirstRequestAt: &at}
	for from, c := range map[ReplayFrom]struct {
		raw  *Raw
		bare bool
	}{
		"": {raw, true}, ReplayFromCollect: {nil, true}, ReplayFromRaw: {raw, false}, ReplayFromParse: {raw, false},
	} {
		start, ok := from.Start(with)
		require.True(t, ok)
		require.Equal(t, RecordReplay{Raw: c.raw, Attempts: 2, FirstRequestAt: &at}, start, from)
		start, ok = from.Start(without)
		require.Equal(t, c.bare, ok, from)
		require.Nil(t, start.Raw)
		for _, reason := range []Reason{ReasonDeliveryLost, ReasonDeliveryConflict} {
			start, _ = from.Start(RecordResult{Raw: raw, Outcome: OutcomeDeadLettered, Reason: reason})
			require.True(t, start.Redeliver, "its last run may have ended well")
		}
	}
}

func TestReplayInputCheck(t *testing.T) {
	require.NoError(t, ReplayInput{Submission: "s", From: ReplayFromParse}.Check())
	err := ReplayInput{Submission: "a/b", From: "scratch", Select: ReplaySelect{Records: make([]string, MaxReplayRecords+1)}}.Check()
	for _, says := range []string{`submission id "a/b"`, `from "scratch"`, "5001 records are listed, more than 5000"} {
		require.ErrorContains(t, err, says)
	}
}

// TestReplayIDs: no id of a replay is that of a record or of a batch, whatever sources are called.
func TestReplayIDs(t *testing.T) {
	require.False(t, IsRecordID(strings.TrimPrefix(ReplayWorkflowID("s"), "s/")))
	require.NotEqual(t, BatchWorkflowID("s", "replay", 1), ReplayBatchID("s", 1, "replay", 1))
	require.Equal(t, 4, strings.Count(ReplayBatchID("s", 1, "replay", 1), "/"))
}

func TestGenerationKey(t *testing.T) {
	for key, want := range map[string]string{
		"results/acme/s.v1/results-00001.jsonl.gz": "results/acme/s.v1/results-00001.g2.jsonl.gz",
		"results/acme/s/manifest.json":             "results/acme/s/manifest.g2.json",
		"a.b/c":                                    "a.b/c.g2",
		"c":                                        "c.g2",
	} {
		require.Equal(t, want, GenerationKey(key, 2))
	}
}

func TestIsGenerationOf(t *testing.T) {
	const key = "results/acme/s.v1/results-00001.jsonl.gz"
	for _, name := range []string{key, GenerationKey(key, 2), GenerationKey(key, 17)} {
		require.True(t, IsGenerationOf(name, key), name)
	}
	for _, name := range []string{
		"", "results/acme/s.v1/results-00002.g2.jsonl.gz", "results/acme/s.v1/results-00001.g+2.jsonl.gz",
		"results/acme/s.v1/results-00001.g2.csv", "results/acme/s.v1/results-00001.g.jsonl.gz", "other/results-00001.g2.jsonl.gz",
	} {
		require.False(t, IsGenerationOf(name, key), name)
	}
}
