package engine

import (
	"errors"

	"go.temporal.io/api/serviceerror"
)

// IsUnknown tells what the engine does not have, or has forgotten after its retention, from what it did not answer. A namespace
// that does not exist is not meant: that is a wrong address.
func IsUnknown(err error) bool {
	var missing *serviceerror.NotFound
	return errors.As(err, &missing)
}
