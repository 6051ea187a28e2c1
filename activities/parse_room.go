package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
)

const (
	// handBack is what is left of an attempt's time when it gives up, to say so.
	handBack = 10 * time.Second
	// noRoomRetry is about the wait after a worker had no room for a body for as long as an attempt may wait.
	noRoomRetry = 10 * time.Second
)

// bodyRoom is what an attempt holds of its process's memory for a large body.
type bodyRoom struct {
	memory Memory
	*attempt
	taken int64
}

// take waits for room for what the parsing of so many bytes takes. What was held before is given back first, so that nobody
// holds room while waiting for more. Small bodies need none: so few are parsed at once.
func (r *bodyRoom) take(ctx context.Context, size int64) error {
	r.free()
	if size <= collection.SmallBody {
		return nil
	}
	r.update(func(p *collection.AttemptProgress) { p.Waiting = "memory" })
	stopping, done := r.untilStop()
	defer done()
	waiting, cancel := stopping, context.CancelFunc(func() {})
	if deadline := activity.GetInfo(ctx).Deadline; !deadline.IsZero() {
		waiting, cancel = context.WithTimeout(stopping, time.Until(deadline)/2)
	}
	defer cancel()
	taken, err := r.memory.Acquire(waiting, extract.Weight(size))
	r.taken = taken
	r.update(func(p *collection.AttemptProgress) { p.Waiting = "" })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(stopping), errStopping):
		return r.leftOver(err)
	}
	return transient(collection.ReasonLeaseLost, r.around(noRoomRetry), collection.AttemptFailure{
		Detail: "other large responses are being read, and worker.body_memory leaves no room for this one; it is tried again",
	}, nil)
}

func (r *bodyRoom) free() {
	r.memory.Release(r.taken)
	r.taken = 0
}

// readingTime is the context of an attempt up to a little before its end, when there is time still to tell the engine.
func readingTime(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline := activity.GetInfo(ctx).Deadline
	if deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-handBack))
}
