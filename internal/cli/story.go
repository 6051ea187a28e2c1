package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/starter"
)

// recordStatus tells where one record is.
func (a *app) recordStatus(ctx context.Context, c client, id, name string) error {
	answer, err := c.Record(ctx, id, name)
	if errors.Is(err, starter.ErrNotPlanned) {
		answer, err = unplanned(ctx, c, id, name, err)
	}
	if err != nil {
		return explainMissing(ctx, c, id, err)
	}
	if answer.Key == "" && name != answer.Record {
		// The engine knows a record by its id alone; whoever asks knows the rest.
		answer.Key = name
	}
	if err := a.answer(withoutGuesses(answer), func() {
		tellRecord(a.answers(), answer, a.sourceOf(ctx, c, answer), a.world.Now())
	}); err != nil {
		return err
	}
	if answer.Result == nil {
		return nil
	}
	return verdictOfRecord(answer.Result.Outcome)
}

// sourceOf is how the source stands that a record waits for; nothing where it waits for none, or nobody says.
func (a *app) sourceOf(ctx context.Context, c client, r starter.RecordAnswer) sourceState {
	if r.Result != nil || r.Source == "" || r.Stage != starter.StageWaiting && r.Stage != stageCollect {
		return sourceState{}
	}
	if states := a.standing(ctx, c, r.Source); len(states) > 0 {
		return states[0]
	}
	return sourceState{}
}

// stageCollect is where a record stands that its source is to be asked for.
const stageCollect = "collect"

// stagePlan is where a record stands of which nobody knows yet whether the submission has it.
const stagePlan = "plan"

// unplanned is the answer about a record of a submission whose rows are being planned.
func unplanned(ctx context.Context, c client, id, name string, missing error) (starter.RecordAnswer, error) {
	status, err := c.Status(ctx, id)
	if err != nil || status.Expected > 0 || status.State != collection.StateAccepted && status.State != collection.StateProcessing {
		return starter.RecordAnswer{}, missing
	}
	return starter.RecordAnswer{Submission: id, Key: name, Stage: stagePlan, Ground: "engine"}, nil
}

// tellRecord tells a record's story: which it is, where it is and what keeps its source back, or how it ended, what it met, what
// was kept of it.
func tellRecord(s *screen.Screen, r starter.RecordAnswer, source sourceState, now time.Time) {
	facts := s.NewFacts()
	facts.Add("record", r.Record)
	facts.Add("key", r.Key)
	facts.Add("submission", r.Submission)
	facts.Add("source", r.Source)
	if r.Line > 0 {
		facts.Add("line", strconv.Itoa(r.Line))
	}
	if r.Result != nil {
		tellResult(facts, *r.Result, now)
	} else {
		facts.Add("where", whereText(r, source.closed))
		name := "its source"
		for _, remark := range source.remarks {
			facts.AddCell(name, remark)
			name = ""
		}
		tellActivity(facts, r.Activity, now)
	}
	for _, note := range r.Notes {
		facts.AddCell("note", screen.Cell{Text: note, Style: screen.Notice})
	}
	facts.AddCell("known from", screen.Cell{Text: grounds[r.Ground], Style: screen.Faint})
	facts.End()
	switch {
	case r.Result != nil && r.Result.Trail != nil:
		tellTrail(s, *r.Result.Trail)
	case r.Activity != nil && r.Activity.Progress != nil && r.Activity.Progress.Trail != nil:
		tellTrail(s, *r.Activity.Progress.Trail)
	}
}

var grounds = map[string]string{
	"engine": "its workflow in Temporal", "ledger": "the ledger in S3", "plan": "the plan in S3",
}

var doings = map[string]string{
	"collect": "being collected", "parse": "being parsed", "deliver": "being delivered",
}

// whereText says what a record that has not ended does now; closed says that its source takes no request.
func whereText(r starter.RecordAnswer, closed bool) string {
	if r.Stage == starter.StageWaiting {
		return "waiting in its batch; it has not been given to its source's queue yet"
	}
	if r.Stage == stagePlan {
		return "its submission is being planned: which records it has is not known yet; see weir status " + r.Submission
	}
	text := doings[r.Stage]
	if text == "" {
		text = r.Stage
	}
	if r.Activity == nil {
		return text
	}
	switch r.Activity.State {
	case "backing_off":
		text += fmt.Sprintf(", waits before attempt %d", r.Activity.Attempt)
	case "scheduled":
		text += ", waits in the queue for a worker"
		if closed && r.Stage == stageCollect {
			text += ", and none takes it while its source is closed"
		}
	case "paused":
		text += ", paused by a person"
	case "started":
		switch p := r.Activity.Progress; {
		case p != nil && p.Waiting == "permit":
			text += ", waits on a worker for its source's permit"
		case p != nil && p.Waiting == "store":
			text += ", fetched, waits on a worker for weir's bucket"
		case p != nil && p.Waiting == "memory":
			text += ", waits on a worker for memory"
		case p != nil && p.Waiting == "robots":
			text += ", waits on a worker for its site's robots.txt"
		default:
			text += ", running on a worker"
		}
	}
	return text
}

