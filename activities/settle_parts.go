package activities

import (
	"bytes"
	"context"
	"fmt"

	"github.com/klauspost/compress/gzip"
	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/layout"
)

// maxLostCarried bounds a heartbeat. Behind so many lost records a later attempt starts again where the last heartbeat with
// fewer of them was.
const maxLostCarried = 500

// delivered is what the store holds of a delivered record.
type delivered struct {
	body    []byte
	sha256  string
	missing bool
	// again is what the record's workflow has told since, where it delivered this document and the ledger has not heard of it.
	again *collection.RecordResult
}

// partWriter writes the parts of the results. It tells the heartbeat which parts are done, so that a later attempt goes
// on behind them.
//
// The parts of a table cannot be written before all columns are known. So their documents are first staged, as the parts
// that JSON Lines would have, and flush makes the tables of these: of a delivery of many small documents two large reads of
// each part are little beside the one read of each document.
type partWriter struct {
	*settlement
	layout collection.PlannedLayout

	// before is what an earlier attempt has done, passed how many delivered rows have gone by since the start, and read their
	// digest. packed is the digest of the records that are put into parts.
	before collection.SettleProgress
	passed int
	read   string
	packed string

	// buffer holds the documents of the current part, and buffered is how many these are.
	buffer   bytes.Buffer
	zipped   bytes.Buffer
	buffered int
	// written are the parts, staged ones in the case of tables; files are those of the delivery.
	written []collection.ManifestFile
	files   []collection.ManifestFile
	lost    []collection.LostDelivery
}

func newPartWriter(s *settlement) *partWriter {
	w := &partWriter{settlement: s, files: []collection.ManifestFile{}}
	if s.plan.Layout != nil {
		w.layout = *s.plan.Layout
	}
	if w.layout.Records == 0 {
		w.layout.Records = s.settler.PartRecords
	}
	if w.layout.Bytes == 0 {
		w.layout.Bytes = int64(s.settler.PartBytes)
	}
	if earlier := s.attempt.snapshot().Settle; earlier != nil && earlier.Read != "" {
		w.before, w.packed = *earlier, earlier.Packed
		w.written = append(w.written, earlier.Files...)
		w.lost = append(w.lost, earlier.Lost...)
	}
	return w
}

// resumed says whether this attempt goes on behind an earlier one.
func (w *partWriter) resumed() bool { return w.before.Delivered > 0 }

// toSkip is how many of the next delivered rows an earlier attempt has already dealt with.
func (w *partWriter) toSkip() int { return max(w.before.Delivered-w.passed, 0) }

// add puts a delivered record into the current part. A record that the bucket does not hold as it was delivered is
// returned as lost.
func (w *partWriter) add(ctx context.Context, row collection.LedgerRow, d delivered) (*collection.LostDelivery, error) {
	done, err := w.step(row.Record, *row.Delivered)
	if err != nil || done {
		return w.lostBefore(row.Record), err
	}
	lost := compare(row, d)
	if lost == nil && w.layout.IsTable() {
		lost = unreadableDocument(row, d)
	}
	if lost != nil {
		w.lost = append(w.lost, *lost)
		return lost, nil
	}
	w.buffer.Write(d.body)
	w.buffer.WriteByte('\n')
	w.buffered++
	w.packed = packedDigest(w.packed, row)
	if w.buffered >= w.layout.Records || int64(w.buffer.Len()) >= w.layout.Bytes {
		return nil, w.closePart(ctx)
	}
	return nil, nil
}

// wasPassed says whether a row was a delivered one when an earlier attempt found its delivery lost, and told the ledger.
func (w *partWriter) wasPassed(row collection.LedgerRow) bool {
	return row.Lost != nil && w.lostBefore(row.Record) != nil
}

// pass counts such a row as the earlier attempt did, which has told how many delivered rows it has dealt with.
func (w *partWriter) pass(row collection.LedgerRow) error {
	if w.passed >= w.before.Delivered || !w.wasPassed(row) {
		return nil
	}
	_, err := w.step(row.Record, *row.Lost)
	return err
}

// step lets a delivered row go by, and says whether an earlier attempt has dealt with it. At the last one of these it is known
// whether that attempt has read the same rows.
func (w *partWriter) step(record string, d collection.Delivered) (done bool, err error) {
	w.passed++
	w.read = readDigest(w.read, record, d)
	if w.passed == w.before.Delivered && w.read != w.before.Read {
		return true, errOtherLedger
	}
	return w.passed <= w.before.Delivered, nil
}

// records is how many records the files of the delivery hold.
func (w *partWriter) records() int {
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
	if got := d.sha256; got != row.Delivered.SHA256 {
		lost.Reason = collection.ReasonDeliveryConflict
		lost.Detail = fmt.Sprintf("%s has SHA-256 %s instead of the delivered %s", row.Delivered.Key, got, row.Delivered.SHA256)
		return &lost
	}
	return nil
}

// unreadableDocument is a delivered object that no table can show; it is not left out without a word.
func unreadableDocument(row collection.LedgerRow, d delivered) *collection.LostDelivery {
	_, err := layout.Decode(d.body)
	if err == nil {
		return nil
	}
	return &collection.LostDelivery{Record: row.Record, Reason: collection.ReasonDeliveryConflict,
		Detail: fmt.Sprintf("%s was delivered so, but cannot be put into a table: %v", row.Delivered.Key, err)}
}

// flush writes what is left; behind it all files are written.
func (w *partWriter) flush(ctx context.Context) error {
	if w.passed < w.before.Delivered {
		return errOtherLedger
	}
	if err := w.closePart(ctx); err != nil {
		return err
	}
	if w.layout.IsTable() {
		return w.writeTables(ctx)
	}
	w.files = append(w.files[:0], w.written...)
	return nil
}

// closePart writes the current part, if there is anything in it.
func (w *partWriter) closePart(ctx context.Context) error {
	if w.buffered == 0 {
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
	write := w.writePart
	if w.layout.IsTable() {
		write = w.stagePart
	}
	file, err := write(ctx, len(w.written)+1)
	if err != nil {
		return err
	}
	w.written = append(w.written, file)
	w.buffer.Reset()
	w.buffered = 0
	if len(w.lost) <= maxLostCarried {
		w.attempt.update(func(p *collection.AttemptProgress) {
			p.Settle = &collection.SettleProgress{Files: w.written, Delivered: w.passed, Lost: w.lost, Read: w.read, Packed: w.packed}
		})
	}
	activity.RecordHeartbeat(ctx, w.attempt.snapshot())
	return nil
}

// writePart writes the packed documents as the n-th part of the delivery.
func (w *partWriter) writePart(ctx context.Context, n int) (collection.ManifestFile, error) {
	return w.writeFile(ctx, w.partKey(n), typeGzip, w.zipped.Bytes(), w.buffered)
}

// partKey is where the n-th part of the delivery is.
func (w *partWriter) partKey(n int) string {
	return collection.PartKey(w.plan.Customer, w.plan.Submission, w.layout.Layout, w.plan.AcceptedAt, n)
}
