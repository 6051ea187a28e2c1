package activities

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestLoadBatch: small records by value, large ones as a reference that leads to the same record.
func TestLoadBatch(t *testing.T) {
	p := newPlanning(500)
	var rows []string
	for i, size := range []int{0, 1, 1_500, 3_000, 10, 200_000, 7} {
		rows = append(rows, fmt.Sprintf(`{"source":"api","sku":%d,"text":"%s"}`, i, strings.Repeat("ü", size)))
	}
	plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", strings.Join(rows, "\n")))
	batches, _ := p.stored(t, plan)
	written := batches["api"][0]
	loaded, err := run(t, &trial{}, (&Batches{Store: p.store}).LoadBatch,
		collection.LoadBatchInput{Submission: "s1", Source: "api", Number: 1})
	require.NoError(t, err)
	require.Len(t, loaded.Records, len(rows))
	byReference := 0
	for i, r := range loaded.Records {
		size, err := json.Marshal(r)
		require.NoError(t, err)
		require.LessOrEqual(t, len(size), collection.MaxRecordInline)
		if r.Stored != nil {
			byReference++
			require.Empty(t, r.URL)
			require.Empty(t, r.Fields)
			require.LessOrEqual(t, len(r.Key), collection.MaxKeyShown)
			require.True(t, strings.HasPrefix(r.Key, `{"sku":`), r.Key)
		}
		require.Equal(t, i+1, r.Line)
		whole, err := wholeRecord(t.Context(), p.store, r)
		require.NoError(t, err)
		require.Equal(t, written[i], whole)
	}
	require.Equal(t, 3, byReference)
}

func TestLoadBatchRefused(t *testing.T) {
	store := newShaky()
	batches := &Batches{Store: store}
	in := collection.LoadBatchInput{Submission: "s1", Source: "books", Number: 2}
	load := func() error {
		_, err := run(t, &trial{}, batches.LoadBatch, in)
		return err
	}
	requireFinal(t, load(), collection.ReasonInternal, "plans/s1/books/00002.jsonl is gone")

	store.set(t, "plans/s1/books/00002.jsonl", `{"id":"a","line":1,"key":"k"}`+"\n{\"id\":\n")
	requireFinal(t, load(), collection.ReasonInternal, "plans/s1/books/00002.jsonl is damaged at byte 30")

	store.trouble = func(int, string, string) trouble { return trouble{refuse: errOutage} }
	requireTransient(t, load(), collection.ReasonStoreUnavailable, "read the batch plans/s1/books/00002.jsonl", errOutage.Error())
}

// TestWholeRecord: a reference that leads elsewhere is never taken for the record.
func TestWholeRecord(t *testing.T) {
	store := newShaky()
	line := `{"id":"aa","line":1,"key":"k","url":"https://books.example/"}` + "\n"
	store.set(t, "b", line+line)
	ref := func(offset, length int) collection.Record {
		return collection.Record{ID: "aa", Stored: &collection.ObjectRange{Key: "b", Offset: int64(offset), Length: int64(length)}}
	}
	for _, offset := range []int{0, len(line)} {
		r, err := wholeRecord(t.Context(), store, ref(offset, len(line)))
		require.NoError(t, err)
		require.Equal(t, "https://books.example/", r.URL)
	}
	_, err := wholeRecord(t.Context(), store, ref(1, len(line)))
	requireFinal(t, err, collection.ReasonInternal, "holds no record aa at offset 1")
	other := ref(0, len(line))
	other.ID = "bb"
	_, err = wholeRecord(t.Context(), store, other)
	requireFinal(t, err, collection.ReasonInternal, "holds no record bb at offset 0")
	store.remove("b")
	_, err = wholeRecord(t.Context(), store, ref(0, len(line)))
	requireFinal(t, err, collection.ReasonInternal, "the batch b is gone")
	store.trouble = func(int, string, string) trouble { return trouble{refuse: errOutage} }
	_, err = wholeRecord(t.Context(), store, ref(0, len(line)))
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read the record")
	small := collection.Record{ID: "cc", URL: "u"}
	got, err := wholeRecord(t.Context(), store, small)
	require.NoError(t, err)
	require.Equal(t, small, got, "what is there by value needs no store")
}

