package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// forgetful is an owner whose table goes back to an earlier moment while workers hold what it gave since.
type forgetful struct {
	t     *testing.T
	table *Table
	now   time.Time
}

func newForgetful(t *testing.T) *forgetful {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4, Linger: 30_000})
	table.Begin(noon, "run 1", "", false)
	return &forgetful{t, table, noon}
}

// renew has a worker with much work renew, and returns what it may have in flight then.
func (o *forgetful) renew(h *Holder) int {
	held := h.Grant(o.now, "s").Permits
	req := h.Next(o.now, []Use{{Source: "s", InFlight: held, Peak: held, Waiting: 9}}, nil)
	if h.worker[0] == 'o' {
		req.Epoch = "" // an old worker knows of none
	}
	h.Receive(o.now, o.table.Renew(o.now, req))
	return h.Grant(o.now, "s").Permits
}

func (o *forgetful) wait(d time.Duration) { o.now = o.now.Add(d) }

// TestResetKeepsTheCeiling: an owner that was reset to a moment at which nobody held anything, without the renewals since,
// gives nothing away that those it has forgotten still hold; not even to a new worker that comes first.
func TestResetKeepsTheCeiling(t *testing.T) {
	o := newForgetful(t)
	past := roundTrip(t, o.table)
	a, b, d := NewHolder("a"), NewHolder("b"), NewHolder("d")
	require.Equal(t, 4, o.renew(a))
	o.wait(time.Second)
	o.table = past
	o.table.Begin(o.now, "run 2", "", true)
	require.Zero(t, o.renew(d))
	o.wait(time.Second)
	require.Zero(t, o.renew(a), "it cannot tell whose that is")
	// d shows an answer of this run: from here on everything runs out that was forgotten.
	o.wait(time.Second)
	require.Zero(t, o.renew(d))
	ends := o.now.Add(16*time.Second + 500*time.Millisecond + 30*time.Second)
	for a = nil; o.now.Before(ends); o.wait(4 * time.Second) { // a dies
		require.Zero(t, o.renew(b), o.now.Sub(noon))
		require.Zero(t, o.renew(d), o.now.Sub(noon))
	}
	o.renew(b)
	o.renew(d)
	o.wait(time.Second)
	require.Equal(t, 4, o.renew(b)+o.renew(d))
	require.False(t, o.table.InDoubt)
}

// TestDeletedOwnerIsNoticed: a new owner that thinks it is the first learns from a worker's epoch, or from an old worker's
// permits, that it is not.
func TestDeletedOwnerIsNoticed(t *testing.T) {
	for _, worker := range []string{"a", "old"} {
		o := newForgetful(t)
		h, d := NewHolder(worker), NewHolder("d")
		require.Equal(t, 4, o.renew(h))
		o.wait(time.Second)
		o.table = newTable(t, SourceConfig{Source: "s", Ceiling: 4, Linger: 30_000})
		o.table.Begin(o.now, "another run", "", false)
		o.renew(h)
		require.False(t, o.table.Settled(o.now), worker)
		require.Zero(t, o.renew(d), worker)
	}
}

// TestNoDoubtWithoutCause: neither a fleet that goes on over the owner's runs, nor workers that know of no epoch, nor a
// worker that has lost its lease, keep permits from anybody.
func TestNoDoubtWithoutCause(t *testing.T) {
	o := newForgetful(t)
	a, old, d := NewHolder("a"), NewHolder("old"), NewHolder("d")
	for i, run := range []string{"run 2", "run 3", "run 4", "run 5", "run 6", "run 7", "run 8", "run 9", "run 10", "run 11"} {
		o.renew(a)
		o.renew(old)
		o.wait(4 * time.Second)
		o.table = roundTrip(t, o.table)
		o.table.Begin(o.now, run, o.table.Epoch, false)
		require.Positive(t, o.renew(a)+o.renew(old), run)
		require.True(t, o.table.Settled(o.now), run)
		require.LessOrEqual(t, len(o.table.Epochs), mostEpochs)
		require.Equal(t, i == 0, o.table.Epochs[0] == "run 1" && len(o.table.Epochs) == 2)
	}
	require.Equal(t, 4, o.renew(a)+o.renew(old))
	// d held its last grant ages ago.
	o.renew(d)
	o.wait(time.Hour)
	for _, run := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"} {
		o.table.Begin(o.now, run, o.table.Epoch, false)
	}
	o.renew(d)
	require.True(t, o.table.Settled(o.now))
	require.Equal(t, 4, o.renew(d))
}

