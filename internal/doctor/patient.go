package doctor

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore"
)

// Engine is a connection to Temporal.
type Engine struct {
	Service   workflowservice.WorkflowServiceClient
	Operator  operatorservice.OperatorServiceClient
	Address   string
	Namespace string
	// Table asks the owner of the ceilings for its table, which a worker has to answer; none where the owner has never run.
	Table func(ctx context.Context) ([]lease.SourceView, error)
}

// Bucket is what the checks do with a bucket.
type Bucket interface {
	Check(ctx context.Context) error
	Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error)
	Replace(ctx context.Context, key string, body []byte, contentType string, existing collection.ObjectInfo) (collection.ObjectInfo, error)
	Head(ctx context.Context, key string) (collection.ObjectInfo, error)
	Delete(ctx context.Context, keys []string) error
	Expiries(ctx context.Context) (ours []objectstore.Expiry, foreign int, err error)
}

// Patient is who is looked at.
type Patient struct {
	Config config.Config
	// Secret reads what a reference names; what it returns is looked at and forgotten.
	Secret func(reference string) (string, error)
	Dial   func(ctx context.Context) (*Engine, error)
	// Open opens the bucket and sends nothing. Skew is how far the store's clock was ahead of ours at its last answer, to a
	// second; false before any.
	Open func(ctx context.Context) (b Bucket, skew func() (time.Duration, bool), err error)
	Now  func() time.Time
	// Unique gives a text that nobody has been given before, for the names of what is written.
	Unique func() string
}

// exam is a patient, and connections that its checks share.
type exam struct {
	Patient
	engine func() (*Engine, error)
	bucket func() (bucketAnswer, error)
}

type bucketAnswer struct {
	Bucket
	skew func() (time.Duration, bool)
}

// dialTimeout bounds the first contact with either.
const dialTimeout = 10 * time.Second

// Checks are all checks of a patient. ctx bounds the connections that they share.
func Checks(ctx context.Context, p Patient) []Check {
	x := &exam{Patient: p}
	x.engine = sync.OnceValues(func() (*Engine, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		return p.Dial(ctx)
	})
	x.bucket = sync.OnceValues(func() (bucketAnswer, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		bucket, skew, err := p.Open(ctx)
		if err == nil {
			err = bucket.Check(ctx)
		}
		return bucketAnswer{bucket, skew}, err
	})
	return []Check{
		{"config", "that sources and customers are configured", x.config},
		{"secrets", "that every secret that is referred to can be read", x.secrets},
		{"user-agent", "that sites can address and reach whoever runs this", x.userAgent},
		{"temporal", "that Temporal answers, and its version", x.withEngine(true, temporal)},
		{"namespace", "the namespace and its retention", x.withEngine(false, namespace)},
		{"search-attributes", "that they exist, with their types", x.withEngine(false, attributes)},
		{"partitions", "that source queues have one matching partition", x.withEngine(false, x.partitions)},
		{"fairness", "that customers take turns, measured", x.withEngine(false, x.fairness)},
		{"workers", "that every queue is polled, and that workers still answer", x.withEngine(false, x.workers)},
		{"owner", "that the owner of the ceilings runs, and who has leases", x.withEngine(false, x.owner)},
		{"bucket", "that the bucket is there and lets us in", x.reachable},
		{"conditional-writes", "that the bucket refuses to overwrite, tried", x.withBucket(x.conditionalWrites)},
		{"checksums", "that the bucket keeps SHA-256 checksums, tried", x.withBucket(x.checksums)},
		{"lifecycle", "whether the bucket can expire objects as well", x.withBucket(lifecycle)},
		{"clocks", "how far Temporal's and the bucket's are from ours", x.clocks},
	}
}

// withEngine gives a check the connection; only the first of them says that there is none.
func (x *exam) withEngine(first bool, look func(context.Context, *Engine) []Finding) func(context.Context) []Finding {
	return func(ctx context.Context) []Finding {
		engine, err := x.engine()
		switch {
		case err != nil && first:
			return []Finding{fail(err.Error(), "mend this first: nothing that needs Temporal could be looked at")}
		case err != nil:
			return skipped("Temporal could not be asked: see temporal")
		}
		return look(ctx, engine)
	}
}

func (x *exam) withBucket(look func(context.Context, Bucket) []Finding) func(context.Context) []Finding {
	return func(ctx context.Context) []Finding {
		bucket, err := x.bucket()
		if err != nil {
			return skipped("the bucket could not be asked: see bucket")
		}
		return look(ctx, bucket)
	}
}
