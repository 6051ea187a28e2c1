package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/demo"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/starter"
	"github.com/weir-collect/weir/workers"
)

// client is what commands ask: a starter.Client.
type client interface {
	deadLetters
	sweeps
	pastReader
	sampler
	Submit(ctx context.Context, r starter.Request) (starter.Submitted, error)
	Status(ctx context.Context, id string) (collection.SubmissionStatus, error)
	Wait(ctx context.Context, id string, progress func(collection.SubmissionStatus)) (collection.SubmissionStatus, error)
	Record(ctx context.Context, id, name string) (starter.RecordAnswer, error)
	Pages(ctx context.Context, id string, f starter.Filter, from starter.Cursor) iter.Seq2[starter.Page, error]
	Links(ctx context.Context, id string, expiry time.Duration) ([]starter.Link, error)
	Cancel(ctx context.Context, id, reason string) error
	Redeliver(ctx context.Context, id, to string) (collection.RedeliverResult, error)
	Sources(ctx context.Context) ([]lease.SourceView, error)
	Egresses(ctx context.Context) ([]lease.EgressView, error)
	Unattended(ctx context.Context, workflowID string, roles ...collection.Role) ([]collection.Role, error)
	Hindered(ctx context.Context, workflowID string) (starter.Hindrance, bool, error)
	Command(ctx context.Context, update string, in collection.SourceCommand) (lease.SourceView, error)
	Close()
}

// running is a stack that runs: a *stack.Stack.
type running interface {
	Done() <-chan struct{}
	Err() error
	Stop(ctx context.Context) error
}

// edges are where the program leaves its own process.
type edges struct {
	dial  func(ctx context.Context, cfg config.Config, secrets connect.Secrets, logger *slog.Logger) (client, error)
	work  func(ctx context.Context, o workers.Options) error
	stack func(ctx context.Context, o stack.Options) (running, stackAddresses, error)
	demo  func(ctx context.Context, o demo.Options) error
	// checkTime bounds every check of the doctor; zero means the 20 s that its help promises.
	checkTime time.Duration
}

func realEdges() edges {
	return edges{
		dial: func(ctx context.Context, cfg config.Config, secrets connect.Secrets, logger *slog.Logger) (client, error) {
			c, err := starter.Dial(ctx, cfg, secrets, logger)
			if err != nil {
				return nil, err
			}
			return c, nil
		},
		work: workers.Run,
		stack: func(ctx context.Context, o stack.Options) (running, stackAddresses, error) {
			s, err := stack.Start(ctx, o)
			if err != nil {
				return nil, stackAddresses{}, err
			}
			return s, stackAddresses{
				Temporal: s.Temporal, Namespace: s.Namespace, Web: s.Web, S3: s.S3, Bucket: s.Bucket, Region: s.Region, Data: s.Data,
			}, nil
		},
		demo: demo.Run,
	}
}

// explainMissing tells a submission that has no plan yet from one that is not there: what is asked of the plan finds neither.
func explainMissing(ctx context.Context, c client, id string, err error) error {
	if !errors.Is(err, starter.ErrNotFound) {
		return err
	}
	status, statusErr := c.Status(ctx, id)
	if statusErr != nil || status.Expected > 0 {
		return err
	}
	return fmt.Errorf("submission %s is %s and has no plan, so none of its rows is known: see weir status %s: %w",
		id, status.State, id, starter.ErrNotFound)
}
