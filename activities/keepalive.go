package activities

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// attempt is one running attempt of an activity: it keeps the heartbeat going and carries the counters over from the
// attempts before it.
type attempt struct {
	ctx    context.Context
	number int
	// lost is how many workers were lost in a row that count against the record.
	lost     int
	stopBeat context.CancelFunc
	done     chan struct{}
	// leave ends the turn of an attempt that is tried alone; nil for others.
	leave func()
	// random gives numbers in [0, 1), for jitter.
	random func() float64

	mu       sync.Mutex
	progress collection.AttemptProgress
	// alone says that nobody else could be to blame: waiting is no excuse then.
	alone bool
}

// begin takes over the counters of earlier attempts and starts the heartbeat. An attempt that ends within the first beat
// costs no heartbeat at all. One whose record is about to be held for a killer of workers waits until it is alone.
func begin(ctx context.Context) *attempt {
	info := activity.GetInfo(ctx)
	a := &attempt{ctx: ctx, number: int(info.Attempt), done: make(chan struct{}), random: rand.Float64}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &a.progress); err != nil {
			// Counting from zero again errs on the side of trying once more.
			activity.GetLogger(ctx).Warn("the earlier attempts' counters cannot be read", "error", err)
			a.progress = collection.AttemptProgress{Ended: a.number - 1}
		}
	}
	a.lost = charged(max(a.number-1-a.progress.Ended, 0), a.progress.Waiting != "")
	a.progress.Waiting = ""
	beatCtx, cancel := context.WithCancel(ctx)
	a.stopBeat = cancel
	go func() {
		defer close(a.done)
		beatEvery(beatCtx, info.HeartbeatTimeout/beatsPerTimeout, func() { activity.RecordHeartbeat(a.ctx, a.snapshot()) })
	}()
	if a.suspicious(info.TaskQueue) {
		a.standAlone(info)
	}
	return a
}

// keptAlive runs an activity that has no counters of its own: its heartbeat is what tells a lost worker from a slow one.
func keptAlive[T any](ctx context.Context, do func() (T, error)) (T, error) {
	a := begin(ctx)
	out, err := do()
	return out, a.end(err)
}

// beatsPerTimeout is how often there is a heartbeat within the time after which silence counts as a lost worker.
const beatsPerTimeout = 3

// beatEvery sends a heartbeat now and then, whatever the activity is doing, until ctx ends.
func beatEvery(ctx context.Context, every time.Duration, beat func()) {
	if every <= 0 {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			beat()
		}
	}
}

func (a *attempt) snapshot() collection.AttemptProgress {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.progress
	if a.alone {
		p.Waiting = ""
	}
	return p
}

func (a *attempt) update(change func(*collection.AttemptProgress)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.progress)
}

// end stops the heartbeat. When the attempt has failed, its counters are handed to the next one; being stopped is no
// failure of the record.
func (a *attempt) end(err error) error {
	a.stopBeat()
	<-a.done
	if a.leave != nil {
		defer a.leave()
	}
	if err == nil {
		return nil
	}
	if a.ctx.Err() == nil {
		logEnd(a.ctx, err)
	}
	a.update(func(p *collection.AttemptProgress) { p.Ended, p.Waiting = a.number, "" })
	// The counters must get through even when the attempt itself was stopped, or it would count as a lost worker.
	activity.RecordHeartbeat(context.WithoutCancel(a.ctx), a.snapshot())
	if a.ctx.Err() != nil {
		return a.stopped(err)
	}
	return err
}

// logEnd writes one line about an attempt that failed: a warning when it was the last, and when it waits for a person's mending.
func logEnd(ctx context.Context, err error) {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		activity.GetLogger(ctx).Error("the attempt failed", "error", err)
		return
	}
	if app.NonRetryable() {
		activity.GetLogger(ctx).Warn("the failure is final", "reason", app.Type(), "detail", app.Message())
		return
	}
	say := activity.GetLogger(ctx).Info
	if forAPerson(collection.Reason(app.Type())) {
		say = activity.GetLogger(ctx).Warn
	}
	say("the attempt is tried again", "reason", app.Type(), "after", app.NextRetryDelay().String(), "detail", app.Message())
}

// forAPerson says whether nothing but somebody's mending helps against what is tried again: a store, or secrets, that weir cannot
// get at, and an egress that does not let it in. A lease that is lost comes back by itself.
func forAPerson(reason collection.Reason) bool {
	row := failure.Lookup(reason)
	return reason == collection.ReasonEgressAuth || row.Fault == failure.FaultUs && reason != collection.ReasonLeaseLost
}

// killer is the failure of a record that takes its workers along, or nil.
func (a *attempt) killer() error {
	if a.lost < failure.MaxLost {
		return nil
	}
	p := a.snapshot()
	return final(collection.ReasonWorkerKiller, collection.AttemptFailure{
		Detail:   fmt.Sprintf("%d workers were lost while they had this record in hand", a.lost),
		Attempts: p.Requests, FirstRequestAt: p.FirstRequestAt,
	}, nil)
}

// maxContested is how often one write may find somebody else's content before it is held to be a conflict.
const maxContested = 8

// contested is the failure of a write that another one has crossed. If that was an attempt of ours, looking again settles
// it; a stranger who goes on writing ends the record. The reason of the tries in between is one that may be retried: that
// of a conflict may not.
func (a *attempt) contested(detail string) error {
	times := 0
	a.update(func(p *collection.AttemptProgress) {
		if p.Reason != collection.ReasonDeliveryConflict {
			p.Reason, p.InARow = collection.ReasonDeliveryConflict, 0
		}
		p.InARow++
		times = p.InARow
	})
	f := collection.AttemptFailure{Detail: detail}
	if times >= maxContested {
		return final(collection.ReasonDeliveryConflict, f, nil)
	}
	return transient(collection.ReasonStoreUnavailable, 0, f, nil)
}

// untilStop is a context for waiting: it ends as soon as the worker is told to stop, not only when its grace is over.
func (a *attempt) untilStop() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(a.ctx)
	stop := activity.GetWorkerStopChannel(a.ctx)
	go func() {
		select {
		case <-stop:
			cancel(errStopping)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

var errStopping = errors.New("the worker is stopping")

// stopped tells a cancellation, which ends the activity, from a pause or a worker's shutdown, after which it goes on.
func (a *attempt) stopped(err error) error {
	if cause := context.Cause(a.ctx); temporal.IsCanceledError(cause) || errors.Is(cause, context.DeadlineExceeded) {
		return a.ctx.Err()
	}
	return a.leftOver(err)
}

// leftOver is the failure of an attempt whose worker stops: the record is taken up by another one, and charged nothing.
func (a *attempt) leftOver(cause error) error {
	return transient(collection.ReasonLeaseLost, a.leaseRetry(),
		collection.AttemptFailure{Detail: "the worker stopped with the record in hand; another one takes it"}, cause)
}

// The engine's own waits between attempts, which have no jitter.
const (
	firstRetry   = time.Second
	longestRetry = time.Minute
)

// leaseRetry is about what the engine would wait by itself: many records lose their right to make requests at one moment, and would
// come back at one.
func (a *attempt) leaseRetry() time.Duration {
	const doublings = 6 // beyond longestRetry
	return a.around(min(firstRetry<<min(max(a.number-1, 0), doublings), longestRetry))
}

func (a *attempt) around(d time.Duration) time.Duration { return around(d, a.random()) }
