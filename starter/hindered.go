package starter

import (
	"context"
	"fmt"
	"time"

	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// Hindrance is why a workflow does not get on: a step of it has failed, and is tried again.
type Hindrance struct {
	// Step is the activity, for instance "Ship", and Failed how often it has failed so far.
	Step   string
	Failed int
	// Text is what the last failure said, in one line.
	Text string
	// Again is when the step is tried next; zero while it is being tried.
	Again time.Time
}

// maxHindrance bounds what is told of a failure, in bytes.
const maxHindrance = 500

// Hindered says what keeps a workflow, where a step of it has failed and is to be tried again; of several steps the one that has
// failed most often. It needs no worker. False says that nothing has failed, or that the engine does not know the workflow.
func (c *Client) Hindered(ctx context.Context, workflowID string) (Hindrance, bool, error) {
	described, err := c.describe(ctx, workflowID)
	if engine.IsUnknown(err) {
		return Hindrance{}, false, nil
	}
	if err != nil {
		return Hindrance{}, false, fmt.Errorf("ask what keeps %s: %w", workflowID, err)
	}
	var worst *workflowpb.PendingActivityInfo
	for _, a := range described.GetPendingActivities() {
		if a.GetLastFailure() != nil && (worst == nil || a.GetAttempt() > worst.GetAttempt()) {
			worst = a
		}
	}
	if worst == nil {
		return Hindrance{}, false, nil
	}
	h := Hindrance{
		Step: worst.GetActivityType().GetName(), Failed: int(max(worst.GetAttempt()-1, 1)),
		Text: collection.Clip(worst.GetLastFailure().GetMessage(), maxHindrance),
	}
	if next := worst.GetNextAttemptScheduleTime(); next != nil {
		h.Again = next.AsTime()
	}
	return h, true, nil
}
