package activities

import (
	"context"
	"fmt"
	"runtime/debug"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// safely runs one stage of a record. Its code and its libraries meet bytes from strangers and must not take the worker
// along; and a panic is no fault that a retry heals, since the same bytes meet the same code the next time. The record
// ends, for a person to look at, and the others go on.
func safely[T any](ctx context.Context, stage string, do func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			activity.GetLogger(ctx).Error("the "+stage+" panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = finalf(collection.ReasonInternal, "the %s panicked: %v", stage, p)
		}
	}()
	return do()
}
