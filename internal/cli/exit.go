package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/starter"
)

// The exit codes. Scripts rely on them: codes are added, never given another meaning.
const (
	ExitOK           = 0
	ExitFailure      = 1
	ExitUsage        = 2
	ExitNotComplete  = 3
	ExitNotFound     = 4
	ExitCancelled    = 5
	ExitFailedToPlan = 6
	// ExitPromiseBroken is told by weir promise alone.
	ExitPromiseBroken = 7
	ExitInterrupted   = 130
)

// ExitCode is a code and what it means.
type ExitCode struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
}

// ExitCodes lists every code.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "done; the submission or record is complete, or still under way"},
		{ExitFailure, "something cannot be reached, or something unexpected happened; a check fails (weir doctor), no ceiling can be recommended (weir probe)"},
		{ExitUsage, "the command line, the configuration or the file must be corrected; the submission to be cancelled has ended"},
		{ExitNotComplete, "a submission lost more than it tolerates, a record is undelivered or dead after its replay (weir replay --wait), weir sweep found something"},
		{ExitNotFound, "there is no such submission, record, delivery or source, or not yet, since the submission must end first; or nothing is known of it any more"},
		{ExitCancelled, "the submission, the record or the replay was cancelled"},
		{ExitFailedToPlan, "the submission failed as a whole: it could not be planned or settled"},
		{ExitPromiseBroken, "a promise was broken, or arrivals have outgrown the fleet (weir promise)"},
		{ExitInterrupted, "Ctrl-C, or a signal, ended the command"},
	}
}

// meaningWidth is how wide a meaning may be in a line of 80.
const meaningWidth = 72

func exitCodesText() string {
	var b strings.Builder
	b.WriteString("What weir's exit codes mean:\n\n")
	for _, c := range ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, strings.Join(screen.Wrap(c.Meaning, meaningWidth), "\n       "))
	}
	b.WriteString("\nsubmit --wait and status tell by their code how the submission or record stands.\n" +
		"worker and dev end with 0 when they are told to stop; a second signal ends them\nat once, with 130.")
	return b.String()
}

func (a *app) exitCodesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "exit-codes", Short: "What the exit codes mean", Args: noArguments,
		Long: exitCodesText() + "\n\nWith --output json: [{\"code\", \"meaning\"}].", Example: "  weir exit-codes",
		RunE: func(*cobra.Command, []string) error {
			if a.wantsJSON() {
				return a.writeJSON(ExitCodes())
			}
			_, err := fmt.Fprintln(a.world.Stdout, exitCodesText())
			return err
		},
	}
}

// usageError is what the caller of the program has to correct.
type usageError struct{ cause error }

func (e usageError) Error() string { return e.cause.Error() }
func (e usageError) Unwrap() error { return e.cause }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// verdict ends the program with a code and without a message: the answer has been given.
type verdict int

func (v verdict) Error() string { return fmt.Sprintf("exit code %d", int(v)) }

// errInterrupted is the cause of the program's context once a signal came.
var errInterrupted = errors.New("interrupted")

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var v verdict
	var usage usageError
	var row *intake.RowError
	var header *intake.HeaderError
	var file *intake.FileError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &v):
		return int(v)
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &usage), errors.As(err, &row), errors.As(err, &header), errors.As(err, &file):
		return ExitUsage
	// What must end first is "not yet", as what is not planned yet is: nothing is to be corrected.
	case errors.Is(err, starter.ErrNotFound), errors.Is(err, starter.ErrNotSettled):
		return ExitNotFound
	}
	return ExitFailure
}

// verdictOf is how a submission stands, as an exit code.
func verdictOf(s collection.SubmissionStatus) error {
	if s.Result != nil && s.Result.GoodEnough() {
		return nil
	}
	switch s.State {
	case collection.StatePartiallyFailed:
		return verdict(ExitNotComplete)
	case collection.StateCancelled:
		return verdict(ExitCancelled)
	case collection.StateFailed:
		return verdict(ExitFailedToPlan)
	}
	return nil
}

// verdictOfRecord is how a record stands, as an exit code.
func verdictOfRecord(o collection.Outcome) error {
	switch o {
	case collection.OutcomeDeadLettered, collection.OutcomeRefused, collection.OutcomeInvalid:
		return verdict(ExitNotComplete)
	case collection.OutcomeCancelled:
		return verdict(ExitCancelled)
	case starter.OutcomeUnknown:
		return verdict(ExitNotFound)
	}
	return nil
}
