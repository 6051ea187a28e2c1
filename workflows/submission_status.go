package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// answer is the status query.
func (s *submission) answer() (collection.SubmissionStatus, error) {
	status := collection.SubmissionStatus{
		Submission: s.id, Customer: s.in.Customer, State: s.state, Stage: s.stage, Lane: s.plan.Lane,
		AcceptedAt: s.plan.AcceptedAt, Expected: s.plan.Expected, Notes: s.plan.Notes, Result: s.result,
		Outcomes: collection.Tally{},
	}
	status.Outcomes.Merge(s.plan.Rejected)
	status.Sources = s.batches.shares()
	for _, share := range status.Sources {
		status.Outcomes.Merge(share.Outcomes)
	}
	if s.result != nil {
		// Settle has counted what is really there.
		status.Outcomes = s.result.Outcomes
	}
	return status, nil
}

// details shows the status in Temporal Web.
func (s *submission) details(ctx workflow.Context) {
	status, err := s.answer()
	if err != nil {
		return
	}
	workflow.SetCurrentDetails(ctx, submissionMarkdown(status))
}

func submissionMarkdown(s collection.SubmissionStatus) string {
	var b strings.Builder
	done := s.Outcomes.Total()
	fmt.Fprintf(&b, "**%s** for customer `%s`", s.State, s.Customer)
	if s.Stage != "" {
		fmt.Fprintf(&b, ", in %s", s.Stage)
	}
	if s.Expected > 0 {
		fmt.Fprintf(&b, ": %d of %s ended (%d %%)", done, collection.Plural(s.Expected, "row"), done*100/s.Expected)
	}
	b.WriteString(".\n")
	if len(s.Sources) > 0 {
		sourcesMarkdown(&b, s.Sources)
	}
	if len(s.Outcomes) > 0 {
		b.WriteString("\n| outcome | reason | rows |\n|---|---|---:|\n")
		for _, o := range collection.Outcomes() {
			for _, c := range s.Outcomes {
				if c.Outcome == o {
					fmt.Fprintf(&b, "| %s | %s | %d |\n", c.Outcome, c.Reason, c.Records)
				}
			}
		}
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "\n> %s\n", n)
	}
	if s.Result != nil {
		fmt.Fprintf(&b, "\nManifest: `%s`\n", s.Result.Manifest)
	}
	return b.String()
}

func sourcesMarkdown(b *strings.Builder, sources []collection.SourceProgress) {
	b.WriteString("\n| source | records | released | delivered | other outcomes | done |\n|---|---:|---:|---:|---:|---:|\n")
	for _, p := range sources {
		ended, delivered := p.Outcomes.Total(), p.Outcomes.Of(collection.OutcomeDelivered)
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d %% |\n",
			p.Source, p.Records, p.Released, delivered, ended-delivered, ended*100/max(p.Records, 1))
	}
}

// details shows the batch in Temporal Web.
func (b *batch) details(ctx workflow.Context) {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf(
		"Batch %d of source `%s`: %d of %s released, %d in the window of %d, %d ended.",
		b.in.Number, b.in.Source, b.released, collection.Plural(b.in.Records, "record"), b.inWindow, b.in.Policy.Window, b.outcomes.Total()))
}

// rowsShown says in a line where the submission's rows come from.
func rowsShown(in collection.SubmissionInput) string {
	if in.Upload != "" {
		return collection.Clip(in.Upload, collection.MaxKeyShown)
	}
	return collection.Plural(len(in.Records), "record") + " of the input"
}
