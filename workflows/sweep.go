package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// Sweep makes every check once and returns what was found. A check that fails is a finding, and hides nothing that the
// others find. It runs on a schedule; finding nothing is the normal result.
func Sweep(ctx workflow.Context, in collection.SweepInput) (collection.SweepResult, error) {
	s := &sweep{in: in, result: collection.SweepResult{
		Findings: []collection.Finding{}, DeadLetters: []collection.DeadLetterCount{}, Checks: []collection.CheckResult{},
	}}
	if err := workflow.SetQueryHandler(ctx, collection.QueryStatus, s.status); err != nil {
		return collection.SweepResult{}, err
	}
	return s.run(ctx)
}

type sweep struct {
	in     collection.SweepInput
	result collection.SweepResult
}

func (s *sweep) status() (collection.SweepResult, error) { return s.result, nil }

// run is the only place where the workflow ends.
func (s *sweep) run(ctx workflow.Context) (collection.SweepResult, error) {
	s.result.StartedAt = workflow.Now(ctx).UTC()
	for _, check := range collection.SweepChecks() {
		found, err := s.check(ctx, check)
		if temporal.IsCanceledError(err) {
			return collection.SweepResult{}, err
		}
		if err != nil {
			found = unmade(check, err)
		}
		s.result.Add(found)
		workflow.SetCurrentDetails(ctx, sweepMarkdown(s.result))
	}
	s.result.EndedAt = workflow.Now(ctx).UTC()
	return s.result, nil
}

const (
	// checkTimeout bounds one try of a check, which ends by itself before and tells what it has found by then.
	checkTimeout = 105 * time.Second
	// checkFor bounds all tries of a check, and checkTries says how many they are: the next sweep is only minutes away.
	checkFor   = 140 * time.Second
	checkTries = 2
)

// SweepLongest is how long a sweep takes at most. Its schedule must give it more.
func SweepLongest() time.Duration { return time.Duration(len(collection.SweepChecks())) * checkFor }

func (s *sweep) check(ctx workflow.Context, check collection.Check) (collection.CheckResult, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: collection.QueueFleet, StartToCloseTimeout: checkTimeout, ScheduleToCloseTimeout: checkFor, HeartbeatTimeout: time.Minute,
		Summary:     string(check),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: checkTries},
	})
	var found collection.CheckResult
	err := workflow.ExecuteActivity(ctx, sweeper.SweepCheck, collection.CheckInput{Check: check, QuietAfter: s.in.QuietAfter}).Get(ctx, &found)
	return found, err
}

// unmade is the result of a check that could not be made.
func unmade(check collection.Check, err error) collection.CheckResult {
	return collection.CheckResult{Check: check, Unchecked: 1, Findings: []collection.Finding{{
		Kind: collection.FindingCheckFailed, Severity: collection.SEV3, Subject: string(check),
		Detail: collection.Clip(fmt.Sprintf("the check could not be made: %s", verdict.OfActivity(err).Detail), collection.MaxDetail),
		Do:     "Look whether Temporal and the store answer; what this check would find is not known now.",
	}}}
}

func sweepMarkdown(r collection.SweepResult) string {
	var b strings.Builder
	looked := 0
	for _, c := range r.Checks {
		looked += c.Looked
	}
	fmt.Fprintf(&b, "%s made, %s looked at, **%s**.\n", collection.Plural(len(r.Checks), "check"), collection.Plural(looked, "thing"), collection.Plural(len(r.Findings), "finding"))
	if len(r.Findings) == 0 {
		return b.String()
	}
	b.WriteString("\n| severity | kind | subject | detail | what to do |\n|---|---|---|---|---|\n")
	for _, f := range r.Findings[:min(len(r.Findings), sweepShown)] {
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", f.Severity, f.Kind, cell(f.Subject), cell(f.Detail), cell(f.Do))
	}
	if more := len(r.Findings) - sweepShown; more > 0 {
		fmt.Fprintf(&b, "\nand %d more.\n", more)
	}
	return b.String()
}

// sweepShown is how many findings the details show.
const sweepShown = 20
