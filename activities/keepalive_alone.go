package activities

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

const (
	// waitAlone is what an attempt waits for that is to be tried alone.
	waitAlone = "alone"
	// maxExcused is how many lost workers a record may not be charged with because it only waited when they were lost. It is a
	// bound for the case that nobody foresees.
	maxExcused = 4 * failure.MaxLost
	// slowestBeat is longer than a worker ever keeps a heartbeat back.
	slowestBeat = 6 * time.Second
)

// charged is how many lost workers count against a record. One that waits has nothing in hand that could harm its worker:
// whoever was lost then was lost to another record, and that is never the last straw.
func charged(lost int, waited bool) int {
	if waited && lost < maxExcused {
		return min(lost, failure.MaxLost-1)
	}
	return lost
}

// suspicious says whether one more lost worker is the record's end, or would be but for what it is excused. Plans and the like
// have many records in hand, and do not end so.
func (a *attempt) suspicious(queue string) bool {
	return a.lost == failure.MaxLost-1 && queue != collection.QueuePlan && queue != collection.QueueFleet
}

// turns are what makes suspicious records of one queue take turns in this process, so that a killer takes down no other
// record with it that would be held to be one, too. A process is what is lost, so a process is what they must not share.
var turns = turnsByQueue{queues: map[string]chan struct{}{}}

type turnsByQueue struct {
	mu     sync.Mutex
	queues map[string]chan struct{}
}

func (t *turnsByQueue) of(queue string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn, ok := t.queues[queue]
	if !ok {
		turn = make(chan struct{}, 1)
		t.queues[queue] = turn
	}
	return turn
}

// standAlone waits until no other suspicious record of the queue is tried in this process. That it waits is known to the engine
// before another one can take the process down; that it waits no longer, before it goes on. The wait ends in any case when
// half of the attempt's time is over, and with the worker.
func (a *attempt) standAlone(info activity.Info) {
	a.tell(func(p *collection.AttemptProgress) { p.Waiting = waitAlone })
	ctx, done := a.untilStop()
	defer done()
	turn, ended := turns.of(info.TaskQueue), ctx
	if !info.Deadline.IsZero() {
		var cancel context.CancelFunc
		ended, cancel = context.WithTimeout(ctx, time.Until(info.Deadline)/2)
		defer cancel()
	}
	select {
	case turn <- struct{}{}:
		a.leave = func() { <-turn }
	case <-ended.Done():
		a.update(func(p *collection.AttemptProgress) { p.Waiting = "" })
		return
	}
	a.tell(func(p *collection.AttemptProgress) { p.Waiting, a.alone = "", true })
	told := time.NewTimer(min(info.HeartbeatTimeout*9/10, slowestBeat))
	defer told.Stop()
	select {
	case <-told.C:
	case <-ctx.Done():
	}
}

// tell changes the counters and lets the engine know at once, or as soon as the worker sends the next heartbeat.
func (a *attempt) tell(change func(*collection.AttemptProgress)) {
	a.update(change)
	activity.RecordHeartbeat(a.ctx, a.snapshot())
}