func tellActivity(facts *screen.Facts, a *starter.RunningActivity, now time.Time) {
	if a == nil {
		return
	}
	facts.Add("attempt", screen.Count(int(a.Attempt)))
	if a.NextAttempt != nil {
		facts.Add("next", screen.Since(*a.NextAttempt, now))
	}
	if a.State == "started" {
		facts.Add("worker", a.Worker)
	}
	if p := a.Progress; p != nil {
		if p.Requests > 0 {
			facts.Add("requests", fmt.Sprintf("%s so far, %s held against the site", screen.Count(p.Requests), screen.Count(p.Faults)))
		}
		facts.Add("last met", string(p.Reason))
		if p.FirstRequestAt != nil {
			facts.Add("first request", screen.Since(*p.FirstRequestAt, now))
		}
	}
	facts.AddCell("last failure", screen.Cell{Text: a.LastFailure, Style: screen.Notice})
}

func tellResult(facts *screen.Facts, r collection.RecordResult, now time.Time) {
	facts.AddCell("outcome", screen.Cell{Text: string(r.Outcome), Style: screen.StyleOf(r.Outcome)})
	facts.Add("reason", string(r.Reason))
	facts.Add("detail", r.Detail)
	if r.Reason != "" && failure.Known(r.Reason) {
		facts.Add("meaning", failure.Lookup(r.Reason).Explain)
	}
	if r.Trail != nil && r.Trail.Robots != nil {
		facts.Add("robots.txt", robotsText(*r.Trail.Robots, r.Reason))
	}
	facts.Add("requests", requestsText(r))
	if r.FirstRequestAt != nil {
		facts.Add("first request", screen.Since(*r.FirstRequestAt, now))
	}
	if raw := r.Raw; raw != nil {
		facts.Add("response", fmt.Sprintf("HTTP %d, %s, %s, from %s", raw.Status, orElse(raw.ContentType, "no content type"), screen.Size(raw.Size), raw.URL))
		if raw.NotModifiedAt != nil {
			facts.Add("", fmt.Sprintf("the site said %s that it has not changed", screen.Since(*raw.NotModifiedAt, now)))
		}
		facts.Add("kept as", raw.Key)
	}
	facts.Add("not found", strings.Join(r.Missing, ", "))
	if d := r.Delivered; d != nil {
		facts.Add("delivered", d.Key)
		facts.Add("", fmt.Sprintf("%s, verified at the destination %s%s", screen.Size(d.Size), screen.Since(d.VerifiedAt, now), generation(d.Generation)))
		facts.Add("SHA-256", d.SHA256)
	}
}

// requestsText counts a record's requests. After a replay they are those of all its runs, and the trail is the last one's.
func requestsText(r collection.RecordResult) string {
	if !requestsKnown(r) {
		return "not on record"
	}
	if r.Trail == nil || len(r.Trail.Attempts) == 0 || r.Attempts <= len(r.Trail.Attempts)+r.Trail.Omitted {
		return screen.Count(r.Attempts)
	}
	return fmt.Sprintf("%s in all runs; below are those of the last run", screen.Count(r.Attempts))
}

// requestsKnown says whether a record's result knows of its requests. A record that is cancelled while no worker has it in hand
// takes with it what it had done.
func requestsKnown(r collection.RecordResult) bool {
	return r.Outcome != collection.OutcomeCancelled || r.Attempts > 0 || r.FirstRequestAt != nil || r.Trail != nil
}

// withoutGuesses is an answer without a count of requests that nobody knows.
func withoutGuesses(r starter.RecordAnswer) any {
	if r.Result == nil || requestsKnown(*r.Result) {
		return r
	}
	type result struct {
		collection.RecordResult
		Attempts *int `json:"attempts,omitempty"`
	}
	return struct {
		starter.RecordAnswer
		Result result `json:"result"`
	}{r, result{RecordResult: *r.Result}}
}

func generation(n int) string {
	if n <= 1 {
		return ""
	}
	return fmt.Sprintf(", generation %d", n)
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
