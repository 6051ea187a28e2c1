package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// final is a failure that no retry can heal: its type is the reason. Like every error that we have shaped it is benign to
// the SDK, which would log each one as an error of the worker's; attempts log their own end.
func final(r collection.Reason, f collection.AttemptFailure, cause error) error {
	f.Detail = collection.Clip(f.Detail, collection.MaxDetail)
	return temporal.NewApplicationErrorWithOptions(f.Detail, string(r), temporal.ApplicationErrorOptions{
		NonRetryable: true, Cause: cause, Details: []any{f}, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// finalf is final for activities that make no requests.
func finalf(r collection.Reason, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return final(r, collection.AttemptFailure{Detail: err.Error()}, errors.Unwrap(err))
}

// transient is a failure that may heal; after is the least wait before the next attempt, zero for the policy's own.
func transient(r collection.Reason, after time.Duration, f collection.AttemptFailure, cause error) error {
	f.Detail = collection.Clip(f.Detail, collection.MaxDetail)
	return temporal.NewApplicationErrorWithOptions(f.Detail, string(r), temporal.ApplicationErrorOptions{
		NextRetryDelay: after, Cause: cause, Details: []any{f}, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// deniedRetry is the wait after the store has refused us: a person must act, so asking every second helps nobody, but the
// work goes on by itself once somebody has.
const deniedRetry = time.Minute

// storeFailed shapes an error of the store. Being cancelled is not a failure of the store.
func storeFailed(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var large *collection.TooLargeError
	if errors.As(err, &large) {
		return finalf(collection.ReasonInternal, "%s: %w", doing, err)
	}
	var after time.Duration
	if errors.Is(err, collection.ErrStoreDenied) {
		after = deniedRetry
	}
	detail := fmt.Errorf("%s: %w", doing, err)
	return transient(collection.ReasonStoreUnavailable, after, collection.AttemptFailure{Detail: detail.Error()}, nil)
}

// unknownHereRetry is about the wait after a worker has found a source that it does not know.
const unknownHereRetry = 10 * time.Second

// around is a wait from half of d up to one and a half times d, by rnd in [0, 1): who was sent away together does not come back
// together.
func around(d time.Duration, rnd float64) time.Duration {
	return (d/2 + time.Duration(float64(d)*rnd)).Round(time.Millisecond)
}

// unknownHere hands a record to another worker: while a configuration is rolled out, some workers know a source and
// others do not, and that must not cost the record its life.
func (a *attempt) unknownHere(source string) error {
	return transient(collection.ReasonLeaseLost, a.around(unknownHereRetry), collection.AttemptFailure{
		Detail: fmt.Sprintf("source %q is not in this worker's configuration; a worker that knows it takes the record", source),
	}, nil)
}

// methodUnknownHere is unknownHere for a source that the worker knows without one of its fetch methods.
func (a *attempt) methodUnknownHere(source, method string) error {
	return transient(collection.ReasonLeaseLost, a.around(unknownHereRetry), collection.AttemptFailure{
		Detail: fmt.Sprintf("source %s has no method %q in this worker's configuration; a worker that knows it takes the record", source, method),
	}, nil)
}

// countDeadLetter counts a record that a stage has failed for good.
func countDeadLetter(m Metrics, source string, err error) {
	var app *temporal.ApplicationError
	if errors.As(err, &app) && app.NonRetryable() {
		m.RecordEnded(source, collection.OutcomeDeadLettered, collection.Reason(app.Type()))
	}
}