// TestOldWorkersEndNoDoubtAndMakeNone: a fleet in which nobody knows of epochs is not kept waiting for one that does.
func TestOldWorkersEndNoDoubtAndMakeNone(t *testing.T) {
	o := newForgetful(t)
	old := NewHolder("old")
	o.table.Begin(o.now, "run 2", "run 1", true)
	for range 3 {
		require.Equal(t, 4, o.renew(old))
		o.wait(5 * time.Second)
	}
	require.True(t, o.table.Settled(o.now))
	require.True(t, o.table.InDoubt)
	// A run after it has nothing to doubt, once the last lease that it may not know of is over.
	o.table.Begin(o.now, "run 3", "run 2", false)
	require.False(t, o.table.InDoubt)
	require.False(t, o.table.Settled(o.now))
	o.wait(time.Minute)
	require.Equal(t, 4, o.renew(old))
	require.True(t, o.table.Settled(o.now))
}

// TestResetRunThatEndsUnheard: a run that was reset, and ends before any worker renews, hands its doubt over as of now, not
// as of the past it was reset to.
func TestResetRunThatEndsUnheard(t *testing.T) {
	o := newForgetful(t)
	past := roundTrip(t, o.table)
	a, b := NewHolder("a"), NewHolder("b")
	o.wait(time.Hour)
	require.Equal(t, 4, o.renew(a))
	o.table = past
	o.table.Begin(o.now, "run 2", "", true)
	o.wait(time.Second)
	o.table = roundTrip(t, o.table)
	o.table.Begin(o.now, "run 3", "run 2", false)
	require.Zero(t, o.renew(b))
	o.wait(16*time.Second + 500*time.Millisecond + 30*time.Second)
	require.Equal(t, 4, o.renew(b))
}

// long is a lease beside which the 15 s of newForgetful are short.
var long = Settings{TTL: 300_000}

// share has two workers hold two permits each, under leases of 300 s.
func (o *forgetful) share() (a, b *Holder) {
	a, b = NewHolder("a"), NewHolder("b")
	require.NoError(o.t, o.table.Use(o.now, long))
	for range 3 {
		o.renew(a)
		o.renew(b)
		o.wait(time.Second)
	}
	require.Equal(o.t, 2, b.Grant(o.now, "s").Permits)
	return a, b
}

// requireShared has a renew for as long as the other's lease may last, and its requests linger. Nobody takes what the other
// holds, and in the end all of it is given.
func (o *forgetful) requireShared(a *Holder) {
	for ends := o.now.Add(325*time.Second + 30*time.Second); o.now.Before(ends); o.wait(5 * time.Second) {
		require.LessOrEqual(o.t, o.renew(a), 2, o.now.Sub(noon))
	}
	o.wait(10 * time.Second)
	require.Equal(o.t, 4, o.renew(a))
}

// TestResetAcrossLeaseTTL: an owner that was reset to before leases were made longer grants nothing for as long as those last
// that it has forgotten, and not only for as long as its own would.
func TestResetAcrossLeaseTTL(t *testing.T) {
	o := newForgetful(t)
	past := roundTrip(t, o.table)
	o.wait(time.Hour)
	a, _ := o.share()
	o.table = past
	o.table.Begin(o.now, "run 2", "", true)
	o.requireShared(a)
}

// TestNewOwnerAcrossLeaseTTL: an owner is lost in a rollout that makes leases longer, and an old worker brings the next one
// its configuration.
func TestNewOwnerAcrossLeaseTTL(t *testing.T) {
	o := newForgetful(t)
	a, _ := o.share()
	table, err := New(Settings{})
	require.NoError(t, err)
	o.table = table
	o.table.Begin(o.now, "another run", "", false)
	require.Zero(t, o.renew(a))
	require.NoError(t, o.table.Configure(o.now, []SourceConfig{{Source: "s", Ceiling: 4, Linger: 30_000}}))
	o.table.Quarantine(o.now)
	o.requireShared(a)
}

