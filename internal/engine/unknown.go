package engine

import (
	"errors"

	"go.temporal.io/api/serviceerror"
)

// IsUnknown says whether an error is the engine's answer that there is no such thing, or no longer, after its retention; and not
// that it gave no answer. A namespace that does not exist is not meant: that is a wrong address.
func IsUnknown(err error) bool {
	var missing *serviceerror.NotFound
	return errors.As(err, &missing)
}
