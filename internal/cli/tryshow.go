package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/tryout"
)

// showTry answers weir try.
func (a *app) showTry(r tryout.Report, t trying) error {
	if t.save != "" {
		if err := a.saveTried(r, t.save); err != nil {
			return err
		}
	}
	if err := a.answer(r, func() { tellTry(a.answers(), r) }); err != nil {
		return err
	}
	if r.Reason != "" {
		return verdict(ExitNotComplete)
	}
	return nil
}

// saveTried writes what was fetched, or says that nothing was: an older file of that name would be taken for it.
func (a *app) saveTried(r tryout.Report, file string) error {
	empty := r.Answer != nil && r.Answer.SHA256 != "" // a body without a byte is one
	if r.Body == nil && !empty {
		a.remarks().Line("nothing was saved to %s: only the body of a successful answer is kept, and there was none", screen.Clean(file))
		return nil
	}
	if err := os.WriteFile(a.world.path(file), r.Body, 0o600); err != nil {
		return fmt.Errorf("save what was fetched: %w", err)
	}
	return nil
}

// tellTry tells what each step found, in their order.
func tellTry(s *screen.Screen, r tryout.Report) {
	facts := s.NewFacts()
	facts.Add("source", r.Source)
	facts.Add("method", r.Method)
	facts.Add("request", r.URL)
	if r.Egress != "" {
		facts.Add("by", r.Egress)
	}
	if r.Robots != nil {
		facts.Add("robots.txt", robotsText(*r.Robots, r.Reason))
	}
	if r.Answer != nil {
		facts.Add("answer", answerText(*r.Answer))
		if r.Answer.URL != r.URL {
			facts.Add("came from", r.Answer.URL)
		}
		for _, w := range r.Answer.Warnings {
			facts.AddCell("warning", screen.Cell{Text: string(w), Style: screen.Notice})
		}
		facts.Add("SHA-256", r.Answer.SHA256)
	}
	if r.Parse != nil {
		facts.Add("read as", r.Parse.Type)
		for _, w := range r.Parse.Warnings {
			facts.AddCell("warning", screen.Cell{Text: w, Style: screen.Notice})
		}
		facts.AddCell("not found", screen.Cell{Text: strings.Join(r.Parse.Missing, ", "), Style: screen.Notice})
	}
	tellTryEnd(facts, r)
	facts.End()
	if r.Parse != nil {
		s.Blank()
		tellFields(s, r.Parse.Fields)
	}
}

func tellTryEnd(facts *screen.Facts, r tryout.Report) {
	if r.Reason == "" {
		facts.Add("outcome", "it would be delivered")
		return
	}
	row := failure.Lookup(r.Reason)
	outcome := string(row.End)
	if row.Retry && !r.Certain {
		outcome = "it would be tried again, and in the end be " + outcome
	}
	facts.AddCell("outcome", screen.Cell{Text: outcome, Style: screen.StyleOf(row.End)})
	facts.Add("reason", string(r.Reason))
	facts.Add("detail", r.Detail)
	facts.Add("meaning", row.Explain)
}

func answerText(a tryout.Answer) string {
	if a.Status == 0 {
		return "none"
	}
	size := screen.Size(a.Size)
	if a.Size == 0 && a.SHA256 == "" {
		size = "body not read"
	}
	text := fmt.Sprintf("HTTP %d, %s", a.Status, size)
	if a.ContentType != "" {
		text += ", " + a.ContentType
	}
	if a.Took > 0 {
		text += ", in " + screen.Duration(a.Took)
	}
	return text
}

// tellFields is the document, field by field, with the rule that found each.
func tellFields(s *screen.Screen, fields []tryout.Field) {
	table := s.NewTable(screen.Column{Title: "field"}, screen.Column{Title: "found by"}, screen.Column{Title: "value"})
	for _, f := range fields {
		value, err := json.Marshal(f.Value)
		if err != nil {
			value = fmt.Appendf(nil, "%v", f.Value)
		}
		table.Row(screen.Text(f.Name), screen.Cell{Text: f.Rule, Style: screen.Faint}, screen.Text(string(value)))
	}
	table.End()
}
