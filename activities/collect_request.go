package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// answer is what a request brought.
type answer struct {
	response *collection.Response
	seen     failure.Observation
	// target is the URL that was requested first; known is what was here of the record before.
	target string
	known  *collection.Seen
	method string
	egress string
	// fingerprint is a digest of what else the answer hangs on.
	fingerprint string
}

// ask makes the record's request. Whether it may be made is settled before a permit is waited for: what robots.txt takes
// is a request of its own. A method that was switched while the record waited is taken up.
func (r *collectRun) ask(ctx context.Context, rec collection.Record) (answer, error) {
	for {
		method := r.Permits.Method(r.src.Name)
		src, ok := r.src.By(method)
		if !ok {
			return answer{}, r.methodUnknownHere(r.src.Name, method)
		}
		got := answer{method: method}
		var err error
		if got.target, err = r.clear(ctx, src, rec); err != nil {
			return answer{}, err
		}
		if src.Conditional {
			if got.fingerprint, err = r.Fetcher.Fingerprint(src, rec); err != nil {
				return answer{}, &collection.Refused{Reason: collection.ReasonBadRequest, Detail: err.Error()}
			}
		}
		if got.known, err = r.known(ctx, src, rec, got); err != nil {
			return answer{}, err
		}
		if r.gate.shut() {
			return answer{}, r.storeFailed(ctx, "store what is fetched", errStoreDown)
		}
		if why := r.ways.shut(r.Clock(), r.src.Name); why != "" {
			return answer{}, r.noEgress(why)
		}
		permit, err := r.permit(ctx)
		if err != nil {
			return answer{}, err
		}
		if permit.Method != method {
			permit.Release()
			continue
		}
		err = r.request(ctx, src, rec, permit, &got)
		return got, err
	}
}

func (r *collectRun) wait(what string) {
	r.update(func(p *collection.AttemptProgress) { p.Waiting = what })
}

// broken is the end of an attempt that our own side broke off before there was a request: the worker stops, or something that
// the attempt waited for did not come. Who has waited within waiting tells which.
func (r *collectRun) broken(ctx, waiting context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(waiting), errStopping):
		return r.leftOver(err)
	}
	return transient(collection.ReasonLeaseLost, r.leaseRetry(), r.failed("no request was made: "+err.Error()), nil)
}

func (r *collectRun) permit(ctx context.Context) (*Permit, error) {
	r.wait("permit")
	waitCtx, stopWaiting := r.untilStop()
	defer stopWaiting()
	permit, err := r.Permits.Acquire(waitCtx, r.src.Name)
	if err != nil {
		return nil, r.broken(ctx, waitCtx, err)
	}
	r.held = permit
	r.line.Permit, r.line.Pace = permit.Waited.Milliseconds(), permit.Paced.Milliseconds()
	return permit, nil
}

// request makes the request. The right to it ends with it: what follows is not the source's load. What it has brought takes
// room in the process until it is stored.
func (r *collectRun) request(ctx context.Context, src collection.Source, rec collection.Record, permit *Permit, got *answer) error {
	defer permit.EndRequest()
	leave, may := r.gate.enter()
	if !may {
		return r.storeFailed(ctx, "store what is fetched", errStoreDown)
	}
	r.leaveGate = leave
	egress, err := r.Egresses.Choose(src, rec, r.snapshot().BadEgress)
	r.ways.found(r.Clock(), r.src.Name, err)
	if err != nil {
		return r.noEgress(err.Error())
	}
	requestCtx, end := permit.Within(ctx)
	defer end()
	hop := hop{pass: permit.Hop(r.Robots, src)}
	via := collection.Via{Egress: egress, Room: r.takeRoom, Hop: hop.follow, Still: r.starting(permit)}
	if got.known != nil {
		via.ETag, via.LastModified = got.known.ETag, got.known.LastModified
	}
	if len(src.Egress.Use) > 0 {
		got.egress = egress
	}
	r.line.Method, r.line.Egress = got.method, got.egress
	r.wait("")
	got.response, got.seen = r.Fetcher.Fetch(requestCtx, src, rec, via)
	if !r.line.At.IsZero() {
		// At least one: nothing is what an attempt without a request took.
		r.line.Took = max(r.Clock().Sub(r.line.At).Milliseconds(), 1)
	}
	switch {
	case ctx.Err() != nil:
		// Whatever the observation says, it was we who broke the request off.
		return ctx.Err()
	case permit.Context.Err() != nil:
		r.line.Reason = collection.ReasonLeaseLost
		return transient(collection.ReasonLeaseLost, r.leaseRetry(),
			r.failed("the request was broken off: "+context.Cause(permit.Context).Error()), nil)
	}
	if hop.fault != nil {
		return r.noWay(src, hop.fault)
	}
	r.Egresses.Report(egress, failure.Classify(got.seen))
	return nil
}

