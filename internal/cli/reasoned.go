package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// reasonedCommand is a command that takes a source and a reason, and nothing else. SOURCE in op.undo is replaced.
func (a *app) reasonedCommand(use, short, long, example string, wanted bool, op operation) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: exactly(1, "SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkSource(args[0]); err != nil {
				return err
			}
			text, err := checkReason(reason, wanted)
			if err != nil {
				return err
			}
			given := op
			given.command.Source, given.command.Reason = args[0], text
			given.undo = strings.ReplaceAll(op.undo, "SOURCE", args[0])
			return a.operate(cmd, given)
		},
	}
	usage := reasonUsage
	if wanted {
		usage += "; required"
	}
	cmd.Flags().StringVar(&reason, "reason", "", usage)
	return cmd
}
