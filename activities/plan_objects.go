package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

const (
	// maxBatchBytes closes a batch of large records early, so that no batch is large in memory.
	maxBatchBytes = 4 << 20
	// rejectedPart is how many rejected rows go into one object.
	rejectedPart = 10_000
)

// batchWriter writes one source's batches.
type batchWriter struct {
	store      Store
	submission string
	source     string
	limit      int

	buffer  bytes.Buffer
	pending int
	records int
	done    []collection.BatchPlan
	// index says in which batch each record is.
	index []collection.IndexEntry
}

func (b *batchWriter) add(ctx context.Context, r collection.Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the record of line %d: %w", r.Line, err)
	}
	b.buffer.Write(line)
	b.buffer.WriteByte('\n')
	b.pending++
	b.records++
	b.index = append(b.index, collection.IndexEntry{Record: r.ID, Batch: len(b.done) + 1})
	if b.pending == b.limit || b.buffer.Len() >= maxBatchBytes {
		return b.flush(ctx)
	}
	return nil
}

func (b *batchWriter) flush(ctx context.Context) error {
	if b.pending == 0 {
		return nil
	}
	n := len(b.done) + 1
	key := collection.BatchKey(b.submission, b.source, n)
	if _, err := b.store.Put(ctx, key, b.buffer.Bytes(), typeJSONLines); err != nil {
		return storeFailed(ctx, "store batch "+key, err)
	}
	b.done = append(b.done, collection.BatchPlan{Number: n, Records: b.pending})
	b.pending = 0
	b.buffer.Reset()
	return nil
}

// rejectedWriter writes the rows that do not become records.
type rejectedWriter struct {
	store      Store
	submission string

	buffer  bytes.Buffer
	pending int
	parts   int
	tally   collection.Tally
}

func (w *rejectedWriter) add(ctx context.Context, row collection.FailureRow) error {
	line, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("encode the rejection of line %d: %w", row.Line, err)
	}
	w.buffer.Write(line)
	w.buffer.WriteByte('\n')
	w.pending++
	w.tally.Add(row.Outcome, row.Reason, 1)
	if w.pending == rejectedPart {
		return w.flush(ctx)
	}
	return nil
}

func (w *rejectedWriter) flush(ctx context.Context) error {
	if w.pending == 0 {
		return nil
	}
	w.parts++
	key := collection.RejectedKey(w.submission, w.parts)
	if _, err := w.store.Put(ctx, key, w.buffer.Bytes(), typeJSONLines); err != nil {
		return storeFailed(ctx, "store the rejected rows "+key, err)
	}
	w.pending = 0
	w.buffer.Reset()
	return nil
}