// roomPatience bounds the wait for room while a target is kept waiting: hardly one waits longer.
const roomPatience = 30 * time.Second

var errNoRoom = fmt.Errorf("other large responses are in hand, and worker.body_memory left no room for this one within %s", roomPatience)

// takeRoom waits for room for a large body; it is held until the body is stored. Who holds it needs nothing more that others
// may hold, so those who wait here, with room in the process in hand, do not wait for each other.
func (r *collectRun) takeRoom(ctx context.Context, bytes int64) error {
	r.wait("memory")
	defer r.wait("")
	waiting, done := context.WithTimeout(ctx, roomPatience)
	defer done()
	taken, err := r.Memory.Acquire(waiting, bytes)
	r.room += taken
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errNoRoom
	}
	return err
}

// freeRoom gives back all room that the attempt holds: there is no body in hand any more.
func (r *collectRun) freeRoom() {
	r.Memory.Release(r.room)
	r.room = 0
	if r.held != nil {
		r.held.Release()
		r.held = nil
	}
	if r.leaveGate != nil {
		r.leaveGate()
	}
}

// starting is asked before anything goes out, and notes that it does: an attempt that ends before has made no request.
func (r *collectRun) starting(permit *Permit) func() error {
	var start sync.Once
	return func() error {
		if permit.Still != nil {
			if err := permit.Still(); err != nil {
				return err
			}
		}
		start.Do(r.startRequest)
		return nil
	}
}

func (r *collectRun) startRequest() {
	now := r.Clock()
	r.line.At = now.UTC()
	first := false
	r.update(func(p *collection.AttemptProgress) {
		p.Requests++
		if p.FirstRequestAt == nil {
			first = true
			p.FirstRequestAt = &now
		}
	})
	if first && !r.in.Again {
		r.Metrics.StartWait(r.in.Customer, max(0, now.Sub(r.in.AcceptedAt))) // clocks differ a little
	}
}

// met counts what the attempt has met.
func (r *collectRun) met(f encounter) {
	r.update(func(p *collection.AttemptProgress) {
		if failure.Charged(f.reason, f.ofSource) {
			p.Faults++
		}
		if p.Reason != f.reason {
			p.Reason, p.InARow = f.reason, 0
		}
		p.InARow++
	})
}

func (r *collectRun) note(met encounter, response *collection.Response, status int) {
	r.met(met)
	r.line.Status, r.line.Reason = status, met.reason
	bad := ""
	if failure.Lookup(met.reason).Fault == failure.FaultEgress {
		bad = r.line.Egress
	}
	r.update(func(p *collection.AttemptProgress) { p.BadEgress = bad })
	var took time.Duration
	var size int64
	if response != nil {
		took, size = response.Duration, int64(len(response.Body))
	}
	r.Metrics.Request(r.src.Name, met.reason, took, size)
	r.Permits.Report(r.src.Name, failure.Heard(met.reason, met.ofSource), met.retryAfter)
}
