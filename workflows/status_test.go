package workflows

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestSubmissionMarkdown holds what people see in Temporal Web against golden files.
func TestSubmissionMarkdown(t *testing.T) {
	t.Parallel()
	tests := map[string]collection.SubmissionStatus{
		"planning": {Customer: "acme", State: collection.StateAccepted, Stage: "plan"},
		"collecting": {
			Customer: "acme", State: collection.StateProcessing, Stage: "collect", Expected: 151,
			Outcomes: collection.Tally{
				{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Records: 2},
				{Outcome: collection.OutcomeDelivered, Records: 40},
				{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Records: 1},
			},
			Sources: []collection.SourceProgress{
				{Source: "books", Records: 100, Released: 60, Outcomes: collection.Tally{
					{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Records: 2},
					{Outcome: collection.OutcomeDelivered, Records: 40},
				}},
				{Source: "films", Records: 50},
			},
			Notes: []string{"lane urgent was asked for, but customer acme may not use it"},
		},
		"complete": {
			Customer: "acme", State: collection.StateComplete, Expected: 1,
			Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 1}},
			Sources: []collection.SourceProgress{
				{Source: "books", Records: 1, Released: 1, Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 1}}},
			},
			Result: &collection.SubmissionResult{Manifest: "results/acme/s/manifest.json"},
		},
		"no-records": {
			Customer: "acme", State: collection.StatePartiallyFailed, Expected: 2,
			Outcomes: collection.Tally{{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonSourceUnknown, Records: 2}},
		},
	}
	for name, status := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := submissionMarkdown(status)
			golden := filepath.Join("testdata", "details", name+".md")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// What things cost in events at worst, which is when every event of a child brings a workflow task of its own.
const (
	mostEvents = 5000
	fullBatch  = 500
	// A workflow task is three events: scheduled, started, completed.
	task = 3
	// perChild: initiated, started and its task, ended and its task.
	perChild = 1 + 1 + task + 1 + task
	// perReport in the batch: the signal sent, its receipt and its task, the pause's timer, its end and its task.
	perReport = 1 + 1 + task + 1 + 1 + task
	// perSignal in the submission.
	perSignal = 1 + task
	// around: start, first task, two activities of three events and their tasks, search attributes, the end.
	around = 1 + task + 2*(3+task) + 1 + 1
)

// TestBatchHistoriesStayShort counts the events of a batch's history, whatever the sizes.
func TestBatchHistoriesStayShort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		records := rapid.IntRange(1, fullBatch).Draw(rt, "records")
		accepted := records * rapid.IntRange(1, 200).Draw(rt, "batches")
		reports := 2*records/progressStep(accepted, records) + 1
		if events := around + records*perChild + reports*perReport; events > mostEvents {
			rt.Fatalf("a batch of %d records of %d has %d events at worst", records, accepted, events)
		}
	})
}

// TestSubmissionHistoriesStayShort does the same for the submission's own history, up to 160,000 records in full batches.
func TestSubmissionHistoriesStayShort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		batches := rapid.IntRange(1, 320).Draw(rt, "batches")
		accepted := batches * fullBatch
		reports := 2*accepted/progressStep(accepted, fullBatch) + batches
		if events := around + batches*perChild + reports*perSignal; events > mostEvents {
			rt.Fatalf("a submission of %d records has %d events at worst", accepted, events)
		}
	})
}

func TestProgressStep(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1, progressStep(1, 1))
	require.Equal(t, 1, progressStep(20, 20), "a small submission is told of every move")
	require.Equal(t, 25, progressStep(500, 500))
	require.Equal(t, 2000, progressStep(200_000, 500))
}
