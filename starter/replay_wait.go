package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// ErrReplayCancelled says that somebody has stopped a replay; what it had done by then is settled.
var ErrReplayCancelled = errors.New("the replay was cancelled")

// WaitReplay follows a replay to its end and returns its result. progress is called with what the replay answers, from
// WaitReplay's own goroutine; it may be nil. An error besides ErrReplayCancelled says why the replay failed, or that the
// engine has not answered for a minute; the result then is what is known of it.
func (c *Client) WaitReplay(ctx context.Context, started ReplayStarted, progress func(collection.ReplayStatus)) (collection.ReplayResult, error) {
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	answered := time.Now()
	for {
		running, err := c.lookAtReplay(ctx, started, progress)
		switch {
		case err == nil && !running:
			var result collection.ReplayResult
			err := c.engine.GetWorkflow(ctx, started.ID, started.RunID).Get(ctx, &result)
			return ofReplay(started, result, err)
		case err == nil:
			answered = time.Now()
		case engine.IsUnknown(err), ctx.Err() == nil && time.Since(answered) > patience:
			return collection.ReplayResult{}, fmt.Errorf("wait for the replay of %s: %w", started.Submission, err)
		}
		select {
		case <-ctx.Done():
			return collection.ReplayResult{}, fmt.Errorf("wait for the replay of %s: %w", started.Submission, ctx.Err())
		case <-ticker.C:
		}
	}
}

// lookAtReplay says whether a replay runs, and shows its progress where a worker tells of it.
func (c *Client) lookAtReplay(ctx context.Context, started ReplayStarted, progress func(collection.ReplayStatus)) (running bool, err error) {
	described, err := c.engine.DescribeWorkflowExecution(ctx, started.ID, started.RunID)
	if err != nil || !isRunning(described) {
		return false, err
	}
	if progress != nil {
		if status, err := c.askReplay(ctx, started.ID, started.RunID); err == nil {
			progress(status)
		}
	}
	return true, nil
}

func ofReplay(started ReplayStarted, result collection.ReplayResult, err error) (collection.ReplayResult, error) {
	var execution *temporal.WorkflowExecutionError
	var app *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	var terminated *temporal.TerminatedError
	switch {
	case err == nil:
		return result, nil
	case !errors.As(err, &execution):
		return result, fmt.Errorf("wait for the replay of %s: %w", started.Submission, err)
	case errors.As(err, &app):
		if app.HasDetails() {
			// A failure without a result is one all the same.
			_ = app.Details(&result)
		}
		if app.Type() == string(collection.ReasonCancelled) {
			return result, fmt.Errorf("%w while it shipped: %s", ErrReplayCancelled, app.Message())
		}
		return result, fmt.Errorf("the replay of %s failed, %s: %s", started.Submission, app.Type(), app.Message())
	case errors.As(err, &cancelled):
		if cancelled.HasDetails() {
			_ = cancelled.Details(&result)
		}
		return result, ErrReplayCancelled
	case errors.As(err, &terminated):
		return result, fmt.Errorf("the replay of %s was terminated: replay it again", started.Submission)
	}
	return result, fmt.Errorf("the replay of %s ended without a result: %w", started.Submission, err)
}