// TestToldLeaseIsBounded: a worker that is mistaken about its lease stops nobody for long, nor does it make any wait shorter.
func TestToldLeaseIsBounded(t *testing.T) {
	for told, settles := range map[Millis]time.Duration{
		-1: 16500 * time.Millisecond, 0: 16500 * time.Millisecond, 14_000: 16500 * time.Millisecond, 20_000: 22 * time.Second,
		1 << 62: 66 * time.Minute,
	} {
		table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
		table.Begin(noon, "run 1", "", false)
		table.Renew(noon, Request{Worker: "a", Sequence: 1, Epoch: "another", TTL: told})
		require.Equal(t, settles, table.SettlesAt.Sub(noon), told)
	}
}

// TestHoldersTellOfTheirLease: as long as they have one, and whatever a late answer has made of it.
func TestHoldersTellOfTheirLease(t *testing.T) {
	h := NewHolder("w")
	require.Zero(t, ask(h, at(0)).TTL)
	require.Zero(t, h.TTL(at(1)))
	require.True(t, h.Receive(at(1), granting(1, 3)))
	require.Equal(t, 10*time.Second, h.TTL(at(1)))
	require.Equal(t, Millis(10_000), ask(h, at(3_000)).TTL)
	ask(h, at(6_000))
	longer := granting(2, 3)
	longer.TTL = 300_000
	require.True(t, h.Receive(at(6_100), longer))
	require.Equal(t, Millis(300_000), ask(h, at(9_000)).TTL)
	require.Zero(t, h.TTL(at(303_000)))
	require.Zero(t, ask(h, at(303_000)).TTL)
}

// TestResetTakesOldReportsForOld: the engine plays renewals of hours ago again. What they met is over; only what somebody
// tells who has heard of the new run is news.
func TestResetTakesOldReportsForOld(t *testing.T) {
	o := newForgetful(t)
	past := roundTrip(t, o.table)
	o.renew(NewHolder("b"))
	a := NewHolder("a")
	o.renew(a)
	seen := Report{Requests: 9, TargetFaults: 8, Throttled: 1, LongestRetryAfter: 3_600_000, Heard: &time.Time{}}
	faults := []EgressReport{{Egress: "p", Faults: 9, Trailing: 9}}
	tell := func() Request { return a.Next(o.now, []Use{{Source: "s", Waiting: 1, Seen: seen}}, faults) }
	old := tell()
	a.Receive(o.now, o.table.Renew(o.now, old))
	require.Equal(t, BreakerOpen, o.table.View(o.now)[0].Breaker)
	o.wait(10 * time.Hour)

	o.table = past
	o.table.Begin(o.now, "run 2", "", true)
	played := o.table.Renew(o.now, old)
	require.Equal(t, BreakerClosed, o.table.View(o.now)[0].Breaker)
	require.Empty(t, played.Egress)
	require.Empty(t, o.table.Egresses)
	// A worker that is there shows no answer of this run yet; with its next request it does.
	a.Receive(o.now, o.table.Renew(o.now, tell()))
	require.Equal(t, BreakerClosed, o.table.View(o.now)[0].Breaker)
	a.Receive(o.now, o.table.Renew(o.now, tell()))
	require.Equal(t, o.now.Add(time.Hour), o.table.View(o.now)[0].OpensAt)
	require.Equal(t, EgressRetired, o.table.ViewEgresses(o.now)[0].State)

	// Those that know of no epochs end no doubt, and are believed: a fleet of them must not do without breakers.
	o.table = roundTrip(t, past)
	o.table.Begin(o.now, "run 3", "", true)
	seen.LongestRetryAfter = 0
	o.table.Renew(o.now, Request{Worker: "old", Sequence: 1, Sources: []Want{{Source: "s", Seen: seen}}})
	require.Equal(t, BreakerOpen, o.table.View(o.now)[0].Breaker)
}
