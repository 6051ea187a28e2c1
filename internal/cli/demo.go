package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/internal/demo"
)

const demoLong = `See weir work, without any set-up and without the internet.

The demo starts Temporal and S3 in a folder of its own, a worker, and a small
shop and a stock API on this machine that are slow, forgetful and sometimes
broken, on purpose. It submits a file of records whose right outcome is known,
shows how they are collected, and then checks everything: how each row ended,
what was delivered, how many requests each source saw at once, and the signed
files against their checksums. It exits with 1 if anything is not as it must
be.

The first start builds the stack, which takes minutes. Everything stops with
Ctrl-C.`

const demoExample = `  weir demo
  weir demo --exit
  weir demo --dir /var/tmp/weir-demo`

func (a *app) demoCommand() *cobra.Command {
	o := demo.Options{}
	cmd := &cobra.Command{
		Use: "demo", Short: "See weir work, without any set-up", Long: demoLong, Example: demoExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.noJSON(cmd); err != nil {
				return err
			}
			o.Screen, o.Progress, o.Now = a.answers(), a.world.Stderr, a.world.Now
			o.Dir, o.Binary = a.world.path(o.Dir), a.world.path(o.Binary)
			err := a.edges.demo(cmd.Context(), o)
			if err != nil && cmd.Context().Err() != nil && !errors.Is(err, demo.ErrDiffers) {
				return errInterrupted
			}
			return err
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&o.Exit, "exit", false, "end when everything is checked, instead of staying for a look around")
	cmd.Flags().StringVar(&o.Dir, "dir", "", "`FOLDER` that is kept; when not given, one that is removed at the end if all went well")
	a.devstackFlag(cmd, &o.Binary)
	return cmd
}
