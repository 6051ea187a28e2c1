package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

// replayAnswer is what has become of one submission's replay.
type replayAnswer struct {
	starter.ReplayStarted
	Result  *collection.ReplayResult `json:"result,omitempty"`
	Problem string                   `json:"problem,omitempty"`

	err error
}

// told is the answer for programs.
func (r *replayAnswer) told() replayAnswer {
	out := *r
	if r.err != nil {
		out.Problem = r.err.Error()
	}
	return out
}

// waitReplays follows replays one after another: they run at the same time.
func (a *app) waitReplays(ctx context.Context, c client, answers []*replayAnswer) error {
	worst := ExitOK
	for _, answer := range answers {
		if answer.err == nil {
			result, err := a.waitReplay(ctx, c, answer.ReplayStarted)
			if ctx.Err() != nil {
				return fmt.Errorf("%w: the waiting has ended, the replays go on", errInterrupted)
			}
			answer.Result, answer.err = &result, err
		}
		if err := a.answer(answer.told(), func() { a.showReplay(answer) }); err != nil {
			return err
		}
		worst = worse(worst, answer.code())
	}
	if worst != ExitOK {
		return verdict(worst)
	}
	return nil
}

func (a *app) waitReplay(ctx context.Context, c client, started starter.ReplayStarted) (collection.ReplayResult, error) {
	remarks := a.remarks()
	progress := remarks.NewProgress()
	defer progress.End()
	var drawing sync.Mutex
	remark := func(text string) {
		drawing.Lock()
		defer drawing.Unlock()
		progress.Remark(text, a.world.Now())
	}
	var result collection.ReplayResult
	err := attended(ctx, c, work{started.ID, replayRoles}, remark, func(ctx context.Context) (err error) {
		result, err = c.WaitReplay(ctx, started, func(s collection.ReplayStatus) {
			drawing.Lock()
			defer drawing.Unlock()
			progress.Show(collection.SubmissionStatus{
				Submission: s.Submission, State: collection.StateProcessing, Stage: replayStages[s.Stage],
				Expected: s.Selected, Outcomes: s.Outcomes, Sources: s.Sources,
			}, a.world.Now())
		})
		return err
	})
	return result, err
}

// replayRoles are those whose workers a replay needs, besides its sources' collectors.
var replayRoles = []collection.Role{collection.RoleWorkflows, collection.RolePlan, collection.RoleParse, collection.RoleDeliver}

var replayStages = map[string]string{"select": "looking for dead letters", "replay": "replaying", "settle": "settle", "ship": "ship"}

// showReplay writes how a replay has ended.
func (a *app) showReplay(r *replayAnswer) {
	if r.Result == nil {
		// It was told when it could not be started.
		return
	}
	out := a.answers()
	facts := out.NewFacts()
	facts.Add("submission", r.Submission)
	if r.err != nil {
		facts.AddCell("problem", screen.Cell{Text: r.err.Error(), Style: screen.Bad})
	}
	facts.Add("replayed", fmt.Sprintf("%s of %s", screen.Plural(r.Result.Selected, "record"), screen.Plural(r.Result.Dead, "dead letter")))
	if n := r.Result.WithoutRaw; n > 0 {
		facts.AddCell("left", screen.Cell{Style: screen.Notice,
			Text: withoutRawText(n)})
	}
	if n := r.Result.LostParts; n > 0 {
		facts.AddCell("lost", screen.Cell{Style: screen.Notice,
			Text: screen.Plural(n, "part") + " of the ledger, made again since: replay once more for its records"})
	}
	if s := r.Result.Settled; s != nil {
		facts.AddCell("state", screen.Cell{Text: string(s.State), Style: screen.StyleOfState(s.State)})
		facts.Add("manifest", s.Manifest)
		facts.Add("SHA-256", s.ManifestSHA256)
	}
	facts.End()
	if r.Result.Outcomes.Total() > 0 {
		out.Blank()
		out.Outcomes(r.Result.Outcomes)
	}
}

// code is how a replay went, as an exit code: everything that was asked for has ended well, or not.
func (r *replayAnswer) code() int {
	switch {
	case errors.Is(r.err, starter.ErrReplayCancelled):
		return ExitCancelled
	case r.err != nil:
		return codeOf(r.err)
	}
	well := r.Result.Outcomes.Of(collection.OutcomeDelivered) + r.Result.Outcomes.Of(collection.OutcomeGone)
	if well < r.Result.Selected || r.Result.WithoutRaw > 0 || r.Result.LostParts > 0 {
		return ExitNotComplete
	}
	return ExitOK
}

// worse keeps what hinders most: a failure says more than a record that is dead still.
func worse(a, b int) int {
	switch {
	case a == ExitOK:
		return b
	case b == ExitFailure:
		return b
	}
	return a
}
