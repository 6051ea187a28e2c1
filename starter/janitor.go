package starter

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/objectstore"
)

// JanitorNowID names a janitor that a person has asked for, and one that only counts.
func JanitorNowID(dryRun bool) string {
	if dryRun {
		return collection.JanitorScheduleID + "-plan"
	}
	return collection.JanitorScheduleID + "-now"
}

// Tidy runs the janitor and waits for its end. A dry run says what would be deleted.
func (c *Client) Tidy(ctx context.Context, dryRun bool) (collection.JanitorResult, error) {
	var result collection.JanitorResult
	_, err := c.runNow(ctx, JanitorNowID(dryRun), collection.WorkflowJanitor, collection.JanitorInput{DryRun: dryRun}, &result)
	return result, err
}

// LastTidy is the result of the last janitor that deleted; ErrNotFound says that none has ended yet.
func (c *Client) LastTidy(ctx context.Context) (collection.JanitorResult, error) {
	if err := c.contact.Make(ctx); err != nil {
		return collection.JanitorResult{}, err
	}
	last, found, err := engine.Latest(ctx, c.engine, engine.Wanted[collection.JanitorResult]{
		Namespace: c.namespace, Workflow: collection.WorkflowJanitor,
		// Its id does not tell a dry run: any Temporal client may start one under any id.
		Counts: func(r collection.JanitorResult) bool { return !r.DryRun },
	})
	switch {
	case err != nil:
		return collection.JanitorResult{}, err
	case !found:
		return collection.JanitorResult{}, fmt.Errorf("no janitor has ended yet: %w", ErrNotFound)
	}
	return last.Result, nil
}

// OldestOpen is when the oldest submission that is running was started; the zero time if none runs.
func (c *Client) OldestOpen(ctx context.Context) (time.Time, error) {
	var oldest time.Time
	if err := c.contact.Make(ctx); err != nil {
		return oldest, err
	}
	query := engine.OfType(collection.WorkflowSubmission, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING)
	for run, err := range engine.Runs(ctx, c.engine, engine.Search{Namespace: c.namespace, Query: query}) {
		if err != nil {
			return oldest, fmt.Errorf("look for the oldest open submission: %w", err)
		}
		if started := run.GetStartTime().AsTime(); oldest.IsZero() || started.Before(oldest) {
			oldest = started
		}
	}
	return oldest, nil
}

// Expiry is a lifecycle rule of weir's in the bucket.
type Expiry = objectstore.Expiry

// ErrNoLifecycle says that the store knows no lifecycle rules; the janitor does without.
var ErrNoLifecycle = objectstore.ErrNoLifecycle

// LifecycleStore is a Store that can be told to delete by age.
type LifecycleStore interface {
	// Expiries are weir's rules that are in force, and how many rules others have.
	Expiries(ctx context.Context) (ours []Expiry, foreign int, err error)
	// SetExpiries puts weir's rules into force, and leaves all others as they are.
	SetExpiries(ctx context.Context, want []Expiry) error
}

// Lifecycle is the bucket's lifecycle rules.
func (c *Client) Lifecycle() (LifecycleStore, error) {
	if s, ok := c.store.(LifecycleStore); ok {
		return s, nil
	}
	return nil, ErrNoLifecycle
}
