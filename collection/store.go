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

// ErrStoreDenied says that the store knows us not, or not well enough: retrying does not help until a person acts.
var ErrStoreDenied = errors.New("the store denied access")

// ConflictError says that a write-once object exists with another content.
type ConflictError struct {
	// Existing is the object that is there.
	Existing ObjectInfo
	// SHA256 is the digest of what was to be written.
	SHA256 string
}

// Error names the object and both digests.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("object %s exists with another content: it has SHA-256 %s, ours has %s",
		e.Existing.Key, e.Existing.SHA256, e.SHA256)
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
	Body      []byte
	FetchedAt time.Time
	// Duration is the time from sending the request to the last byte of the body.
	Duration time.Duration
}
