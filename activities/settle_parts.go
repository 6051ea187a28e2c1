package activities

import (
	"bytes"
	"context"
	"fmt"

	"github.com/klauspost/compress/gzip"
	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// maxLostCarried bounds a heartbeat. Behind so many lost records a later attempt starts again where the last heartbeat with
// fewer of them was.
const maxLostCarried = 500

// delivered is what the store holds of a delivered record.
type delivered struct {
	body    []byte
	missing bool
}

// partWriter writes the parts of the results. It tells the heartbeat which parts are done, so that a later attempt goes
// on behind them.
type partWriter struct {
	settler *Settler
	attempt *attempt
	plan    collection.PlanResult

	// before is what an earlier attempt has done, and passed how many delivered rows have gone by since the start.
	before collection.SettleProgress
	passed int

	buffer  bytes.Buffer
	zipped  bytes.Buffer
	records int
	files   []collection.ManifestFile
	lost    []collection.LostDelivery
}

func newPartWriter(s *Settler, a *attempt, plan collection.PlanResult) *partWriter {
	w := &partWriter{settler: s, attempt: a, plan: plan, files: []collection.ManifestFile{}}
	if earlier := a.snapshot().Settle; earlier != nil {
		w.before = *earlier
		w.files = append(w.files, earlier.Files...)
		w.lost = append(w.lost, earlier.Lost...)
	}
	return w
}

// toSkip is how many of the next delivered rows an earlier attempt has already dealt with.
func (w *partWriter) toSkip() int { return max(w.before.Delivered-w.passed, 0) }

// add puts a delivered record into the current part. A record that the destination does not hold as it was delivered is
// returned as lost.
func (w *partWriter) add(ctx context.Context, row collection.LedgerRow, d delivered) (*collection.LostDelivery, error) {
	w.passed++
	if w.passed <= w.before.Delivered {
		return w.lostBefore(row.Record), nil
	}
	if lost := compare(row, d); lost != nil {
		w.lost = append(w.lost, *lost)
		return lost, nil
	}
	w.buffer.Write(d.body)
	w.buffer.WriteByte('\n')
	w.records++
	if w.records >= w.settler.PartRecords || w.buffer.Len() >= w.settler.PartBytes {
		return nil, w.flush(ctx)
	}
	return nil, nil
}

// packed is how many records the parts hold that are written.
func (w *partWriter) packed() int {
	n := 0
	for _, f := range w.files {
		n += f.Records
	}
	return n
}

func (w *partWriter) lostBefore(record string) *collection.LostDelivery {
	for i := range w.before.Lost {
		if w.before.Lost[i].Record == record {
			return &w.before.Lost[i]
		}
	}
	return nil
}

func compare(row collection.LedgerRow, d delivered) *collection.LostDelivery {
	lost := collection.LostDelivery{Record: row.Record}
	if d.missing {
		lost.Reason = collection.ReasonDeliveryLost
		lost.Detail = fmt.Sprintf("delivered and verified at %s, but %s is not there any more",
			row.Delivered.VerifiedAt.Format("2006-01-02T15:04:05Z"), row.Delivered.Key)
		return &lost
	}
	if got := digest(d.body); got != row.Delivered.SHA256 {
		lost.Reason = collection.ReasonDeliveryConflict
		lost.Detail = fmt.Sprintf("%s has SHA-256 %s instead of the delivered %s", row.Delivered.Key, got, row.Delivered.SHA256)
		return &lost
	}
	return nil
}

// flush writes the current part, if there is anything in it.
func (w *partWriter) flush(ctx context.Context) error {
	if w.records == 0 {
		return nil
	}
	// The header carries no name and no time: the same records are the same bytes.
	w.zipped.Reset()
	packer := gzip.NewWriter(&w.zipped)
	if _, err := packer.Write(w.buffer.Bytes()); err != nil {
		return fmt.Errorf("compress the results: %w", err)
	}
	if err := packer.Close(); err != nil {
		return fmt.Errorf("compress the results: %w", err)
	}
	key := collection.ResultsKey(w.plan.Customer, w.plan.Submission, len(w.files)+1)
	file, err := w.settler.writeFile(ctx, w.attempt, key, typeGzip, w.zipped.Bytes(), w.records)
	if err != nil {
		return err
	}
	w.files = append(w.files, file)
	w.buffer.Reset()
	w.records = 0
	if len(w.lost) <= maxLostCarried {
		w.attempt.update(func(p *collection.AttemptProgress) {
			p.Settle = &collection.SettleProgress{Files: w.files, Delivered: w.passed, Lost: w.lost}
		})
	}
	activity.RecordHeartbeat(ctx, w.attempt.snapshot())
	return nil
}
