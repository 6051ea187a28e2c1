package lease

import (
	"slices"
	"time"
)

// noEpoch is what a worker says that acts on no answer of which it knows from which run of the owner it is.
const noEpoch = "none"

// mostEpochs bounds how many runs a table knows to be its own: a worker acts on no answer for longer than a lease.
const mostEpochs = 8

// Begin tells the table which run of its owner goes on with it from now on, and which came before, if any. The names must
// be such that no two runs share one, a run that was reset included: workers say of which run the last answer is that they
// act on, and so show answers that the table has forgotten. forgot says that it has forgotten some already.
//
// Without a call the table trusts what workers say.
func (t *Table) Begin(now time.Time, epoch, before string, forgot bool) {
	if t.InDoubt {
		// What the run before had forgotten, it had forgotten when it began. It may have ended without a word from a worker, so
		// that the table's own time can be that of the past which it was reset to.
		t.Quarantine(now)
	}
	t.Epoch, t.InDoubt = epoch, forgot
	for _, known := range []string{before, epoch} {
		if known != "" && !slices.Contains(t.Epochs, known) {
			t.Epochs = append(t.Epochs, known)
		}
	}
	t.Epochs = slices.Delete(t.Epochs, 0, max(0, len(t.Epochs)-mostEpochs))
}

// doubt looks for signs that the owner's table is from before what workers were told: then nobody is given more until all
// that it may not know of has run out. The caller has advanced the table.
//
// A run that was reset plays its past again. Only what shows an answer of its own is certainly not of that past, so until
// then the table stays in doubt. Workers that tell of no epoch neither end the doubt nor prolong it.
func (t *Table) doubt(now time.Time, req Request) {
	if t.Epoch == "" {
		return
	}
	shows := req.Epoch != "" && req.Epoch != noEpoch
	if shows && !slices.Contains(t.Epochs, req.Epoch) {
		t.InDoubt = true
	}
	if t.InDoubt && req.Epoch != "" || !shows && t.holdsUnknown(req) {
		linger := Millis(0)
		for _, w := range req.Sources {
			linger = max(linger, w.linger())
		}
		t.quarantine(now, req.TTL, linger)
	}
	if req.Epoch == t.Epoch {
		t.InDoubt = false
	}
}

// believes says whether what a request tells of sources and egresses is news. A run that was reset plays old requests again,
// and would take a fault, or a wait that a source has asked for, of hours ago for one of now. A worker that is there tells
// with its next request what is left of a wait. One that knows of no epoch is believed, as it ends no doubt.
func (t *Table) believes(req Request) bool { return !t.InDoubt || req.Epoch == "" }

// waits says whether what a request tells of waits that sources have asked for counts from now. It says what was left of one
// when it was sent, and may be an old request that nobody was there to handle, or several of them. So it counts where the
// worker's lease still ran, and the answer that the worker acts on is one of that lease. A worker that is there tells with
// its next request what is left; and without a lease it makes no request, so that a new one has met nothing yet.
func (w *Worker) waits(leased bool, req Request) bool {
	tells := req.Answered > 0 || req.Epoch == noEpoch
	return leased && (!tells || req.Answered >= w.From)
}

// holdsUnknown says whether a worker acts on permits that the table has not given to it. One that shows the epoch of its
// answer needs no such test: its request may only have come late.
func (t *Table) holdsUnknown(req Request) bool {
	return slices.ContainsFunc(req.Sources, func(w Want) bool {
		known := 0
		if s := t.source(w.Source); s != nil {
			if i, ok := s.search(req.Worker); ok {
				known = s.Holdings[i].Exposed
			}
		}
		return w.Held > known
	})
}

// Settled says whether the table knows all that workers may hold.
func (t *Table) Settled(now time.Time) bool { return !now.Before(t.SettlesAt) }
