package cli

import (
	"context"
	"fmt"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
)

// wait follows a submission to its end. Breaking it off ends the waiting only, and says so.
func (a *app) wait(ctx context.Context, c client, id string) (collection.SubmissionStatus, error) {
	remarks := a.remarks()
	progress := remarks.NewProgress()
	status, err := c.Wait(ctx, id, func(s collection.SubmissionStatus) { progress.Show(s, a.world.Now()) })
	progress.End()
	if remarks.IsTerminal() {
		remarks.Blank()
	}
	if err == nil {
		return status, nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: the waiting has ended, submission %s goes on", errInterrupted, id)
	}
	// Nobody need worry about a submission that was only looked at.
	hint(remarks, "look again", "weir status "+id+" --wait")
	return status, err
}

// showEnd writes how a submission has ended, and where to go from there.
func (a *app) showEnd(s collection.SubmissionStatus) {
	a.showStatus(s, nil)
	remarks := a.remarks()
	for _, o := range screen.FailedOutcomes(s.Outcomes) {
		hint(remarks, "why", "weir records "+s.Submission+" --outcome "+string(o))
	}
	if s.Result != nil {
		hint(remarks, "files", "weir links "+s.Submission)
	}
}
