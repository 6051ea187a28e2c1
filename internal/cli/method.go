package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

const methodLong = `Choose by which of its methods a source's records are fetched, over the whole
fleet, and whatever its breaker does: the page, an API, a mirror, as they are
named under methods in the configuration.

Requests under way end by the method with which they began. A breaker that is
open stays so until its time; weir breaker release has the new method tried at
once. The choice stays, also when the method fails, until --reset gives it back:
the first method is used then, and fallback_after, where it is set, goes on to
the next one when the breaker keeps opening.

weir sources -v shows which methods a source has, and which is in use.

` + inForce

const methodExample = `  weir method bookshop api --reason "every page is a login form"
  weir method bookshop --reset`

func (a *app) methodCommand() *cobra.Command {
	var reason string
	var reset bool
	cmd := &cobra.Command{
		Use: "method SOURCE NAME", Short: "Choose by which method a source is fetched", Long: methodLong, Example: methodExample,
		Args: between(1, 2, "SOURCE NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			op, err := methodOperation(cmd, args, reason, reset)
			if err != nil {
				return err
			}
			return a.operate(cmd, op)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&reason, "reason", "", reasonUsage+"; required with NAME")
	flags.BoolVar(&reset, "reset", false, "go back to the order of the configuration")
	return cmd
}

func methodOperation(cmd *cobra.Command, args []string, reason string, reset bool) (operation, error) {
	op := operation{update: collection.UpdateUseMethod, said: saidOfMethodReset}
	if err := checkSource(args[0]); err != nil {
		return op, err
	}
	switch {
	case reset && len(args) == 2:
		return op, usagef("--reset goes back to the order of the configuration: leave out %s", args[1])
	case !reset && len(args) == 1:
		return op, usagef("NAME is missing: %s; see %s --help", cmd.UseLine(), cmd.CommandPath())
	}
	text, err := checkReason(reason, !reset)
	if err != nil {
		return op, err
	}
	op.command = collection.SourceCommand{Source: args[0], Reason: text}
	if !reset {
		op.command.Method, op.said, op.undo = args[1], saidOfMethod, "weir method "+args[0]+" --reset"
		op.check = func(before lease.SourceView) error { return checkMethod(before, args[1]) }
	}
	return op, nil
}

// checkMethod refuses a method that the source does not have.
func checkMethod(row lease.SourceView, name string) error {
	switch {
	case len(row.Methods) == 0:
		return usagef("%s has no methods to choose from: list them under methods in its configuration", row.Source)
	case !slices.Contains(row.Methods, name):
		return usagef("%s has no method %q%s", row.Source, name, list("; its methods are ", row.Methods))
	}
	return nil
}

func saidOfMethod(before, after lease.SourceView) (string, bool) {
	if before.Method == after.Method {
		if before.MethodOverride != nil {
			return fmt.Sprintf("%s was fetched by %s before, and stays so; the reason is now yours", after.Source, after.Method), true
		}
		return fmt.Sprintf("%s is fetched by %s, as before, and now whatever its breaker does%s", after.Source, after.Method, stillClosed(after)), false
	}
	return fmt.Sprintf("%s is fetched by %s now, and was by %s%s", after.Source, after.Method, before.Method, stillClosed(after)), false
}

func saidOfMethodReset(before, after lease.SourceView) (string, bool) {
	switch {
	case after.Method == "":
		return after.Source + " has no methods to choose from; nothing has changed", true
	case before.MethodOverride == nil && before.MethodUntil.IsZero():
		return fmt.Sprintf("%s was fetched by its first method, %s; nothing has changed", after.Source, after.Method), true
	case before.Method == after.Method:
		return fmt.Sprintf("%s is fetched by its first method, %s, as before; its breaker may choose again", after.Source, after.Method), false
	}
	return fmt.Sprintf("%s is fetched by its first method again, %s; it was by %s%s", after.Source, after.Method, before.Method, stillClosed(after)), false
}

// methodRemark says by which method a source is fetched where that is worth a sentence: not by the first one, or by any to
// who wants to know it all.
func methodRemark(r lease.SourceView, verbose bool) string {
	switch {
	case !r.MethodUntil.IsZero() && len(r.Methods) > 0:
		return fmt.Sprintf("fetched by %s, since its breaker kept opening; %s is tried again", r.Method, r.Methods[0])
	case verbose && r.MethodOverride == nil && len(r.Methods) > 0:
		return fmt.Sprintf("fetched by %s, the first of its methods %s", r.Method, strings.Join(r.Methods, ", "))
	case verbose && len(r.Methods) > 0:
		return "its methods are " + strings.Join(r.Methods, ", ")
	}
	return ""
}
