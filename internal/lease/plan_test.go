package lease

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func drawHolding(t *rapid.T, i int) Holding {
	ago := func(name string) time.Time {
		return noon.Add(-time.Duration(rapid.IntRange(0, 60).Draw(t, name)) * time.Second)
	}
	h := Holding{
		Worker:    fmt.Sprintf("w%d", i),
		LeaseEnds: noon.Add(time.Duration(rapid.IntRange(-1, 3).Draw(t, "lease")) * time.Second),
		Granted:   rapid.IntRange(0, 5).Draw(t, "granted"),
		Need:      rapid.IntRange(0, 9).Draw(t, "need"),
		Full:      rapid.IntRange(0, 4).Draw(t, "full") == 0,
		Turn:      ago("turn"),
	}
	h.Exposed = h.Granted
	if rapid.Bool().Draw(t, "saturated") {
		h.Waiting = min(3, h.Need)
	}
	h.InFlight = h.Need - h.Waiting
	switch {
	case h.Need > 0 && h.Granted == 0:
		h.HungrySince = ago("hungry")
	case h.Need == 0 && h.Granted > 0:
		h.IdleSince = ago("idle")
	}
	return h
}

// TestPlan holds plans against what a plan promises, said without the algorithm.
func TestPlan(t *testing.T) {
	settings := Settings{}.withDefaults()
	rapid.Check(t, func(t *rapid.T) {
		s := Source{Config: SourceConfig{Source: "s"}}
		for i := range rapid.IntRange(0, 8).Draw(t, "workers") {
			s.Holdings = append(s.Holdings, drawHolding(t, i))
		}
		l := limit{ceiling: rapid.IntRange(0, 12).Draw(t, "ceiling"), rate: Unlimited, holders: math.MaxInt, asker: -1}
		if rapid.Bool().Draw(t, "paced") {
			l.rate, l.holders = OnePerSecond, rapid.IntRange(1, 3).Draw(t, "holders")
		}
		before := slices.Clone(s.Holdings)
		shares := s.plan(noon, l, settings)
		require.Equal(t, before, s.Holdings, "planning changes nothing")
		ranks, _ := s.rank(noon, l, settings)

		sum, holders, hungry := 0, 0, 0
		for i, n := range shares {
			sum += n
			holders += min(n, 1)
			h := &s.Holdings[i]
			if ranks[i] == rankNone {
				require.Zero(t, n, "%s must not hold any", h.Worker)
			}
			if ranks[i] <= rankTurnOver && n < h.target(l.ceiling) {
				hungry++
			}
			if h.Need == 0 {
				require.LessOrEqual(t, n, idlePermits, "%s has no work", h.Worker)
			}
		}
		require.LessOrEqual(t, sum, l.ceiling)
		require.LessOrEqual(t, holders, l.holders)
		if hungry > 0 && holders > 0 && slices.ContainsFunc(shares, func(n int) bool { return n > 0 }) {
			requireFair(t, &s, l, shares, ranks, sum)
		}
	})
}

// requireFair says that nobody with work is short while another has more than it, or while permits are left.
func requireFair(t *rapid.T, s *Source, l limit, shares []int, ranks []rank, sum int) {
	for i, n := range shares {
		h := &s.Holdings[i]
		if ranks[i] > rankTurnOver || n >= h.target(l.ceiling) {
			continue
		}
		if n > 0 {
			require.Equal(t, l.ceiling, sum, "permits are left, and %s is short", h.Worker)
		}
		for j, m := range shares {
			if n > 0 {
				require.LessOrEqual(t, m, n+1, "%s is short, and %s has %d", h.Worker, s.Holdings[j].Worker, m)
			} else if m > 0 {
				require.LessOrEqual(t, ranks[j], ranks[i], "%s got one before %s", s.Holdings[j].Worker, h.Worker)
				require.LessOrEqual(t, m, max(1, sum), "shares are whole")
			}
		}
	}
}

// TestLotsSpread has idle sources with one permit land on different workers.
func TestLotsSpread(t *testing.T) {
	first := map[string]int{}
	for n := range 60 {
		s := Source{Config: SourceConfig{Source: fmt.Sprintf("source-%d", n)}}
		for _, w := range []string{"w1", "w2", "w3"} {
			s.Holdings = append(s.Holdings, Holding{Worker: w, LeaseEnds: noon.Add(time.Second)})
		}
		shares := s.plan(noon, limit{ceiling: 1, rate: Unlimited, holders: math.MaxInt, asker: -1}, Settings{}.withDefaults())
		first[s.Holdings[slices.Index(shares, 1)].Worker]++
	}
	for _, w := range []string{"w1", "w2", "w3"} {
		require.Greater(t, first[w], 5, "%v", first)
	}
}

