package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// maxSeen bounds what is read of a record's Seen, in bytes.
const maxSeen = 64 << 10

// maxValidator bounds what is kept of an ETag or a Last-Modified, in bytes. Targets send any amount, and a longer one would
// be sent back with every request.
const maxValidator = 1 << 10

// validator is a header that can be sent back, or nothing: without it the whole answer is asked for, which is always right.
func validator(value string) string {
	if len(value) > maxValidator {
		return ""
	}
	return value
}

// known is what a source that is asked conditionally has said of the bytes that are still here; nil where there are none.
// What cannot be used costs one request more, and nothing else.
func (r *collectRun) known(ctx context.Context, src collection.Source, rec collection.Record, got answer) (*collection.Seen, error) {
	if !src.Conditional {
		return nil, nil
	}
	key := collection.SeenKey(src.Name, rec.ID)
	body, err := r.Store.Get(ctx, key, maxSeen)
	var large *collection.TooLargeError
	if errors.Is(err, collection.ErrObjectMissing) || errors.As(err, &large) {
		return nil, nil
	}
	if err != nil {
		return nil, r.storeFailed(ctx, "read "+key, err)
	}
	var seen collection.Seen
	// Another method's bytes are read by other rules, even from the same URL, and other headers may have brought others.
	if json.Unmarshal(body, &seen) != nil || seen.URL != got.target || seen.Raw.Method != got.method || seen.Request != got.fingerprint {
		return nil, nil
	}
	info, err := r.Store.Head(ctx, seen.Raw.Key)
	if errors.Is(err, collection.ErrObjectMissing) || err == nil && !holds(info, seen.Raw) {
		return nil, nil
	}
	if err != nil {
		return nil, r.storeFailed(ctx, "look at "+seen.Raw.Key, err)
	}
	return &seen, nil
}

// holds says whether an object may be the bytes of before; a store need not know their digest.
func holds(info collection.ObjectInfo, raw collection.Raw) bool {
	return info.Size == raw.Size && (info.SHA256 == "" || info.SHA256 == raw.SHA256)
}

// keep stores the response: the body under a name that its content gives it, and what is known of it beside it.
func (r *collectRun) keep(ctx context.Context, rec collection.Record, got answer) (collection.Raw, error) {
	response := got.response
	if response.NotModified {
		return r.keepAgain(ctx, rec, got)
	}
	raw := collection.Raw{
		SHA256: collection.Digest(response.Body), Size: int64(len(response.Body)), URL: response.URL, Status: response.Status,
		ContentType: response.ContentType, FetchedAt: response.FetchedAt.UTC(), Method: got.method, Egress: got.egress,
	}
	raw, err := r.store(ctx, rec, raw, response)
	if err != nil {
		return raw, err
	}
	return raw, r.remember(ctx, rec, got, raw)
}

// keepAgain takes over the bytes that the target says still stand. A submission never depends on what another one keeps.
func (r *collectRun) keepAgain(ctx context.Context, rec collection.Record, got answer) (collection.Raw, error) {
	raw := got.known.Raw
	if raw.Size >= collection.SmallBody {
		if err := r.takeRoom(ctx, raw.Size); err != nil {
			return raw, r.noRoom(ctx, err)
		}
	}
	body, err := r.Store.Get(ctx, raw.Key, raw.Size)
	var large *collection.TooLargeError
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		return raw, r.forget(ctx, rec, raw.Key+" is not there any more")
	case errors.As(err, &large) || err == nil && collection.Digest(body) != raw.SHA256:
		return raw, r.forget(ctx, rec, raw.Key+" holds other bytes than were kept there")
	case err != nil:
		return raw, r.storeFailed(ctx, "read "+raw.Key, err)
	}
	at := got.response.FetchedAt.UTC()
	raw.NotModifiedAt, raw.Method, raw.Egress = &at, got.method, got.egress
	again := *got.response
	again.Body = body
	return r.store(ctx, rec, raw, &again)
}

// forget has the next attempt ask for the whole, without a condition: bytes that the target says still stand are not here. The
// store need not tell by itself that they are others, so what is known of them is overwritten.
func (r *collectRun) forget(ctx context.Context, rec collection.Record, what string) error {
	key := collection.SeenKey(r.src.Name, rec.ID)
	if err := r.put(ctx, key, []byte("{}")); err != nil {
		return r.storeFailed(ctx, "write "+key, err)
	}
	detail := "the target says that nothing has changed, but " + what + "; the whole is asked for again"
	return r.unstored(ctx, transient(collection.ReasonStoreUnavailable, 0, r.failed(detail), nil))
}

func (r *collectRun) store(
	ctx context.Context, rec collection.Record, raw collection.Raw, response *collection.Response,
) (collection.Raw, error) {
	raw.Key = collection.RawKey(r.in.Submission, rec.ID, raw.SHA256)
	err := r.insist(ctx, func() error {
		_, err := r.Store.Create(ctx, raw.Key, response.Body, typeBytes)
		return err
	})
	if err != nil {
		return raw, r.storeFailed(ctx, "store the raw body", err)
	}
	meta, err := json.Marshal(collection.RawMeta{
		Raw: raw, Source: r.src.Name, Record: rec, Header: response.Header, Duration: collection.Duration(response.Duration),
	})
	if err != nil {
		return raw, fmt.Errorf("encode what is known of the raw body: %w", err)
	}
	if err := r.put(ctx, collection.RawMetaKey(r.in.Submission, rec.ID, raw.SHA256), meta); err != nil {
		return raw, r.storeFailed(ctx, "store what is known of the raw body", err)
	}
	return raw, nil
}

func (r *collectRun) put(ctx context.Context, key string, body []byte) error {
	return r.insist(ctx, func() error {
		_, err := r.Store.Put(ctx, key, body, typeJSON)
		return err
	})
}

// noRoom is the end of an attempt for whose body there was no room: the record is tried again, and charged nothing.
func (r *collectRun) noRoom(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return transient(collection.ReasonLeaseLost, r.around(noRoomRetry), r.failed(err.Error()), nil)
}

// remember leaves for the next submission what the target says of these bytes. What the target of a redirect says of its own
// is nothing that the first URL could be asked about.
func (r *collectRun) remember(ctx context.Context, rec collection.Record, got answer, raw collection.Raw) error {
	seen := collection.Seen{
		ETag: validator(got.response.Header["etag"]), LastModified: validator(got.response.Header["last-modified"]),
		URL: got.target, Request: got.fingerprint, Raw: raw,
	}
	if !r.src.Conditional || got.response.URL != got.target || seen.ETag == "" && seen.LastModified == "" {
		return nil
	}
	body, err := json.Marshal(seen)
	if err != nil {
		return fmt.Errorf("encode what the target says of the body: %w", err)
	}
	key := collection.SeenKey(r.src.Name, rec.ID)
	if err := r.put(ctx, key, body); err != nil {
		return r.storeFailed(ctx, "write "+key, err)
	}
	return nil
}
