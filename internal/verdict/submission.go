package verdict

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// SubmissionEnd is how a submission's workflow ended.
type SubmissionEnd struct {
	State  collection.State
	Reason collection.Reason
	Detail string
	// Result is there when the submission was settled.
	Result *collection.SubmissionResult
}

// OfSubmission reads the error of a submission's workflow; nil is none. It says false for an error that does not tell how
// the workflow ended, but why nobody could be asked.
func OfSubmission(err error) (SubmissionEnd, bool) {
	var execution *temporal.WorkflowExecutionError
	if !errors.As(err, &execution) {
		return SubmissionEnd{}, false
	}
	var app *temporal.ApplicationError
	var terminated *temporal.TerminatedError
	var cancelled *temporal.CanceledError
	switch {
	case errors.As(err, &app):
		return SubmissionEnd{State: collection.StateFailed, Reason: collection.Reason(app.Type()), Detail: app.Message()}, true
	case errors.As(err, &terminated):
		return SubmissionEnd{
			State: collection.StateFailed, Reason: collection.ReasonTerminated, Detail: "the submission's workflow was terminated",
		}, true
	case errors.As(err, &cancelled):
		var result collection.SubmissionResult
		if cancelled.HasDetails() && cancelled.Details(&result) == nil {
			return SubmissionEnd{State: result.State, Result: &result}, true
		}
		return SubmissionEnd{
			State: collection.StateCancelled, Reason: collection.ReasonCancelled, Detail: "cancelled before anything was collected",
		}, true
	}
	return SubmissionEnd{State: collection.StateFailed, Reason: collection.ReasonInternal, Detail: err.Error()}, true
}
