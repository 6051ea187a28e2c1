package collection

import (
	"errors"
	"fmt"
	"time"
)

// ObjectInfo is what a store says of an object.
type ObjectInfo struct {
	Key  string
	Size int64
	// SHA256 is the hex digest that the store keeps and has itself verified; empty where it keeps none.
	SHA256 string
	// ETag names the object's content for conditional writes.
	ETag string
	// Generation counts the different contents of a write-once object, from 1; zero where nothing says.
	Generation   int
	LastModified time.Time
}

// ErrObjectMissing says that there is no object of that name.
var ErrObjectMissing = errors.New("no such object")

// ErrUnclearKey says that a key may name another object than the one that it seems to name, so that no store is asked for it.
var ErrUnclearKey = errors.New("the key is not clear")

// ErrStoreDenied says that the store knows us not, or not well enough: retrying does not help until a person acts.
var ErrStoreDenied = errors.New("the store denied access")

// ConflictError says that a write-once object exists with another content.
type ConflictError struct {
	// Existing is the object that is there.
	Existing ObjectInfo
	// SHA256 is the digest of what was to be written.
	SHA256 string
}

// Error names the object and both contents.
func (e *ConflictError) Error() string {
	existing := "SHA-256 " + e.Existing.SHA256
	if e.Existing.SHA256 == "" {
		existing = fmt.Sprintf("%d bytes of unknown SHA-256", e.Existing.Size)
	}
	return fmt.Sprintf("object %s exists with another content: it has %s, ours has SHA-256 %s", e.Existing.Key, existing, e.SHA256)
}

// TooLargeError says that an object is larger than what its reader wanted to hold in memory.
type TooLargeError struct {
	Key string
	// Size is the object's size in bytes; Limit is what was allowed.
	Size, Limit int64
}

// Error names the object and both sizes.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("object %s has %d bytes, more than the %d that may be read at once", e.Key, e.Size, e.Limit)
}

// Response is a captured answer of a target.
type Response struct {
	// URL is where the body came from, after redirects.
	URL         string
	Status      int
	ContentType string
	// Header holds the response's header, with lower-case names; only the first value of each.
	Header map[string]string
	// Body is the body after content decoding.
	Body []byte
	// NotModified says that the bytes that were here before still stand (Status 304); there is no body.
	NotModified bool
	FetchedAt   time.Time
	// Duration is the time from sending the request to the last byte of the body.
	Duration time.Duration
}
