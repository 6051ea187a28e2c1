package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// at is a time of a worker's clock, in milliseconds.
func at(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

// granting is an answer of ten seconds.
func granting(sequence int64, permits int) Answer {
	return Answer{Sequence: sequence, TTL: 10_000, RenewIn: 3_000,
		Grants: []Grant{{Source: "s", Permits: permits, Pace: Pace{Rate: OnePerSecond, Burst: 1, Fill: 700}, Open: true}}}
}

func ask(h *Holder, now time.Time) Request { return h.Next(now, []Use{{Source: "s"}}, nil) }

func TestHolderCountsFromWhenItSent(t *testing.T) {
	h := NewHolder("w")
	require.Zero(t, h.Grant(at(0), "s").Permits, "no lease, no request")
	_, leased := h.Ends()
	require.False(t, leased)

	req := ask(h, at(0))
	require.Equal(t, Request{Worker: "w", Sequence: 1, Epoch: noEpoch, Sources: []Want{{Source: "s"}}}, req)
	require.Equal(t, at(1000), h.RenewAt(), "until the first answer, it asks again after a second")
	require.True(t, h.Receive(at(4000), granting(1, 3)))
	require.Equal(t, 3, h.Grant(at(4000), "s").Permits)
	require.Equal(t, at(3000), h.RenewAt())
	ends, leased := h.Ends()
	require.True(t, leased)
	require.Equal(t, at(10_000), ends)
	require.Equal(t, 3, h.Grant(at(9_999), "s").Permits)
	require.True(t, h.Leased(at(9_999)))
	require.False(t, h.Leased(at(10_000)))
	require.Equal(t, Grant{Source: "s"}, h.Grant(at(10_000), "s"))
	require.Zero(t, h.Grant(at(5000), "other").Permits)

	require.Zero(t, ask(h, at(10_000)).Sources[0].Held, "a lost lease is reported as nothing held")
}

func TestHolderIgnoresWhatItMust(t *testing.T) {
	h := NewHolder("w")
	ask(h, at(0))
	require.False(t, h.Receive(at(10_000), granting(1, 3)), "it came too late")
	require.False(t, h.Receive(at(1), granting(1, 3)), "and it comes only once")
	require.False(t, h.Receive(at(1), granting(7, 3)), "nothing of the kind was sent")
	ask(h, at(11_000))
	require.False(t, h.Receive(at(11_100), Answer{Sequence: 2, Stale: true}))
	require.Zero(t, h.Grant(at(11_200), "s").Permits)
}

// TestHolderLateAnswers has answers to earlier requests lengthen the lease and lower grants, and nothing else.
func TestHolderLateAnswers(t *testing.T) {
	h := NewHolder("w")
	ask(h, at(0))
	require.True(t, h.Receive(at(100), granting(1, 3)))

	ask(h, at(3000))
	require.Equal(t, 3, ask(h, at(6000)).Sources[0].Held)
	require.True(t, h.Receive(at(6100), granting(2, 8)))
	require.Equal(t, 3, h.Grant(at(6100), "s").Permits, "three is what the last request said")
	ends, _ := h.Ends()
	require.Equal(t, at(13_000), ends)
	require.Zero(t, h.Grant(at(6100), "s").Pace.Fill, "the bucket has been filled once")

	ask(h, at(9000))
	require.True(t, h.Receive(at(9100), granting(3, 1)))
	require.Equal(t, 1, h.Grant(at(9100), "s").Permits)
	require.True(t, h.Receive(at(9200), granting(4, 8)))
	require.Equal(t, 8, h.Grant(at(9200), "s").Permits)

	// Two answers in the wrong order: the older one is of no use.
	ask(h, at(10_000))
	ask(h, at(11_000))
	require.True(t, h.Receive(at(11_100), granting(6, 5)))
	require.False(t, h.Receive(at(11_200), granting(5, 9)))
	require.Equal(t, 5, h.Grant(at(11_200), "s").Permits)

	// Once the loss has been reported, a late answer brings nothing back.
	ask(h, at(20_000))
	require.Zero(t, ask(h, at(21_000)).Sources[0].Held)
	require.False(t, h.Receive(at(21_100), granting(7, 9)))
	require.Zero(t, h.Grant(at(21_200), "s").Permits)
}

func TestHolderClosesWithTheHours(t *testing.T) {
	h := NewHolder("w")
	ask(h, at(0))
	a := granting(1, 3)
	a.Grants[0].ClosesIn = 2_000
	a.Egress = []EgressState{{Egress: "p1"}}
	require.True(t, h.Receive(at(500), a))
	require.Equal(t, []EgressState{{Egress: "p1"}}, h.Egress())
	require.Equal(t, 3, h.Grant(at(1_999), "s").Permits)
	g := h.Grant(at(2_000), "s")
	require.Zero(t, g.Permits)
	require.Zero(t, g.Pace)
	require.False(t, g.Open)
	require.Equal(t, WhyHours, g.Why)
}

func TestHolderReleases(t *testing.T) {
	h := NewHolder("w")
	ask(h, at(0))
	require.True(t, h.Receive(at(1), granting(1, 3)))
	h.Release()
	require.True(t, h.Released())
	require.Zero(t, h.Grant(at(2), "s").Permits)
	require.Empty(t, ask(h, at(3)).Sources, "nothing is asked for any more")

	// A worker that the owner has let go stops at once.
	other := NewHolder("v")
	ask(other, at(0))
	require.True(t, other.Receive(at(1), granting(1, 3)))
	ask(other, at(2))
	require.False(t, other.Receive(at(3), Answer{Sequence: 2, Stale: true, Released: true}))
	require.True(t, other.Released())
	require.Zero(t, other.Grant(at(4), "s").Permits)
}

// TestHolderForgetsOldRequests keeps no more of what was never answered than could still matter.
func TestHolderForgetsOldRequests(t *testing.T) {
	h := NewHolder("w")
	for n := range 40 {
		ask(h, at(n))
	}
	require.Len(t, h.sent, mostUnanswered)
	require.True(t, h.Receive(at(50), granting(40, 2)))
	require.Empty(t, h.sent)
}

func TestPassed(t *testing.T) {
	// The monotonic reading counts as well as the wall clock; here only the wall clock has moved.
	since := time.Now()
	require.GreaterOrEqual(t, passed(since, since.Round(0).Add(time.Hour)), time.Hour)
	require.Equal(t, time.Minute, passed(since, since.Add(time.Minute)))
}
