package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// maxDocument bounds what is read of a plan or a manifest.
const maxDocument = 16 << 20

// plan is a submission's plan; ErrNotFound when there is none.
func (c *Client) plan(ctx context.Context, id string) (collection.PlanResult, error) {
	var plan collection.PlanResult
	if err := collection.CheckSubmissionID(id); err != nil {
		return plan, err
	}
	body, err := c.store.Get(ctx, collection.PlanKey(id), maxDocument)
	if errors.Is(err, collection.ErrObjectMissing) {
		return plan, fmt.Errorf("there is no submission %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return plan, fmt.Errorf("read the plan of %s: %w", id, err)
	}
	if err := json.Unmarshal(body, &plan); err != nil {
		return plan, fmt.Errorf("read the plan of %s: %w", id, err)
	}
	return plan, nil
}

// planned is a submission's plan, for those who ask for its rows. A submission without one is not there, or its rows are
// not known yet: ErrNotPlanned tells the second.
func (c *Client) planned(ctx context.Context, id string) (collection.PlanResult, error) {
	plan, missing := c.plan(ctx, id)
	if !errors.Is(missing, ErrNotFound) {
		return plan, missing
	}
	described, err := c.describe(ctx, id)
	switch {
	case engine.IsUnknown(err):
		return plan, missing
	case err != nil:
		return plan, fmt.Errorf("ask for submission %s: %w", id, err)
	case !isSubmission(described):
		return plan, missing
	}
	switch described.GetWorkflowExecutionInfo().GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return plan, fmt.Errorf("submission %s has no plan yet: ask again once its status counts rows: %w", id, ErrNotPlanned)
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return plan, fmt.Errorf("submission %s has ended, and its plan has been deleted since: %w", id, ErrNotFound)
	}
	return plan, fmt.Errorf("submission %s ended without a plan, so none of its rows is known: its status says why: %w", id, ErrNotPlanned)
}

// documentIfThere reads a small JSON document; nil when it is not there.
func documentIfThere[T any](ctx context.Context, store Store, key string, limit int64) (*T, error) {
	body, err := store.Get(ctx, key, limit)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, nil
	}
	var document T
	if err == nil {
		err = json.Unmarshal(body, &document)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return &document, nil
}

// formerError says that the manifest of an id is not that of its plan: ids may be used again once a plan has expired, and
// results may be kept for longer. To whoever asks for the submission's own it is an ErrObjectMissing.
type formerError struct {
	key        string
	acceptedAt time.Time
}

func (e formerError) Error() string {
	return fmt.Sprintf("%s is that of a submission before under the same id, accepted at %s", e.key, e.acceptedAt.Format(time.RFC3339))
}

func (e formerError) Unwrap() error { return collection.ErrObjectMissing }

// unreadError says that the store has not given a manifest, not even a damaged one.
type unreadError struct{ error }

func (e unreadError) Unwrap() error { return e.error }

// manifest is that of the submission that a plan is of; collection.ErrObjectMissing where there is none, though there may be one
// of a submission before.
func (c *Client) manifest(ctx context.Context, plan collection.PlanResult) (collection.Manifest, []byte, error) {
	manifest, body, err := c.anyManifest(ctx, plan.Customer, plan.Submission)
	if err == nil && !manifest.IsOf(plan) {
		err = formerError{collection.ManifestKey(plan.Customer, plan.Submission), manifest.AcceptedAt}
	}
	if err != nil {
		return collection.Manifest{}, nil, err
	}
	return manifest, body, nil
}

// anyManifest is the manifest that an id has, of whichever submission.
func (c *Client) anyManifest(ctx context.Context, customer, id string) (collection.Manifest, []byte, error) {
	var manifest collection.Manifest
	key := collection.ManifestKey(customer, id)
	body, err := c.store.Get(ctx, key, maxDocument)
	if err != nil {
		return manifest, nil, unreadError{fmt.Errorf("read %s: %w", key, err)}
	}
	if err := json.Unmarshal(body, &manifest); err != nil {
		return manifest, nil, fmt.Errorf("read %s: %w", key, err)
	}
	return manifest, body, nil
}
