package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

const ceilingLong = `Set how many requests may be in flight at once against a source, over the whole
fleet and whatever the configuration says, for a while or for good.

Lowering it breaks no request off: none starts until fewer than N are under way.
It beats the configuration even when that changes, until --reset. With 0 no
request starts; weir pause says better why.

` + inForce

const ceilingExample = `  weir ceiling bookshop 2 --for 2h --reason "their database is slow"
  weir ceiling bookshop --reset`

func (a *app) ceilingCommand() *cobra.Command {
	f := &overrideFlags{}
	cmd := &cobra.Command{
		Use: "ceiling SOURCE N", Short: "Set how many requests may be in flight at a source", Long: ceilingLong,
		Example: ceilingExample, Args: between(1, 2, "SOURCE N"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := f.command(cmd, args, a.world.Now())
			if err != nil {
				return err
			}
			op := operation{update: collection.UpdateSetCeiling, command: in, said: saidOfCeilingReset}
			if !f.reset {
				n, err := ceilingOf(args[1])
				if err != nil {
					return err
				}
				op.command.Ceiling, op.said, op.undo = &n, saidOfCeiling, "weir ceiling "+in.Source+" --reset"
			}
			return a.operate(cmd, op)
		},
	}
	f.register(cmd)
	a.belowZero(cmd, func(text string) error {
		_, err := ceilingOf(text)
		return err
	})
	return cmd
}

func ceilingOf(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > lease.MostCeiling {
		return 0, usagef("ceiling %q: use a whole number of requests, 0 to %d", text, lease.MostCeiling)
	}
	return n, nil
}

func saidOfCeiling(before, after lease.SourceView) (string, bool) {
	text := fmt.Sprintf("the ceiling of %s is %s now", after.Source, screen.Count(after.Ceiling))
	if before.Ceiling != after.Ceiling {
		text += ", and was " + screen.Count(before.Ceiling)
	}
	return text, false
}

func saidOfCeilingReset(before, after lease.SourceView) (string, bool) {
	if before.CeilingOverride == nil {
		return fmt.Sprintf("the ceiling of %s was the configured one, %s; nothing has changed", after.Source, screen.Count(after.Ceiling)), true
	}
	return fmt.Sprintf("the ceiling of %s is the configured one again, %s; it was %s", after.Source, screen.Count(after.Ceiling),
		screen.Count(before.Ceiling)), false
}
