package activities

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// lost is the failure of a shipment for what weir's own bucket does not hold as it was settled.
func lost(submission, format string, args ...any) error {
	return finalf(collection.ReasonDeliveryLost, "%w: run weir redeliver %s, which makes it again", fmt.Errorf(format, args...), submission)
}

// notThere is lost for an object that weir's bucket does not hold at all.
func notThere(submission, key string) error {
	return lost(submission, "%s is not in weir's bucket any more", key)
}

// asLost makes lost of a file that weir's bucket does not hold as the manifest lists it; other errors stay as they are.
func asLost(submission string, err error) error {
	var other *notAsListed
	switch {
	case !errors.As(err, &other):
		return err
	case other.got == "":
		return notThere(submission, other.file.Key)
	}
	return lost(submission, "%s in weir's bucket has SHA-256 %s, and the manifest says %s", other.file.Key, other.got, other.file.SHA256)
}

// planGone is the failure of a shipment of which nobody knows any more what it is of.
func planGone(submission string) error {
	return finalf(collection.ReasonInternal, "the plan of submission %s is gone: nothing can be delivered again without it", submission)
}

// loss says of a delivery that is lost by what to settle it again; other errors stay as they are. What has not ended is not
// settled in its midst: a redelivery may be started by anybody, at any time.
func (s *Shipper) loss(ctx context.Context, in collection.ShipInput, err error) error {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != string(collection.ReasonDeliveryLost) {
		return err
	}
	if activity.GetInfo(ctx).WorkflowExecution.ID != in.Submission {
		running, askErr := runs(ctx, s.Engine, in.Submission)
		if askErr != nil {
			return askErr
		}
		if running {
			return finalf(collection.ReasonCommandRefused,
				"submission %s has not ended, and its delivery is not written yet: wait for its end", in.Submission)
		}
	}
	plan, readErr := readPlan(ctx, s.Store, in.Submission)
	if errors.Is(readErr, collection.ErrObjectMissing) {
		readErr = planGone(in.Submission)
	}
	if readErr != nil {
		return readErr
	}
	st, readErr := readStanding(ctx, s.Store, plan)
	if readErr != nil {
		return readErr
	}
	// One of an earlier submission under the same id says nothing of this one.
	stands := st.valid && st.manifest.IsOf(plan)
	loss := collection.ShipLoss{Standing: stands, Cancelled: stands && st.manifest.State == collection.StateCancelled}
	return temporal.NewApplicationErrorWithOptions(app.Message(), app.Type(), temporal.ApplicationErrorOptions{
		NonRetryable: true, Category: temporal.ApplicationErrorCategoryBenign,
		Details: []any{collection.AttemptFailure{Detail: app.Message()}, loss},
	})
}

// runs says whether the engine runs a submission. One that it has forgotten has ended.
func runs(ctx context.Context, engine Describer, submission string) (bool, error) {
	described, err := engine.Describe(ctx, submission, "")
	switch {
	case errors.Is(err, ErrUnknownToEngine):
		return false, nil
	case err != nil && ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		// That may heal.
		return false, fmt.Errorf("ask the engine whether submission %s has ended: %w", submission, err)
	}
	return described.Running, nil
}
