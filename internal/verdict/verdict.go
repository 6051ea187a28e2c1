package verdict

import (
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// Failure is what a failed activity told: a reason, and what a person should know.
type Failure struct {
	Reason collection.Reason
	collection.AttemptFailure
}

// OfActivity reads the reason out of an activity's error. An error that no activity of weir's has shaped is internal: it
// is never taken for a fact about the target.
func OfActivity(err error) Failure {
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) && timeout.TimeoutType() == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE {
		return ofTimeOver(timeout)
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return ofApplication(app)
	}
	var activity *temporal.ActivityError
	if errors.As(err, &activity) && activity.Unwrap() != nil {
		// What it adds is about the worker, not about the record.
		err = activity.Unwrap()
	}
	return Failure{Reason: collection.ReasonInternal, AttemptFailure: collection.AttemptFailure{Detail: clip(err.Error())}}
}

// ofTimeOver is the end of an activity that had no time left for another attempt. The engine hands on what the last one failed with,
// which was to be tried again and so ends nothing.
func ofTimeOver(timeout *temporal.TimeoutError) Failure {
	f := Failure{Reason: collection.ReasonExpired, AttemptFailure: collection.AttemptFailure{Detail: timeout.Error()}}
	var app *temporal.ApplicationError
	if errors.As(timeout, &app) {
		last := ofApplication(app)
		f.AttemptFailure = last.AttemptFailure
		f.Detail = fmt.Sprintf("%s (last met: %s)", last.Detail, last.Reason)
	}
	f.Detail = clip(f.Detail)
	return f
}

func ofApplication(app *temporal.ApplicationError) Failure {
	f := Failure{Reason: collection.Reason(app.Type())}
	if !app.HasDetails() || app.Details(&f.AttemptFailure) != nil || f.Detail == "" {
		f.Detail = app.Message()
	}
	if !failure.Known(f.Reason) {
		f.Reason = collection.ReasonInternal
		f.Detail = app.Message()
		if app.Type() != "" {
			f.Detail = app.Type() + ": " + f.Detail
		}
	}
	f.Detail = clip(f.Detail)
	return f
}

// OfRecord turns the error of a record's workflow into the record's result.
func OfRecord(record string, err error) collection.RecordResult {
	result := collection.RecordResult{Record: record}
	var app *temporal.ApplicationError
	var terminated *temporal.TerminatedError
	var cancelled *temporal.CanceledError
	switch {
	case errors.As(err, &app):
		if app.HasDetails() && app.Details(&result) == nil && result.Outcome != "" {
			return result
		}
		f := ofApplication(app)
		result = collection.RecordResult{
			Record: record, Outcome: collection.OutcomeDeadLettered, Reason: f.Reason, Detail: f.Detail,
		}
	case errors.As(err, &terminated):
		result.Outcome, result.Reason = collection.OutcomeCancelled, collection.ReasonTerminated
		result.Detail = "the record's workflow was terminated"
	case errors.As(err, &cancelled):
		if cancelled.HasDetails() && cancelled.Details(&result) != nil {
			result = collection.RecordResult{}
		}
		result.Record, result.Outcome, result.Reason = record, collection.OutcomeCancelled, collection.ReasonCancelled
	default:
		result.Outcome, result.Reason = collection.OutcomeDeadLettered, collection.ReasonInternal
		result.Detail = clip(err.Error())
	}
	return result
}

func clip(s string) string { return collection.Clip(s, collection.MaxDetail) }
