package activities

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
)

// maxRawMeta bounds what is read of what is known of a captured body, in bytes.
const maxRawMeta = 4 << 20

// listing is what is in the store of a submission's records.
type listing struct {
	// delivered are the keys of the delivered objects in the bucket, and raw the digests of each record's latest kept bytes.
	delivered map[string]bool
	raw       map[string]keptBytes
}

type keptBytes struct {
	sha256 string
	at     time.Time
}

// list looks once at what is there at all, since a submission may have many thousands of records of which nothing is.
func (b *books) list(ctx context.Context) error {
	if b.listed != nil {
		return nil
	}
	l := &listing{delivered: map[string]bool{}, raw: map[string]keptBytes{}}
	prefix := collection.DeliveredPrefix(b.plan.Customer, b.plan.Submission)
	for object, err := range b.settler.Store.List(ctx, prefix) {
		if err != nil {
			return storeFailed(ctx, "look for "+prefix, err)
		}
		l.delivered[object.Key] = true
	}
	prefix = rawPrefix(b.plan.Submission)
	for object, err := range b.settler.Store.List(ctx, prefix) {
		if err != nil {
			return storeFailed(ctx, "look for "+prefix, err)
		}
		l.noteRaw(strings.TrimPrefix(object.Key, prefix), object.LastModified)
	}
	b.listed = l
	return nil
}

// noteRaw takes in an object of kept bytes: a record may have been collected several times, and the latest is what was parsed
// last. What is known of the bytes is written behind them, each time.
func (l *listing) noteRaw(name string, at time.Time) {
	record, file, ok := strings.Cut(name, "/")
	sha256, isMeta := strings.CutSuffix(file, rawMetaSuffix)
	if standing, there := l.raw[record]; ok && isMeta && (!there || at.After(standing.at)) {
		l.raw[record] = keptBytes{strings.Clone(sha256), at}
	}
}

// Where the kept bytes of a submission are, and how the name of what is known of them ends.
var rawMetaSuffix = strings.TrimPrefix(collection.RawMetaKey("s", "r", "x"), collection.RawKey("s", "r", "x"))

func rawPrefix(submission string) string {
	return strings.TrimSuffix(collection.RawKey(submission, "", ""), "/")
}

// keptRaw are a record's kept bytes, or nil.
func (b *books) keptRaw(ctx context.Context, record string) (*collection.Raw, error) {
	kept, ok := b.listed.raw[record]
	if !ok {
		return nil, nil
	}
	key := collection.RawMetaKey(b.plan.Submission, record, kept.sha256)
	body, err := b.settler.Store.Get(ctx, key, maxRawMeta)
	if err == nil {
		_, err = b.settler.Store.Head(ctx, collection.RawKey(b.plan.Submission, record, kept.sha256))
	}
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, storeFailed(ctx, "read "+key, err)
	}
	var meta collection.RawMeta
	if json.Unmarshal(body, &meta) != nil || meta.Record.ID != record || meta.Key != collection.RawKey(b.plan.Submission, record, kept.sha256) {
		// Nobody can parse them again without.
		return nil, nil
	}
	if b.isBefore(meta.FetchedAt) && (meta.NotModifiedAt == nil || b.isBefore(*meta.NotModifiedAt)) {
		return nil, nil
	}
	return &meta.Raw, nil
}

// lookFor reads a delivered object.
func (b *books) lookFor(ctx context.Context, key string) (info collection.ObjectInfo, body []byte, err error) {
	if !b.listed.delivered[key] {
		return info, nil, collection.ErrObjectMissing
	}
	if info, err = b.settler.Store.Head(ctx, key); err != nil {
		return info, nil, err
	}
	body, err = b.settler.Store.Get(ctx, key, maxDelivered)
	return info, body, err
}

// isDocumentOf says whether a body is what a delivery of the record writes. Without a ledger nobody knows its digest.
func isDocumentOf(body []byte, source string, r collection.Record) bool {
	var d collection.DeliveredDocument
	return json.Unmarshal(body, &d) == nil && d.Record == r.ID && d.Source == source
}
