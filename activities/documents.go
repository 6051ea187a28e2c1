package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

const (
	typeJSON      = "application/json"
	typeJSONLines = "application/x-ndjson"
	typeGzip      = "application/gzip"
	typeText      = "text/plain; charset=utf-8"
	typeBytes     = "application/octet-stream"
)

// wholeRecord is the record with its URL and fields, read from the batch's object when it is passed by reference.
func wholeRecord(ctx context.Context, store Store, r collection.Record) (collection.Record, error) {
	if r.Stored == nil {
		return r, nil
	}
	line, err := store.GetRange(ctx, *r.Stored)
	if errors.Is(err, collection.ErrObjectMissing) {
		return r, finalf(collection.ReasonInternal, "the batch %s is gone: was it deleted?", r.Stored.Key)
	}
	if err != nil {
		return r, storeFailed(ctx, "read the record", err)
	}
	var whole collection.Record
	if err := json.Unmarshal(line, &whole); err != nil || whole.ID != r.ID {
		return r, finalf(collection.ReasonInternal, "the object %s holds no record %s at offset %d: was the plan changed?",
			r.Stored.Key, r.ID, r.Stored.Offset)
	}
	return whole, nil
}

// keepDocument makes a document small enough for a history, by storing what is too large.
func keepDocument(ctx context.Context, store Store, submission, record string, body []byte) (collection.Document, error) {
	d := collection.Document{SHA256: collection.Digest(body), Size: int64(len(body))}
	if len(body) <= collection.MaxDocumentInline {
		d.Inline = body
		return d, nil
	}
	key := collection.ParsedKey(submission, record, d.SHA256)
	if _, err := store.Create(ctx, key, body, typeJSON); err != nil {
		return d, storeFailed(ctx, "store the parsed document", err)
	}
	d.Stored = &collection.ObjectRange{Key: key}
	return d, nil
}

// wholeDocument is a document's bytes, checked against its digest: what is delivered is what was parsed.
func wholeDocument(ctx context.Context, store Store, d collection.Document) ([]byte, error) {
	body := []byte(d.Inline)
	if d.Stored != nil {
		var err error
		body, err = store.Get(ctx, d.Stored.Key, d.Size)
		if errors.Is(err, collection.ErrObjectMissing) {
			return nil, finalf(collection.ReasonInternal, "the parsed document %s is gone: replay the record", d.Stored.Key)
		}
		if err != nil {
			return nil, storeFailed(ctx, "read the parsed document", err)
		}
	}
	if got := collection.Digest(body); got != d.SHA256 {
		return nil, finalf(collection.ReasonInternal, "the parsed document has SHA-256 %s instead of %s: replay the record", got, d.SHA256)
	}
	return body, nil
}

// confirm asks the bucket what it holds and compares: a delivery that was not confirmed is none.
func confirm(ctx context.Context, a *attempt, store Store, key string, body []byte) error {
	info, err := store.Head(ctx, key)
	if err != nil {
		return storeFailed(ctx, "verify "+key, err)
	}
	want := collection.Digest(body)
	if info.Size != int64(len(body)) || (info.SHA256 != "" && info.SHA256 != want) {
		return a.contested(fmt.Sprintf("%s holds %d bytes with SHA-256 %s instead of %d bytes with %s: somebody else writes it",
			key, info.Size, info.SHA256, len(body), want))
	}
	return nil
}
