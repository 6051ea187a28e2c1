package activities

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// startLine begins what the trail will say of this attempt: how long it lay in the queue, and how long it was kept from it
// on purpose. Of a wait in which a worker was lost nobody can tell the parts, so all of it counts as the queue's.
func (r *collectRun) startLine(ctx context.Context) {
	p := r.snapshot()
	since, delay := activity.GetInfo(ctx).ScheduledTime, time.Duration(0)
	if p.EndedAt != nil {
		since = *p.EndedAt
		if r.lost == 0 {
			delay = time.Duration(p.Delay) * time.Millisecond
		}
	}
	waited := max(r.started.Sub(since), 0)
	delay = min(delay, waited)
	r.line = collection.AttemptLine{Backoff: delay.Milliseconds(), Queue: (waited - delay).Milliseconds()}
}

// trail is what is known so far, this attempt included.
func (r *collectRun) trail() *collection.Trail {
	var t collection.Trail
	if before := r.snapshot().Trail; before != nil {
		t = *before
	}
	line := r.line
	if line.At.IsZero() {
		line.At = r.Clock().UTC()
	}
	t = t.Add(line)
	return &t
}

// decided notes what robots.txt says of the record.
func (r *collectRun) decided(d collection.RobotsDecision) {
	r.update(func(p *collection.AttemptProgress) {
		t := collection.Trail{}
		if p.Trail != nil {
			t = *p.Trail
		}
		t.Robots = &d
		p.Trail = &t
	})
}

// leaveDelay leaves for the next attempt what it must know of this one's end.
func (r *collectRun) leaveDelay(err error) {
	if err == nil {
		return
	}
	now := r.Clock().UTC()
	var delay time.Duration
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		delay = app.NextRetryDelay()
		r.line.Reason = cmp.Or(r.line.Reason, collection.Reason(app.Type()))
	}
	if r.cancelled() {
		r.line.Reason = cmp.Or(r.line.Reason, collection.ReasonCancelled)
	}
	trail := r.trail()
	r.update(func(p *collection.AttemptProgress) {
		p.Trail, p.EndedAt, p.Delay = trail, &now, delay.Milliseconds()
	})
}

// story is the error with which an attempt ends. A record that is cancelled while it is collected ends here as well, and its
// result has no other way to learn how far it came than the details of the cancellation.
func (r *collectRun) story(err error) error {
	if err == nil || !r.cancelled() {
		return err
	}
	p := r.snapshot()
	return temporal.NewCanceledError(collection.AttemptFailure{Attempts: p.Requests, FirstRequestAt: p.FirstRequestAt, Trail: p.Trail})
}

// cancelled says whether somebody has cancelled the record, in contrast to a worker that stops and to time that is over.
func (r *collectRun) cancelled() bool { return temporal.IsCanceledError(context.Cause(r.ctx)) }
