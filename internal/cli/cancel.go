package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/starter"
)

const cancelLong = `Stop a submission. Requests under way are broken off, records that wait are not
collected any more; what has been delivered stays, and the submission is
settled: its manifest says how every row ended.

With --output json: {"id", "already"}; already is true where the submission had
been asked before, or had been cancelled.`

const cancelExample = `  weir cancel acme-3f2a9c1b7e10 --reason "wrong file"`

// cancelAnswer is what cancel prints as JSON.
type cancelAnswer struct {
	ID      string `json:"id"`
	Already bool   `json:"already"`
}

func (a *app) cancelCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "cancel ID", Short: "Stop a submission", Long: cancelLong, Example: cancelExample, Args: exactly(1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := collection.CheckSubmissionID(args[0]); err != nil {
				return usageError{err}
			}
			return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error {
				return a.cancel(ctx, c, args[0], reason)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that is kept in the submission's history; who asked, when not given")
	return cmd
}

func (a *app) cancel(ctx context.Context, c client, id, reason string) error {
	if reason == "" {
		reason = "weir cancel"
		if who := asker(); who != "" {
			reason += " by " + who
		}
	}
	already, err := endedBefore(ctx, c, id)
	if err != nil {
		return err
	}
	if !already {
		err = c.Cancel(ctx, id, reason)
	}
	var twice *serviceerror.CancellationAlreadyRequested
	switch {
	case errors.As(err, &twice):
		already = true
	case err != nil:
		return err
	}
	return a.answer(cancelAnswer{ID: id, Already: already}, func() {
		if already {
			a.answers().Line("%s was cancelled before; nothing has changed", id)
			return
		}
		a.answers().Line("%s stops; what has been delivered stays", id)
		if missing, err := c.Unattended(ctx, id, collection.RoleWorkflows); err == nil && len(missing) > 0 {
			a.remark(starter.NoWorker(missing...) + " It stops once one takes that up.")
		}
		hint(a.remarks(), "follow it", "weir status "+id+" --wait")
	})
}

// endedBefore looks whether there is anything to cancel: Temporal takes the cancellation of what has ended without a word.
// Where nobody can say, for instance because S3 is down, the submission can still be stopped.
func endedBefore(ctx context.Context, c client, id string) (cancelled bool, err error) {
	status, err := c.Status(ctx, id)
	switch {
	case errors.Is(err, starter.ErrNotFound):
		return false, err
	case err != nil:
		return false, nil
	}
	switch status.State {
	case collection.StateCancelled:
		return true, nil
	case collection.StateAccepted, collection.StateProcessing:
		// A request that no worker has taken up yet can be made again, and Temporal takes it again.
		return status.Cancelled != nil, nil
	}
	return false, usagef("submission %s has ended already, %s: there is nothing to cancel", id, status.State)
}
