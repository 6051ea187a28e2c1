package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// Finder reads the results of workflows that ran before: a submission that is run again, or was reset, takes over what
// is already done instead of doing it twice.
type Finder struct {
	Engine Engine
}

// FindRecord waits for a record's workflow to end and returns its result; its failure is the workflow's own.
func (f *Finder) FindRecord(ctx context.Context, in collection.FindInput) (collection.RecordResult, error) {
	var out collection.RecordResult
	err := f.find(ctx, in, &out)
	return out, err
}

// FindBatch waits for a batch's workflow to end and returns its result.
func (f *Finder) FindBatch(ctx context.Context, in collection.FindInput) (collection.BatchResult, error) {
	var out collection.BatchResult
	err := f.find(ctx, in, &out)
	return out, err
}

func (f *Finder) find(ctx context.Context, in collection.FindInput, out any) error {
	a := begin(ctx)
	return a.end(ended(f.Engine.Result(ctx, in.WorkflowID, out)))
}

// ended passes on how another workflow ended as it would have reached its parent: with its reason and its result.
func ended(err error) error {
	if err == nil {
		return nil
	}
	var execution *temporal.WorkflowExecutionError
	if !errors.As(err, &execution) {
		// The engine could not be asked; that may heal.
		return err
	}
	result := verdict.OfRecord("", err)
	return temporal.NewApplicationErrorWithOptions(result.Detail, string(result.Reason), temporal.ApplicationErrorOptions{
		NonRetryable: true, Details: []any{result}, Category: temporal.ApplicationErrorCategoryBenign,
	})
}