// TestSteadyDemandMovesNothing has one worker with more work than permits and one whose work goes up and down a little.
func TestSteadyDemandMovesNothing(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 12})
	a, b := NewHolder("a"), NewHolder("b")
	now, moves := noon, 0
	var last [2]int
	for n := range 40 {
		now = now.Add(5 * time.Second)
		busy := 4 + n%2
		for i, h := range []*Holder{a, b} {
			use := Use{Source: "s", InFlight: h.Grant(now, "s").Permits, Waiting: 3}
			if i == 1 {
				running := min(busy, h.Grant(now, "s").Permits)
				use = Use{Source: "s", InFlight: running, Peak: running, Waiting: busy - running}
			}
			h.Receive(now, table.Renew(now, h.Next(now, []Use{use}, nil)))
			if got := h.Grant(now, "s").Permits; got != last[i] {
				last[i] = got
				if n > 6 {
					moves++
				}
			}
		}
	}
	require.Zero(t, moves)
	require.Equal(t, 12, last[0]+last[1], "%v", last)
	require.Equal(t, 6, last[1])
}

// TestDemandIsRemembered has a renewal right after another not make a busy worker look idle, and a later one do so.
func TestDemandIsRemembered(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 12})
	renew := func(after time.Duration, sequence int64, w Want) int {
		w.Source = "s"
		return table.Renew(noon.Add(after), Request{Worker: "a", Sequence: sequence, Sources: []Want{w}}).Grants[0].Permits
	}
	require.Equal(t, 12, renew(0, 1, Want{Waiting: 3}))
	require.Equal(t, 12, renew(time.Second, 2, Want{Held: 12, InFlight: 1}))
	require.Equal(t, 12, renew(6*time.Second, 3, Want{Held: 12, InFlight: 1}))
	require.Equal(t, 2, renew(11*time.Second, 4, Want{Held: 12, InFlight: 1}))
	require.Equal(t, 2, renew(16*time.Second, 5, Want{Held: 2}), "no work at all counts at once")
	require.Equal(t, 12, renew(21*time.Second, 6, Want{Held: 2, InFlight: 2, Waiting: 1}))
	require.Equal(t, 2, renew(33*time.Second, 7, Want{Held: 12, InFlight: 1}), "what was long ago counts no more")
}

func TestTarget(t *testing.T) {
	for name, c := range map[string]struct {
		h    Holding
		want int
	}{
		"more work than permits":      {Holding{Granted: 2, Need: 5, Waiting: 3}, 20},
		"as much work as permits":     {Holding{Granted: 4, Need: 4}, 4},
		"nearly all in use":           {Holding{Granted: 8, Need: 6}, 8},
		"one of few not in use":       {Holding{Granted: 2, Need: 1}, 2},
		"much less than it holds":     {Holding{Granted: 8, Need: 5}, 5},
		"more than it holds":          {Holding{Granted: 3, Need: 5}, 5},
		"no more than a full one can": {Holding{Granted: 8, Need: 7, Waiting: 3, Full: true}, 7},
	} {
		require.Equal(t, c.want, c.h.target(20), name)
	}
}

// TestCrumbs are not given: a share that is next to nothing would only keep its worker busy waiting.
func TestCrumbs(t *testing.T) {
	l := limit{ceiling: 4, rate: 4 * OnePerSecond, holders: 2, asker: -1}
	s := Source{Holdings: []Holding{{Worker: "a", RateExposed: 4*OnePerSecond - 10}, {Worker: "b"}}}
	require.Zero(t, s.pace(1, l, 2*OnePerSecond, true))
	s.Holdings[0].RateExposed = 3 * OnePerSecond
	require.Equal(t, OnePerSecond, s.pace(1, l, 2*OnePerSecond, true))
	require.Zero(t, s.pace(1, l, 2*OnePerSecond, false), "nor is anything while the table settles")
}

func newTable(t tester, sources ...SourceConfig) *Table {
	t.Helper()
	table, err := New(Settings{})
	require.NoError(t, err)
	require.NoError(t, table.Configure(noon, sources))
	return table
}
