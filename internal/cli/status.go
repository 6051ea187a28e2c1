package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

const statusLong = `Say where a submission is, or one record of it.

RECORD is a record's id, its key, or its URL.

The exit code says how the submission or record stands: 0 while it is under way
or when it is complete (weir help exit-codes).

Temporal is asked first. While it does not answer, what the bucket says of an
end is told, with a note; while the bucket does not, what Temporal knows. Where
neither can say, the command ends with 1.

With --output json a submission is {"submission", "customer", "state", "stage",
"lane", "accepted_at", "expected", "outcomes": [{"outcome", "reason",
"records"}], "sources": [{"source", "records", "released", "outcomes"}],
"notes", "result", "reason", "detail", "cancelled": {"by", "at", "reason"}} and,
while it is collected, "source_states": [{"source", "state", "until",
"remarks"}], as weir sources words them; a record is {"submission", "record",
"source", "key", "line", "stage", "ground", "result", "activity", "notes"}.
What is not known is left out.`

const statusExample = `  weir status acme-3f2a9c1b7e10
  weir status acme-3f2a9c1b7e10 --wait
  weir status acme-3f2a9c1b7e10 https://www.bookshop.example/books/17
  weir status acme-3f2a9c1b7e10 --output json | jq .outcomes`

func (a *app) statusCommand() *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use: "status ID [RECORD]", Short: "Say where a submission or a record is", Long: statusLong, Example: statusExample,
		Args: between(1, 2, "ID RECORD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := collection.CheckSubmissionID(args[0]); err != nil {
				return usageError{err}
			}
			if wait && len(args) == 2 {
				return usagef("--wait follows a submission: leave out the record")
			}
			return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error {
				if len(args) == 2 {
					return a.recordStatus(ctx, c, args[0], args[1])
				}
				return a.status(ctx, c, args[0], wait)
			})
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "stay until the submission has ended, and show its progress")
	return cmd
}

func (a *app) status(ctx context.Context, c client, id string, wait bool) error {
	ask := c.Status
	if wait {
		ask = func(ctx context.Context, id string) (collection.SubmissionStatus, error) { return a.wait(ctx, c, id) }
	}
	status, err := ask(ctx, id)
	if err != nil {
		return err
	}
	states := a.statesOf(ctx, c, status)
	if err := a.answer(statusAnswer{status, states}, func() {
		if wait {
			a.showEnd(status)
		} else {
			a.showStatus(status, states)
		}
	}); err != nil {
		return err
	}
	return verdictOf(status)
}

// statusAnswer is a status for programs.
type statusAnswer struct {
	collection.SubmissionStatus
	States sourceStates `json:"source_states,omitempty"`
}

// showStatus writes what is known of a submission: the facts, then each source, then the outcomes.
func (a *app) showStatus(s collection.SubmissionStatus, states sourceStates) {
	out := a.answers()
	facts := out.NewFacts()
	facts.Add("submission", s.Submission)
	facts.Add("customer", s.Customer)
	facts.AddCell("state", screen.Cell{Text: stateText(s), Style: screen.StyleOfState(s.State)})
	if c := s.Cancelled; c != nil {
		facts.Add("cancelled", strings.TrimLeft(noteText(lease.Note{By: c.By, At: c.At, Reason: c.Reason}, a.world.Now()), " ,"))
	}
	facts.Add("reason", string(s.Reason))
	facts.Add("detail", s.Detail)
	facts.Add("accepted", screen.Since(s.AcceptedAt, a.world.Now()))
	facts.Add("lane", string(s.Lane))
	if s.Expected > 0 {
		ended := s.Outcomes.Total()
		facts.Add("rows", fmt.Sprintf("%s of %s ended (%s)", screen.Count(ended), screen.Count(s.Expected), screen.Percent(ended, s.Expected)))
	}
	for _, note := range s.Notes {
		facts.AddCell("note", screen.Cell{Text: note, Style: screen.Notice})
	}
	for _, text := range breachTexts(s.Result) {
		facts.AddCell("note", screen.Cell{Text: text, Style: screen.Notice})
	}
	if s.Result != nil && s.Result.Tolerance != nil {
		facts.AddCell("tolerance", toleranceCell(*s.Result.Tolerance, s.Expected))
	}
	if s.Result != nil {
		facts.Add("manifest", s.Result.Manifest)
		facts.Add("SHA-256", s.Result.ManifestSHA256)
	}
	facts.End()
	if len(s.Sources) > 0 {
		out.Blank()
		out.Sources(s.Sources, states.cells())
		states.show(out)
	}
	if len(s.Outcomes) > 0 {
		out.Blank()
		out.Outcomes(s.Outcomes)
	}
}

// toleranceCell says whether a submission has lost more than it may.
func toleranceCell(t collection.ToleranceVerdict, expected int) screen.Cell {
	text := fmt.Sprintf("%s lost, %s may be", screen.Plural(t.Lost, "row"), screen.Count(t.Most(expected)))
	if t.Within {
		return screen.Text(text)
	}
	return screen.Cell{Text: text, Style: screen.Bad}
}

// breachTexts say which checks a submission has not met.
func breachTexts(r *collection.SubmissionResult) []string {
	if r == nil {
		return nil
	}
	var texts []string
	for _, b := range r.Breaches {
		texts = append(texts, fmt.Sprintf("%s, check %s: %s", b.Source, b.Check, b.Detail))
	}
	if len(texts) == collection.MaxBreaches {
		texts = append(texts, "there may be more breaches: see checks in its manifest")
	}
	return texts
}

var stageTexts = map[string]string{
	"plan": "its rows are being planned", "collect": "its records are being collected", "settle": "it is being settled",
	"ship": "its delivery is being shipped",
}

func stateText(s collection.SubmissionStatus) string {
	if text, ok := stageTexts[s.Stage]; ok {
		return string(s.State) + ": " + text
	}
	return string(s.State)
}
