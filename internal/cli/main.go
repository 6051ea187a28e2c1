package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/starter"
)

// Main runs the program and returns its exit code.
func Main(w World) int { return run(w, realEdges()) }

func run(w World, e edges) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go w.watchSignals(ctx, cancel)

	a := &app{world: w, edges: e}
	root := a.command()
	root.SetArgs(w.Args)
	root.SetIn(w.Stdin)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	strictCompletion(root)
	err := root.ExecuteContext(ctx)
	w.tell(err)
	return codeOf(err)
}

// watchSignals ends the context at the first signal and the process at the second.
func (w World) watchSignals(ctx context.Context, cancel context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
		return
	case <-w.Signals:
		cancel(errInterrupted)
	}
	<-w.Signals
	w.Exit(ExitInterrupted)
}

// tell writes an error for a person: one line, or a few where it lists problems.
func (w World) tell(err error) {
	var v verdict
	if err == nil || errors.As(err, &v) {
		return
	}
	text := strings.TrimRight(err.Error(), "\n")
	if errors.Is(err, context.Canceled) {
		text = errInterrupted.Error()
	}
	// What is wrapped to be recognised has been said in words before it.
	for _, known := range []error{starter.ErrNotFound, starter.ErrNotSettled, starter.ErrNotPlanned} {
		text = strings.TrimSuffix(text, ": "+known.Error())
	}
	fmt.Fprintf(w.Stderr, "weir: %s\n", text)
}

// exactly wants so many arguments, which usage names.
func exactly(n int, usage string) cobra.PositionalArgs { return between(n, n, usage) }

func between(least, most int, usage string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("%s is missing: %s; see %s --help", strings.Fields(usage)[len(args)], cmd.UseLine(), cmd.CommandPath())
		case len(args) > most && most == 0:
			return usagef("unexpected argument %q: %s takes none; see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())
		case len(args) > most:
			return usagef("unexpected argument %q; see %s --help", args[most], cmd.CommandPath())
		}
		return nil
	}
}

var noArguments = between(0, 0, "")
