package connect

import (
	"context"
	"errors"
	"fmt"
	"net"

	"go.temporal.io/api/serviceerror"
)

// NoEngineError says that Temporal cannot be reached. What it would have said is not known.
type NoEngineError struct {
	// Address is where it was looked for; empty where only the client knows.
	Address string
	Cause   error
}

func (e *NoEngineError) Error() string {
	return fmt.Sprintf("%s: is it running, and is temporal.address right? (%v)", e.Short(), e.Cause)
}

// Short is the fact alone, without what to do about it.
func (e *NoEngineError) Short() string {
	if e.Address == "" {
		return "Temporal does not answer"
	}
	return "Temporal does not answer at " + e.Address
}

func (e *NoEngineError) Unwrap() error { return e.Cause }

// EngineLost tells a Temporal that does not answer from one that answers with an error.
func EngineLost(err error) bool {
	var (
		away *serviceerror.Unavailable
		late *serviceerror.DeadlineExceeded
		told *NoEngineError
	)
	return errors.As(err, &told) || errors.As(err, &away) || errors.As(err, &late) || errors.Is(err, context.DeadlineExceeded)
}

// StoreLost tells a store that does not answer from one that answers with an error.
func StoreLost(err error) bool {
	var broken net.Error
	return errors.As(err, &broken)
}
