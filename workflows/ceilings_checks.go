package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// What the checks here refuse leaves no event: the history has every command that was carried out, and nonsense, or a
// worker that repeats it, cannot fill it. The handlers of the updates run right after them, on the same table.

// longestNote bounds what an operator writes, in bytes: the table keeps it, and hands it from run to run.
const longestNote = 1000

func checkLease(in LeaseInput) error {
	switch {
	case in.Request.Worker == "":
		return refused(errors.New("lease: the request has no worker: give the process a name that no other ever has"))
	case in.Request.Sequence < 1 && !in.Release:
		return refused(fmt.Errorf("lease of %s: request %d: number the requests from 1", in.Request.Worker, in.Request.Sequence))
	}
	return nil
}

// checkConfigure tries a configuration on an empty table: what is wrong with it does not depend on what the table holds.
func checkConfigure(in ConfigureInput) error {
	if in.Config == "" {
		return refused(errors.New("configure: the configuration has no name: give config the one that renewals use"))
	}
	table, err := lease.New(in.Settings)
	if err == nil {
		err = table.Configure(time.Time{}, in.Sources)
	}
	if err != nil {
		return refused(fmt.Errorf("configure: %w", err))
	}
	return nil
}

// checkCommand tries a command on a table of the same sources of which nothing else is known.
func (c *ceilings) checkCommand(now time.Time, in collection.SourceCommand, do do) error {
	if n := max(len(in.By), len(in.Reason)); n > longestNote {
		return refused(fmt.Errorf("by or reason has %d bytes: give at most %d", n, longestNote))
	}
	trial := lease.Table{Version: c.state.Table.Version, Settings: c.state.Table.Settings, Now: c.state.Table.Now}
	for _, s := range c.state.Table.Sources {
		trial.Sources = append(trial.Sources, lease.Source{Config: s.Config})
	}
	if err := do(&trial, now, in); err != nil {
		return refused(err)
	}
	return nil
}

// refused is the error of an update that makes no sense; trying it again would not help.
func refused(err error) error {
	reason := collection.ReasonCommandRefused
	var unknown lease.UnknownSourceError
	if errors.As(err, &unknown) {
		reason = collection.ReasonSourceUnknown
	}
	return temporal.NewNonRetryableApplicationError(err.Error(), string(reason), nil)
}
