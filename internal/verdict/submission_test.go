package verdict

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// endedRun wraps a workflow's failure as the SDK does for who waits for its result.
type endedRun struct{ error }

func (e endedRun) Unwrap() error { return e.error }

func (e endedRun) As(target any) bool {
	into, ok := target.(**temporal.WorkflowExecutionError)
	if ok {
		*into = &temporal.WorkflowExecutionError{}
	}
	return ok
}

func TestOfSubmission(t *testing.T) {
	t.Parallel()
	settled := collection.SubmissionResult{State: collection.StateCancelled, Expected: 3}
	for what, c := range map[string]struct {
		err  error
		want SubmissionEnd
	}{
		"failed": {temporal.NewNonRetryableApplicationError("no plan", string(collection.ReasonUploadMissing), nil),
			SubmissionEnd{State: collection.StateFailed, Reason: collection.ReasonUploadMissing, Detail: "no plan"}},
		"terminated": {&temporal.TerminatedError{},
			SubmissionEnd{State: collection.StateFailed, Reason: collection.ReasonTerminated, Detail: "the submission's workflow was terminated"}},
		"cancelled early": {temporal.NewCanceledError(),
			SubmissionEnd{State: collection.StateCancelled, Reason: collection.ReasonCancelled, Detail: "cancelled before anything was collected"}},
		"cancelled and settled": {temporal.NewCanceledError(settled), SubmissionEnd{State: collection.StateCancelled, Result: &settled}},
		"else":                  {errors.New("odd"), SubmissionEnd{State: collection.StateFailed, Reason: collection.ReasonInternal, Detail: "odd"}},
	} {
		got, told := OfSubmission(endedRun{c.err})
		require.True(t, told, what)
		require.Equal(t, c.want, got, what)
	}
	for _, err := range []error{nil, errors.New("no answer")} {
		_, told := OfSubmission(err)
		require.False(t, told, "nobody has said how it ended")
	}
}
