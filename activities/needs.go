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

// Fetcher makes one request, and follows where it leads. The observation says what came of it; the response is nil unless
// it was a success.
type Fetcher interface {
	Fetch(ctx context.Context, src collection.Source, rec collection.Record, via collection.Via) (*collection.Response, failure.Observation)
	// Target is the URL that the request would go to. Its error says what is wrong with the record.
	Target(src collection.Source, rec collection.Record) (string, error)
	// Fingerprint tells apart requests to one URL that may be answered differently. Its error says what is wrong with the record.
	Fingerprint(src collection.Source, rec collection.Record) (string, error)
}

// Permits hands out the right to have one request in flight against a source.
type Permits interface {
	// Method is the fetch method that the source is asked by now; empty where it has but one.
	Method(source string) string
	// Acquire waits for a permit, until ctx ends.
	Acquire(ctx context.Context, source string) (*Permit, error)
	// Report tells what a request met; retryAfter is what the target asked for, zero if nothing.
	Report(source string, reason collection.Reason, retryAfter time.Duration)
}

// Robots knows what the robots.txt of a source's hosts say.
type Robots interface {
	// Check says whether a URL may be requested; it may fetch a robots.txt, with a permit of its own, so the caller holds
	// none. A *collection.Refused says no, with the decision filled in.
	Check(ctx context.Context, src collection.Source, url string) (collection.RobotsDecision, error)
	// CheckHop is Check for where a redirect leads, under the permit of the request that was redirected.
	CheckHop(ctx context.Context, src collection.Source, url string, permit *Permit) error
}

// Egresses knows the egresses and how they do.
type Egresses interface {
	// Choose picks an egress for a record, another one than avoid if there is one. It fails when all are retired.
	Choose(src collection.Source, rec collection.Record, avoid string) (string, error)
	// Report tells what a request by an egress met.
	Report(name string, reason collection.Reason)
}

// Memory is what a process has for bodies that are not small.
type Memory interface {
	// Acquire waits until so many bytes are free, until ctx ends; more than there is at all counts as all.
	Acquire(ctx context.Context, bytes int64) (taken int64, err error)
	// Release gives back what was taken.
	Release(taken int64)
}

// Rulebook has every source's compiled parse rules, by fetch method.
type Rulebook interface {
	Rules(source, method string) (*extract.Rules, bool)
}

// Engine reads the results of workflows.
type Engine interface {
	// Result waits for a workflow to end and decodes its result; its error is the workflow's. ErrUnknownToEngine says that there
	// is no such workflow, or no longer.
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
