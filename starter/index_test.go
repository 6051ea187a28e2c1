package starter_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// large gives the store a settled submission of n records in batches of 500, with its index.
func (tr *trial) large(t *testing.T, n int) {
	t.Helper()
	put := func(key string, body []byte) {
		_, err := tr.store.Put(t.Context(), key, body, "")
		require.NoError(t, err)
	}
	p := collection.PlanResult{Submission: submission, Customer: "acme", AcceptedAt: accepted, Expected: n + 1, Accepted: n, RejectedParts: 1,
		Sources: []collection.SourcePlan{{Source: "books", Records: n}}}
	var entries []collection.IndexEntry
	for first := 0; first < n; first += 500 {
		batch := collection.BatchPlan{Number: first/500 + 1, Records: min(500, n-first)}
		p.Sources[0].Batches = append(p.Sources[0].Batches, batch)
		var ledger []byte
		for i := first; i < first+batch.Records; i++ {
			key := fmt.Sprintf("https://books.example/%d", i)
			row := collection.LedgerRow{Line: i + 1, Key: key, Source: "books", RecordResult: collection.RecordResult{
				Record: collection.RecordID("books", key), Outcome: collection.OutcomeGone, Reason: collection.ReasonGone,
			}}
			entries = append(entries, collection.IndexEntry{Record: row.Record, Batch: batch.Number})
			line, err := json.Marshal(row)
			require.NoError(t, err)
			ledger = append(append(ledger, line...), '\n')
		}
		put(collection.LedgerKey(submission, "books", batch.Number), ledger)
	}
	index, err := collection.EncodeIndex(entries)
	require.NoError(t, err)
	put(collection.IndexKey(submission), index)
	put(collection.RejectedKey(submission, 1), []byte(`{"line":9,"key":"broken","outcome":"invalid","reason":"row_malformed"}`+"\n"))
	body, err := json.Marshal(p)
	require.NoError(t, err)
	put(collection.PlanKey(submission), body)
}

// TestOneRecordIsThreeReads, whatever the size of the submission (I01).
func TestOneRecordIsThreeReads(t *testing.T) {
	t.Parallel()
	const n = 20_000
	tr := newTrial()
	tr.large(t, n)
	tr.client = starter.New(tr.engine, tr.store, "weir-test", nil)
	for _, i := range []int{0, 7_777, n - 1} {
		key := fmt.Sprintf("https://books.example/%d", i)
		id := collection.RecordID("books", key)
		tr.forgot(collection.RecordWorkflowID(submission, id))
		for _, name := range []string{id, key} {
			tr.store.reads = nil
			answer, err := tr.client.Record(t.Context(), submission, name)
			require.NoError(t, err)
			require.Equal(t, key, answer.Key)
			require.Equal(t, i+1, answer.Line)
			require.Equal(t, "ledger", answer.Ground)
			require.Len(t, tr.store.reads, 3, "%v", tr.store.reads)
			require.Equal(t, collection.LedgerKey(submission, "books", i/500+1), tr.store.reads[2])
		}
	}
}

// TestARowThatBecameNoRecord is found among the rejected ones, and what is nowhere is said to be so.
func TestARowThatBecameNoRecord(t *testing.T) {
	t.Parallel()
	tr := newTrial()
	tr.large(t, 1_000)
	tr.client = starter.New(tr.engine, tr.store, "weir-test", nil)
	answer, err := tr.client.Record(t.Context(), submission, "broken")
	require.NoError(t, err)
	require.Equal(t, collection.ReasonRowMalformed, answer.Result.Reason)
	require.Len(t, tr.store.reads, 3, "%v", tr.store.reads)
	_, err = tr.client.Record(t.Context(), submission, "nowhere")
	require.ErrorIs(t, err, starter.ErrNotFound)
}
