// Package storetest states what an object store owes weir, and holds implementations to it: Run checks what every store
// can be asked, RunRemote what only a store behind a network can.
//
// The package knows S3 links only as URLs to fetch, and no implementation at all.
package storetest

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore"
)

// Store keeps objects under keys. Every method may be called at the same time by many callers, and every write may be
// repeated: a write whose answer was lost counts as not answered, not as not done, and Create, Replace and Upload then look
// at what is there.
//
// Errors name the key. An object that is not there is collection.ErrObjectMissing; refused credentials are
// collection.ErrStoreDenied; a write-once object with another content is a *collection.ConflictError; everything else
// may pass with a later attempt. No error holds a credential or a signed URL.
//
// A key means the same object to every store, or it is refused (objectstore.CheckKey): no part of it between slashes is
// empty, "." or "..". A store over a folder, like the embedded one, can besides not hold both a key and keys below it, as
// in "a" and "a/b".
//
// An ObjectInfo that a write returns has no LastModified: only Head, Open and List know it.
type Store interface {
	// Put writes an object, whatever was there before. The store has checked the SHA-256 of what it received. The object
	// has no generation.
	Put(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error)

	// Create writes an object as generation 1 if there is none of that name. If one is there with the same content, that
	// is success as well, and its info is returned; with another content nothing is written and the error is a
	// *collection.ConflictError that says what is there. Of many calls with different contents exactly one succeeds.
	Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error)

	// Replace writes the next generation of an object, if it still is what existing says (by ETag). If it is not, then
	// ours being there already is success, and anything else a *collection.ConflictError with what is there now. The
	// content that is there already makes no new generation. An object of unknown generation counts as its first.
	Replace(ctx context.Context, key string, body []byte, contentType string, existing collection.ObjectInfo) (collection.ObjectInfo, error)

	// Upload is Create for a file: r is read from its start, twice, and must give exactly size bytes, at most 5 GiB. It
	// is not closed.
	Upload(ctx context.Context, key string, r io.ReadSeeker, size int64, contentType string) (collection.ObjectInfo, error)

	// Get reads a whole object. One of more than limit bytes is an *collection.TooLargeError, and is not read.
	Get(ctx context.Context, key string, limit int64) ([]byte, error)

	// GetRange reads exactly the range, of at most objectstore.MaxRange bytes. Length zero means the whole object, and
	// then Offset must be zero. A range that reaches beyond the object is an error, not a shorter answer.
	GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error)

	// Open streams an object; the caller closes it. A stream that ends with io.EOF was complete, and where the store
	// keeps a SHA-256, the content had it.
	Open(ctx context.Context, key string) (io.ReadCloser, collection.ObjectInfo, error)

	// Head asks the store what it keeps under the key. SHA256 is empty where the store keeps no digest of the whole
	// content, as with objects that others have written.
	Head(ctx context.Context, key string) (collection.ObjectInfo, error)

	// Delete removes objects, at most objectstore.MaxDelete of them. One that is not there is no error, so that deleting
	// twice is fine; one that cannot be deleted keeps no other: the error is then a *collection.DeleteError that names it.
	// Keys that mean no object to every store are refused, and then nothing is deleted.
	Delete(ctx context.Context, keys []string) error

	// List walks over the objects whose keys begin with the prefix, in the order of their keys' bytes, however many they
	// are. An error ends it. It knows neither SHA256 nor Generation.
	List(ctx context.Context, prefix string) iter.Seq2[collection.ObjectInfo, error]

	// ListAfter is List of those whose keys come behind after, which need not be there; what lies before it costs nothing.
	// An empty after is List.
	ListAfter(ctx context.Context, prefix, after string) iter.Seq2[collection.ObjectInfo, error]
}

// RemoteStore is a Store behind a network.
type RemoteStore interface {
	Store

	// Check asks the store for its bucket, within 10 s. The error names endpoint and bucket, and says in one sentence
	// what to do.
	Check(ctx context.Context) error

	// PresignGet makes a link that anyone can fetch with a plain GET, for 1 s to 7 days.
	PresignGet(ctx context.Context, key string, expiry time.Duration) (objectstore.Link, error)
}
