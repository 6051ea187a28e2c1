package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// answer is the status query.
func (r *replay) answer() (collection.ReplayStatus, error) {
	status := collection.ReplayStatus{
		Submission: r.in.Submission, Number: r.plan.Number, Select: r.in.Select, From: r.in.From, By: r.in.By, Stage: r.stage,
		Dead: r.plan.Dead, Selected: r.plan.Selected, WithoutRaw: r.plan.WithoutRaw, LostParts: r.plan.LostParts,
		Sources: r.batches.shares(), Outcomes: r.outcomes(), Result: r.result,
	}
	return status, nil
}

// details shows the status in Temporal Web.
func (r *replay) details(ctx workflow.Context) {
	status, err := r.answer()
	if err != nil {
		return
	}
	workflow.SetCurrentDetails(ctx, replayMarkdown(status))
}

func replayMarkdown(s collection.ReplayStatus) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Replay** of `%s` (%s), %s", s.Submission, selectShown(s.Select), fromShown(s.From))
	if s.By != "" {
		fmt.Fprintf(&b, ", asked for by %s", s.By)
	}
	if s.Stage != "" {
		fmt.Fprintf(&b, ", in %s", s.Stage)
	}
	b.WriteString(".\n")
	if s.Stage != "select" {
		fmt.Fprintf(&b, "\n%d of %s replayed.", s.Outcomes.Total(), collection.Plural(s.Selected, "record"))
		if s.WithoutRaw > 0 {
			fmt.Fprintf(&b, " %s left as they are: no bytes of them are kept.", collection.Plural(s.WithoutRaw, "record"))
		}
		if s.LostParts > 0 {
			fmt.Fprintf(&b, " %s of the ledger lost: when the submission is settled they are made again, out of what was delivered; then replay it once more.",
				collection.Plural(s.LostParts, "part"))
		}
		b.WriteString("\n")
	}
	if len(s.Sources) > 0 {
		sourcesMarkdown(&b, s.Sources)
	}
	if s.Result != nil && s.Result.Settled != nil {
		fmt.Fprintf(&b, "\nThe submission is **%s** now. Manifest: `%s`\n", s.Result.Settled.State, s.Result.Settled.Manifest)
	}
	return b.String()
}

// selectShown says in a line which dead letters are meant.
func selectShown(s collection.ReplaySelect) string {
	var parts []string
	if len(s.Reasons) > 0 {
		reasons := make([]string, len(s.Reasons))
		for i, r := range s.Reasons {
			reasons[i] = string(r)
		}
		parts = append(parts, "reason "+strings.Join(reasons, ", "))
	}
	if len(s.Sources) > 0 {
		parts = append(parts, "source "+strings.Join(s.Sources, ", "))
	}
	if n := len(s.Records); n > 0 {
		parts = append(parts, collection.Plural(n, "record")+" by name")
	}
	if len(parts) == 0 {
		return "all dead letters"
	}
	return collection.Clip(strings.Join(parts, "; "), collection.MaxKeyShown)
}

func fromShown(f collection.ReplayFrom) string {
	switch f {
	case collection.ReplayFromCollect:
		return "collected again"
	case collection.ReplayFromRaw, collection.ReplayFromParse:
		return "from the kept bytes"
	}
	return "each from where it failed"
}
