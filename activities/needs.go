package activities

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/failure"
)

// Store is where everything is kept. Missing objects are collection.ErrObjectMissing; a write-once object with another
// content is a *collection.ConflictError.
type Store interface {
	// Put writes an object, whatever was there.
	Put(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error)
	// Create writes an object once. The same content again is success.
	Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error)
	// Replace writes the next generation of an object, if it still is as existing says.
	Replace(ctx context.Context, key string, body []byte, contentType string, existing collection.ObjectInfo) (collection.ObjectInfo, error)
	// Get reads an object of at most limit bytes.
	Get(ctx context.Context, key string, limit int64) ([]byte, error)
	GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error)
	// Open reads an object as a stream.
	Open(ctx context.Context, key string) (io.ReadCloser, collection.ObjectInfo, error)
	// List names the objects whose keys begin with a prefix.
	List(ctx context.Context, prefix string) iter.Seq2[collection.ObjectInfo, error]
	// Head asks what the store itself knows of an object.
	Head(ctx context.Context, key string) (collection.ObjectInfo, error)
}

// Directory knows the configured sources and customers.
type Directory interface {
	Source(name string) (collection.Source, bool)
	SourceForHost(host string) (collection.Source, bool)
	Customer(name string) (collection.Customer, bool)
}

// Fetcher makes one request. The observation says what came of it; the response is nil unless it was a success.
type Fetcher interface {
	Fetch(ctx context.Context, src collection.Source, rec collection.Record) (*collection.Response, failure.Observation)
}

// Permits hands out the right to have one request in flight against a source.
type Permits interface {
	// Acquire waits for a permit, until ctx ends. The permit is a context that ends when the right is lost; it does not
	// end with ctx. release gives the right back and may be called more than once.
	Acquire(ctx context.Context, source string) (permit context.Context, release func(), err error)
	// Report tells what a request met; retryAfter is what the target asked for, zero if nothing.
	Report(source string, reason collection.Reason, retryAfter time.Duration)
}

// Rulebook has every source's compiled parse rules.
type Rulebook interface {
	Rules(source string) (*extract.Rules, bool)
}

// Engine reads the results of workflows.
type Engine interface {
	// Result waits for a workflow to end and decodes its result; its error is the workflow's.
	Result(ctx context.Context, workflowID string, into any) error
}

// Metrics takes in what the activities see.
type Metrics interface {
	RecordEnded(source string, o collection.Outcome, r collection.Reason)
	StartWait(customer string, d time.Duration)
	Request(source string, r collection.Reason, d time.Duration, bytes int64)
	Delivered(customer string, bytes int64, lag time.Duration)
}

// Clock tells the time. It is an argument so that tests can set it.
type Clock func() time.Time
