package workflows

import (
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/internal/verdict"
)

// withReason is the failure of a workflow that cannot go on without an activity: the activity's reason is its type, so
// that whoever reads the failure need not look for it in a chain of causes. A cancellation stays one.
func withReason(what string, err error) error {
	if temporal.IsCanceledError(err) {
		return err
	}
	f := verdict.OfActivity(err)
	return temporal.NewNonRetryableApplicationError(what+": "+f.Detail, string(f.Reason), nil)
}