// TestWriteLedger: the ledger's part is one line per record, and the same rows again are the same object.
func TestWriteLedger(t *testing.T) {
	store := newShaky()
	in := collection.WriteLedgerInput{Submission: "s1", Source: "books", Number: 3, Rows: []collection.LedgerRow{
		{Line: 1, Key: "k1", Source: "books", RecordResult: collection.RecordResult{Record: "a", Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Attempts: 1}},
		{Line: 2, Key: "k2", Source: "books", RecordResult: collection.RecordResult{Record: "b", Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled}},
	}}
	write := func() (collection.WriteLedgerResult, error) {
		return run(t, &trial{}, (&Batches{Store: store}).WriteLedger, in)
	}
	for range 2 {
		out, err := write()
		require.NoError(t, err)
		require.Equal(t, "ledger/s1/books/00003.jsonl", out.Ledger)
		require.Equal(t, ""+
			`{"line":1,"key":"k1","source":"books","as_of":"2026-03-01T10:00:00Z","record":"a","outcome":"gone","reason":"gone","attempts":1}`+"\n"+
			`{"line":2,"key":"k2","source":"books","as_of":"2026-03-01T10:00:00Z","record":"b","outcome":"cancelled","reason":"cancelled","attempts":0}`+"\n",
			store.text(t, out.Ledger))
	}
	store.trouble = func(int, string, string) trouble { return trouble{refuse: errOutage} }
	_, err := write()
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read the ledger ledger/s1/books/00003.jsonl")
}

// TestWriteLedgerInCalls: rows that are too many for one call come by several, in any order and any number of times.
func TestWriteLedgerInCalls(t *testing.T) {
	row := func(i int, detail string) collection.LedgerRow {
		return collection.LedgerRow{Line: i, AsOf: &accepted, RecordResult: collection.RecordResult{Record: fmt.Sprint(i), Outcome: collection.OutcomeDeadLettered, Detail: detail}}
	}
	store := newShaky()
	write := func(rows ...collection.LedgerRow) {
		in := collection.WriteLedgerInput{Submission: "s1", Source: "books", Number: 1, Part: true, Rows: rows}
		out, err := run(t, &trial{}, (&Batches{Store: store}).WriteLedger, in)
		require.NoError(t, err)
		require.Equal(t, "ledger/s1/books/00001.jsonl", out.Ledger)
	}
	read := func() []collection.LedgerRow {
		return lines[collection.LedgerRow](t, store.text(t, "ledger/s1/books/00001.jsonl"))
	}
	write(row(1, "a"), row(2, "b"))
	write(row(3, "c"))
	write(row(3, "c"))
	write(row(1, "a"), row(2, "b"))
	require.Equal(t, []collection.LedgerRow{row(1, "a"), row(2, "b"), row(3, "c")}, read(), "a late attempt takes nothing away")

	// Another attempt writes between our reading and writing.
	crossed := false
	store.trouble = func(_ int, op, _ string) trouble {
		if op == "Replace" && !crossed {
			crossed = true
			write(row(4, "d"))
		}
		return trouble{}
	}
	write(row(5, "e"))
	require.Equal(t, []collection.LedgerRow{row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d"), row(5, "e")}, read())

	store.trouble = func(int, string, string) trouble { return trouble{refuse: errOutage} }
	_, err := run(t, &trial{}, (&Batches{Store: store}).WriteLedger, collection.WriteLedgerInput{Submission: "s1", Source: "books", Number: 1, Part: true})
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read the ledger ledger/s1/books/00001.jsonl")
}
