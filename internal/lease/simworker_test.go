package lease

import (
	"slices"
	"time"
)

// prefetch is how many collects a simulated worker has in hand beyond its permits.
const prefetch = 3

// act is what a process does in one step: stop what must stop, take in answers, start what may start, renew.
func (w *world) act(x *simWorker, chaos bool) {
	if !w.plot.Linger && !x.dead {
		w.endOverdue(x)
	}
	if x.dead || w.now.Before(x.frozen) {
		return
	}
	clock := w.clock(x)
	w.endOverdue(x)
	for _, a := range x.inbox {
		x.holder.Receive(clock, a)
	}
	x.inbox = nil
	grant := x.holder.Grant(clock, "s")
	x.pacer.Set(clock, grant.Pace)
	mine := w.count(x)
	if x.leaving {
		if mine == 0 {
			x.holder.Release()
			x.dead = true
			w.post(simMessage{worker: x, released: true})
		}
		return
	}
	working := !w.now.Before(x.idle)
	full := w.now.Before(x.full)
	for working && mine < grant.Permits && !(full && w.now.Before(x.room)) && x.pacer.Start(clock) {
		x.room = w.now.Add(simRoom)
		length := simStep * time.Duration(1+w.rng.IntN(int(x.longest/simStep)))
		w.inFlight = append(w.inFlight, simRequest{x, w.now.Add(length)})
		w.starts = append(w.starts, w.now)
		x.started++
		mine++
		x.peak = max(x.peak, mine)
	}
	x.polled = working && (x.polled || grant.Permits > 0 || !chaos)
	w.renew(x, clock, grant, mine)
}

// renew sends a request when one is due, or early when there are permits to be had.
func (w *world) renew(x *simWorker, clock time.Time, grant Grant, mine int) {
	early := !w.now.Before(x.full) && x.waiting() > 0 && mine >= grant.Permits && grant.Spare > 0 && clock.Sub(x.lastSent) >= simTTL/15
	if !early && clock.Before(x.holder.RenewAt()) {
		return
	}
	w.post(w.request(x, clock))
}

// request is the worker's next renewal.
func (w *world) request(x *simWorker, clock time.Time) simMessage {
	mine := w.count(x)
	x.lastSent = clock
	use := Use{Source: "s", InFlight: mine, Peak: x.peak, Waiting: x.waiting(), Full: w.now.Before(x.full), Seen: x.seen}
	if w.plot.Linger {
		use.Linger = Milliseconds(x.longest)
	}
	req := x.holder.Next(clock, []Use{use}, nil)
	x.peak, x.seen = mine, Report{}
	return simMessage{worker: x, request: &req}
}

func (x *simWorker) waiting() int {
	if x.polled {
		return prefetch
	}
	return 0
}

// finish counts a request that has come to its end.
func (w *world) finish(x *simWorker) {
	x.ended++
	x.seen.Requests++
	if w.now.Before(w.broken) || w.plot.FaultEvery > 0 && x.ended%w.plot.FaultEvery == 0 {
		x.seen.TargetFaults++
		return
	}
	x.seen.Successes++
}

func (x *simWorker) name() string { return x.holder.worker }

func (w *world) count(x *simWorker) int {
	n := 0
	for _, r := range w.inFlight {
		if r.worker == x {
			n++
		}
	}
	return n
}

// endOverdue cancels a worker's requests when its lease has ended. Where requests do not linger, the source is taken to
// notice even of a frozen worker.
func (w *world) endOverdue(x *simWorker) {
	if !x.holder.alive(w.clock(x)) {
		w.end(x)
	}
}

func (w *world) end(x *simWorker) {
	w.inFlight = slices.DeleteFunc(w.inFlight, func(r simRequest) bool { return r.worker == x })
}

// post puts a message on its way, or loses it, or sends it twice.
func (w *world) post(m simMessage) {
	copies := 1
	if w.rng.IntN(100) < w.plot.Loss || w.now.Before(m.worker.cut) {
		copies = 0
	} else if w.rng.IntN(100) < w.plot.Twice {
		copies = 2
	}
	for range copies {
		w.order++
		m.order = w.order
		m.at = w.now.Add(time.Duration(w.rng.Int64N(int64(w.plot.Delay) + 1)))
		w.mail = append(w.mail, m)
	}
}

// deliver hands over what has arrived. The owner handles nothing while it is down; nothing comes through a partition.
func (w *world) deliver() {
	slices.SortFunc(w.mail, func(a, b simMessage) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.order - b.order
	})
	var later []simMessage
	due := w.mail
	w.mail = nil
	for _, m := range due {
		toOwner := m.answer == nil
		switch {
		case m.at.After(w.now), toOwner && w.now.Before(w.down):
			later = append(later, m)
		case w.now.Before(m.worker.cut):
		case !toOwner:
			m.worker.inbox = append(m.worker.inbox, *m.answer)
		case m.released:
			w.history = append(w.history, m)
			w.table.Release(w.now, m.worker.name())
		default:
			w.handle(m)
		}
	}
	w.mail = append(w.mail, later...)
}
