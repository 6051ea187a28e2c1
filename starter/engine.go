package starter

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/connect"
)

// engineTimeout is how long the engine may take to describe a workflow, the first contact included: a person waits for it.
const engineTimeout = 5 * time.Second

// NoEngineError says that Temporal cannot be reached: what it would have said is not known.
type NoEngineError = connect.NoEngineError

// describe asks the engine about the latest run of a workflow; it needs no worker. An engine that does not answer is a
// *NoEngineError.
func (c *Client) describe(ctx context.Context, workflowID string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	ask, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if err := c.contact.Make(ask); err != nil {
		return nil, err
	}
	described, err := c.engine.DescribeWorkflowExecution(ask, workflowID, "")
	if err != nil && ctx.Err() == nil && connect.EngineLost(err) {
		err = &NoEngineError{Cause: err}
		c.contact.Lose(err)
	}
	return described, err
}

// silentEngine is the error behind another that says that the engine does not answer; nil for any other, and where the asking
// was broken off.
func silentEngine(ctx context.Context, err error) *NoEngineError {
	var silent *NoEngineError
	if ctx.Err() != nil || !errors.As(err, &silent) {
		return nil
	}
	return silent
}

// silentStore says whether an error is that of a store that does not answer.
func silentStore(ctx context.Context, err error) bool {
	return ctx.Err() == nil && silentEngine(ctx, err) == nil && connect.StoreLost(err)
}

// Notes on an answer that one side gave alone.
const (
	byStoreAlone  = "; this is what the bucket says"
	byEngineAlone = "the bucket does not answer; this is what Temporal says"
)

func typeOf(d *workflowservice.DescribeWorkflowExecutionResponse) string {
	return d.GetWorkflowExecutionInfo().GetType().GetName()
}

func isSubmission(d *workflowservice.DescribeWorkflowExecutionResponse) bool {
	return typeOf(d) == collection.WorkflowSubmission
}
