package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
)

const redeliverLong = `Write a submission's delivery again, out of what is in weir's bucket: nothing is
collected. Use it when files were lost at the customer's destination, when the
destination did not take the delivery, or to bring it to another destination.

Every file is compared with the manifest first. Files that weir's own bucket has
lost are made again. What the destination holds already stays as it is, and all
of it is verified there. For a customer without a destination the delivery in
weir's bucket is checked, and repaired.

--to names the customer, in the workers' configuration, whose destination takes
the delivery instead: for instance a second entry for the customer's new bucket.
That one must list the submission's customer in takes_for, so that nobody's
delivery goes to another's bucket by a slip. Where the configuration here says
that it does not, nothing is started.

The command waits for the end; breaking it off stops nothing. Where the same is
under way already, it waits for that; a delivery to another place is refused
until that has ended. It needs a worker with the role plan. What fails is tried
again; the command says what failed.

With --output json: {"shipped": {"destination", "files", "objects", "bytes",
"manifest_sha256", "verified_at"}, "settled"}; settled is the submission's
result where files had to be made again.`

const redeliverExample = `  weir redeliver acme-3f2a9c1b7e10
  weir redeliver acme-3f2a9c1b7e10 --to acme-new-bucket`

func (a *app) redeliverCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "redeliver ID", Short: "Write a delivery again, without collecting", Long: redeliverLong, Example: redeliverExample,
		Args: exactly(1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := collection.CheckSubmissionID(args[0]); err != nil {
				return usageError{err}
			}
			if to != "" {
				if err := collection.CheckName("customer", to); err != nil {
					return usagef("--to: %w", err)
				}
			}
			return a.withClient(cmd, func(ctx context.Context, c client, cfg config.Config) error {
				if err := refusedTo(ctx, c, cfg, args[0], to); err != nil {
					return err
				}
				return a.redeliver(ctx, c, args[0], to)
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "`CUSTOMER` whose destination takes the delivery; the submission's own when not given")
	return cmd
}

// refusedTo says why a delivery cannot go to another customer's destination, where the configuration here tells already: no worker
// need be asked. One that does not know the customer tells nothing, since the workers' may.
func refusedTo(ctx context.Context, c client, cfg config.Config, id, to string) error {
	i := slices.IndexFunc(cfg.Customers, func(c collection.Customer) bool { return c.Name == to })
	if i < 0 {
		return nil
	}
	customer := cfg.Customers[i]
	if customer.Destination.IsZero() {
		return usagef("--to: customer %s has no destination in the configuration: give it one, there and in the workers', or name another customer", to)
	}
	status, err := c.Status(ctx, id)
	if err != nil || status.Customer == "" || customer.Takes(status.Customer) {
		return nil // what keeps it else is told when it is asked for
	}
	return usagef("--to: the destination of customer %s takes nothing of customer %s: list it in takes_for there, in the workers' configuration as well, if it may",
		to, status.Customer)
}

func (a *app) redeliver(ctx context.Context, c client, id, to string) error {
	var result collection.RedeliverResult
	shipping := work{collection.RedeliverWorkflowID(id), []collection.Role{collection.RoleWorkflows, collection.RolePlan}}
	err := attended(ctx, c, shipping, a.remark, func(ctx context.Context) (err error) {
		result, err = c.Redeliver(ctx, id, to)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: the waiting has ended, the delivery of %s goes on", errInterrupted, id)
		}
		return explainMissing(ctx, c, id, err)
	}
	return a.answer(result, func() { a.showRedelivered(id, result) })
}

func (a *app) showRedelivered(id string, r collection.RedeliverResult) {
	out := a.answers()
	if r.Settled != nil {
		out.Line("Files were lost in weir's own bucket, and have been made again: %s", r.Settled.State)
	}
	s := r.Shipped
	what := screen.Plural(s.Files, "file")
	if s.Objects > 0 {
		what += fmt.Sprintf(" and %s records' own objects", screen.Count(s.Objects))
	}
	what += ", " + screen.Size(s.Bytes)
	if s.Destination == "" {
		out.Line("The delivery in weir's bucket is whole: %s, checked at %s", what, s.VerifiedAt.Format("2006-01-02 15:04:05 MST"))
		hint(a.remarks(), "files", "weir links "+id)
		return
	}
	out.Line("Delivered: %s, verified at %s", what, s.VerifiedAt.Format("2006-01-02 15:04:05 MST"))
	out.Line("%s", screen.Clean(s.Destination))
	out.Line("%s", out.Paint(screen.Faint, "manifest.json has SHA-256 "+s.ManifestSHA256))
}
