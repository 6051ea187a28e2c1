package lease

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
)

// What an owner can forget, and what it cannot know then. A table that has forgotten leases lasts out those of which it is
// told, and those that its configuration speaks of. Nobody knows any more of longer leases that were given shortly before
// they were made shorter; and so no plot has an owner forget within such a lease of that, neither before nor after.

// forgotten is how long after a lease was given nothing can be left of it.
const forgotten = simLongTTL + simLongTTL/10 + simLingers

// begin starts a run of the owner.
func (w *world) begin(forgot bool) {
	w.runs++
	w.table.Begin(w.now, fmt.Sprintf("run %d", w.runs), w.table.Epoch, forgot)
}

// continueAsNew starts another run from the table as it is. A run that was reset to before a change of the TTL, and ends
// before any worker renews, would never learn of it; every renewal comes with the configuration.
func (w *world) continueAsNew() {
	if w.table.InDoubt && w.table.Settings.TTL.Std() != w.ttl {
		return
	}
	w.table = roundTrip(w.t, w.table)
	w.begin(false)
	w.past, w.history = roundTrip(w.t, w.table), nil
}

// reset has the owner forget all since its run began, what operators have said included. The engine may play again what
// workers said since.
func (w *world) reset(again bool) {
	if w.now.Before(w.loweredAt.Add(forgotten)) || w.someLingerFor(w.past.source("s").longestLinger()) {
		return
	}
	w.table = roundTrip(w.t, w.past)
	w.begin(true)
	w.lostAt, w.wasReset = w.now, true
	w.ceilings = append(w.ceilings, timed[int]{w.now, w.table.source("s").ceiling()})
	if !again {
		return
	}
	w.table.Expire(w.now)
	was := w.table.source("s").Breaker
	for _, m := range w.history {
		if m.released {
			w.table.Release(w.now, m.worker.name())
		} else {
			w.table.Renew(w.now, *m.request)
		}
	}
	is := w.table.source("s").Breaker
	require.Equal(w.t, was.State, is.State, "what was over is taken for news")
	require.Equal(w.t, was.Level, is.Level, "what was over is taken for news")
	require.LessOrEqual(w.t, total(is.Recent).Requests, total(was.Recent).Requests, "what was over is taken for news")
}

// loseOwner has a new owner take the place of one of which nothing is left. A worker that is there notices, and brings its
// configuration: the one in force, or another one with shorter leases if it still has one of the longer.
func (w *world) loseOwner(x *simWorker, another bool) {
	if w.now.Before(w.loweredAt.Add(forgotten)) || w.someLingerFor(w.linger) {
		return
	}
	there := !w.now.Before(x.frozen) && !w.now.Before(x.cut) && !x.leaving
	ttl := w.ttl
	if there && another && x.holder.TTL(w.clock(x)) == w.ttl {
		ttl = simTTL
	}
	w.table = w.newTable(ttl)
	w.begin(false)
	w.lostAt, w.wasReset = w.now, true
	w.ceilings = append(w.ceilings, timed[int]{w.now, w.plot.Ceiling})
	w.setTTL(ttl)
	if there {
		answer := w.table.Renew(w.now, *w.request(x, w.clock(x)).request)
		w.post(simMessage{worker: x, answer: &answer})
	}
	w.bring()
	w.table.Quarantine(w.now)
	w.past, w.history = roundTrip(w.t, w.table), nil
}

// useTTL changes how long leases last.
func (w *world) useTTL(ttl time.Duration) {
	if ttl < w.ttl && w.now.Before(w.lostAt.Add(forgotten)) {
		return
	}
	w.setTTL(ttl)
}

func (w *world) setTTL(ttl time.Duration) {
	if ttl < w.ttl {
		w.loweredAt = w.now
	}
	w.ttl, w.longest = ttl, max(w.longest, ttl)
	w.configure()
}

// useLinger changes how long requests may go on, for workers that join from now on; the others keep their configuration.
func (w *world) useLinger(linger time.Duration) {
	if !w.plot.Linger || linger < w.linger && w.now.Before(w.lostAt.Add(forgotten)) {
		return
	}
	w.linger = linger
	w.configure()
}

// someLingerFor says whether a worker's requests may go on for longer than that: nobody but the worker can tell a new owner.
func (w *world) someLingerFor(longer time.Duration) bool {
	return w.plot.Linger && slices.ContainsFunc(w.workers, func(x *simWorker) bool { return x.longest > longer })
}

// configure hands the configuration over where the owner has another one, as a worker does after its renewal.
func (w *world) configure() {
	s := w.table.source("s")
	if w.table.Settings.TTL.Std() == w.ttl && (s == nil || !w.plot.Linger || s.Config.Linger.Std() == w.linger) {
		return
	}
	require.NoError(w.t, w.table.Use(w.now, Settings{TTL: Milliseconds(w.ttl)}))
	w.bring()
	if !w.table.Settled(w.now) {
		w.table.Quarantine(w.now)
	}
}
