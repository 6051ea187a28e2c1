package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

// A wait that goes well is over before silence, or shows progress; after that, it is worth a look whether anybody works.
const (
	silence   = 3 * time.Second
	lookAgain = 10 * time.Second
)

// work is what is waited for: a workflow, and those who must do it.
type work struct {
	workflow string
	roles    []collection.Role
}

// attended waits for work. Where nobody takes it, it says so while it waits on, once; where a step of it fails and is tried again,
// what the failure says, once for each that says something new. say is called from another goroutine than wait, and not any
// more when attended has returned.
func attended(ctx context.Context, c client, w work, say func(text string), wait func(ctx context.Context) error) error {
	looking, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lookAfter(looking, c, w, say)
	}()
	err := wait(ctx)
	stop()
	<-done
	return err
}

func lookAfter(ctx context.Context, c client, w work, say func(text string)) {
	timer := time.NewTimer(silence)
	defer timer.Stop()
	alone, said := false, ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if !alone {
			missing, err := c.Unattended(ctx, w.workflow, w.roles...)
			// Who cannot be asked says nothing of workers; what is waited for tells of that itself.
			if alone = err == nil && len(missing) > 0 && ctx.Err() == nil; alone {
				say(starter.NoWorker(missing...))
			}
		}
		h, is, err := c.Hindered(ctx, w.workflow)
		if ctx.Err() != nil {
			return
		}
		if err == nil && is && h.Text != said {
			said = h.Text
			say(hindranceText(h))
		}
		timer.Reset(lookAgain)
	}
}

// hindranceText says that something is tried again, and why.
func hindranceText(h starter.Hindrance) string {
	return fmt.Sprintf("%s has failed %s and is tried again: %s", h.Step, timesText(h.Failed), screen.Clean(h.Text))
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return screen.Count(n) + " times"
}

// goesOn is the error of who has broken off the waiting for a workflow that nobody else would end.
func goesOn(workflow string) error {
	return fmt.Errorf("%w: the waiting has ended, %s goes on; to end it: temporal workflow terminate --workflow-id %s",
		errInterrupted, workflow, workflow)
}
