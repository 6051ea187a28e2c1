package collection

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// IndexKey is where a submission's records are in its plan and ledger: entries of IndexEntrySize bytes, sorted by record,
// so that one small read finds the batch of a record however many there are.
func IndexKey(submission string) string { return fmt.Sprintf("plans/%s/index.bin", submission) }

const (
	indexID = recordIDLength / 2
	// IndexEntrySize is the size of one entry in bytes: the record's id, the source's place in the plan from 0, and the
	// batch's number, each of the numbers in two bytes, the high one first.
	IndexEntrySize = indexID + 4
)

// IndexEntry says in which batch a record is.
type IndexEntry struct {
	Record string
	// Source is the source's place in the plan's sources, from 0.
	Source int
	// Batch is the batch's number within the source, from 1.
	Batch int
}

// EncodeIndex is the content of an index.
func EncodeIndex(entries []IndexEntry) ([]byte, error) {
	rows := make([][IndexEntrySize]byte, len(entries))
	for i, e := range entries {
		id, err := hex.DecodeString(e.Record)
		if err != nil || len(id) != indexID {
			return nil, fmt.Errorf("record id %q cannot stand in an index: it has another form", e.Record)
		}
		if e.Source < 0 || e.Source > math.MaxUint16 || e.Batch < 1 || e.Batch > math.MaxUint16 {
			return nil, fmt.Errorf("record %s is in batch %d of source %d: an index holds up to %d", e.Record, e.Batch, e.Source, math.MaxUint16)
		}
		copy(rows[i][:], id)
		binary.BigEndian.PutUint16(rows[i][indexID:], uint16(e.Source))
		binary.BigEndian.PutUint16(rows[i][indexID+2:], uint16(e.Batch))
	}
	slices.SortFunc(rows, func(a, b [IndexEntrySize]byte) int { return bytes.Compare(a[:], b[:]) })
	out := make([]byte, 0, len(rows)*IndexEntrySize)
	for _, row := range rows {
		out = append(out, row[:]...)
	}
	return out, nil
}

// indexMargin is how far from its expected place a record is looked for, in standard deviations: an id is a digest, so that
// ids are spread evenly, and one in two million is farther off.
const indexMargin = 5

// IndexWindow is which of n entries hold a record, if it is where a digest is expected: from, and behind the last.
func IndexWindow(n int, record string) (from, to int) {
	id, err := hex.DecodeString(record)
	if err != nil || len(id) != indexID {
		return 0, 0
	}
	place := float64(binary.BigEndian.Uint64(id)) / math.Exp2(64) * float64(n)
	half := indexMargin*math.Sqrt(float64(n))/2 + 32
	return max(int(place-half), 0), min(int(place+half)+1, n)
}

// FindInIndex looks for a record in some entries of an index. Without one, sure says that it is in none of the others
// either, as far as these tell: first and last say that the entries are the index's first and last ones.
func FindInIndex(entries []byte, record string, first, last bool) (found IndexEntry, ok, sure bool) {
	id, err := hex.DecodeString(record)
	if err != nil || len(id) != indexID {
		return IndexEntry{}, false, true
	}
	n := len(entries) / IndexEntrySize
	at := func(i int) []byte { return entries[i*IndexEntrySize : (i+1)*IndexEntrySize] }
	low, high := 0, n
	for low < high {
		middle := int(uint(low+high) >> 1)
		if bytes.Compare(at(middle)[:indexID], id) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < n && bytes.Equal(at(low)[:indexID], id) {
		row := at(low)
		return IndexEntry{
			Record: record, Source: int(binary.BigEndian.Uint16(row[indexID:])), Batch: int(binary.BigEndian.Uint16(row[indexID+2:])),
		}, true, true
	}
	return IndexEntry{}, false, (low > 0 || first) && (low < n || last)
}
