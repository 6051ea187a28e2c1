package egress

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

var three = []string{"eu-1", "eu-2", "eu-3"}

func retired(names ...string) (states []lease.EgressState) {
	for _, name := range names {
		states = append(states, lease.EgressState{Egress: name})
	}
	return states
}

func onTrial(name string) lease.EgressState { return lease.EgressState{Egress: name, Trial: true} }

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		name   string
		use    []string
		states []lease.EgressState
		avoid  string
		turn   uint64
		want   string
	}{
		{name: "a source that lists none goes out directly", want: collection.EgressDirect},
		{name: "the first turn", use: three, want: "eu-1"},
		{name: "the last turn", use: three, turn: 2, want: "eu-3"},
		{name: "round again", use: three, turn: 3, want: "eu-1"},
		{name: "the greatest turn", use: three, turn: 1<<64 - 1, want: "eu-1"},
		{name: "retired is left out", use: three, states: retired("eu-1"), want: "eu-2"},
		{name: "of another source", use: three, states: retired("us-1"), want: "eu-1"},
		{name: "the one that failed last", use: three, avoid: "eu-1", want: "eu-2"},
		{name: "which is all that is left", use: three, states: retired("eu-2", "eu-3"), avoid: "eu-1", want: "eu-1"},
		{name: "a trial comes first", use: three, states: []lease.EgressState{onTrial("eu-3")}, want: "eu-3"},
		{name: "but not after its own failure", use: three, states: []lease.EgressState{onTrial("eu-3")}, avoid: "eu-3", want: "eu-1"},
		{name: "a trial rather than the one that failed", use: three[:2], states: []lease.EgressState{onTrial("eu-2")}, avoid: "eu-1", want: "eu-2"},
		{name: "a trial of the only one", use: three[:1], states: []lease.EgressState{onTrial("eu-1")}, avoid: "eu-1", want: "eu-1"},
		{name: "direct where it is listed", use: []string{"eu-1", "direct"}, states: retired("eu-1"), want: "direct"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Choose(tt.use, tt.states, tt.avoid, "", tt.turn)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

// C3 41: with every egress retired there is none; least of all the direct one, which nobody has listed.
func TestCase41NeverDirectUnlessListed(t *testing.T) {
	for _, sticky := range []string{"", "account-7"} {
		got, err := Choose(three, retired(three...), "", sticky, 0)
		require.Empty(t, got)
		var all *RetiredError
		require.ErrorAs(t, err, &all)
		require.Equal(t, three, all.Use)
		require.ErrorContains(t, err, "eu-1, eu-2, eu-3")
	}
}

// anything draws what Choose may be called with.
type anything struct {
	use    []string
	states []lease.EgressState
	avoid  string
	sticky string
	turn   uint64
}

func anyCall(t *rapid.T) anything {
	names := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "direct"})
	c := anything{
		use:    rapid.SliceOfNDistinct(names, 0, 6, rapid.ID[string]).Draw(t, "use"),
		avoid:  rapid.SampledFrom([]string{"", "a", "b", "direct", "elsewhere"}).Draw(t, "avoid"),
		sticky: rapid.SampledFrom([]string{"", "x", "y", "\x00"}).Draw(t, "sticky"),
		turn:   rapid.Uint64().Draw(t, "turn"),
	}
	for _, name := range rapid.SliceOfNDistinct(names, 0, 6, rapid.ID[string]).Draw(t, "bad") {
		c.states = append(c.states, lease.EgressState{Egress: name, Trial: rapid.Bool().Draw(t, "trial")})
	}
	return c
}

func (c anything) choose() (string, error) { return Choose(c.use, c.states, c.avoid, c.sticky, c.turn) }

// usable are the egresses that may be picked.
func (c anything) usable() []string {
	use := c.use
	if len(use) == 0 {
		use = []string{"direct"}
	}
	return slices.DeleteFunc(slices.Clone(use), func(name string) bool {
		return slices.ContainsFunc(c.states, func(s lease.EgressState) bool { return s.Egress == name && !s.Trial })
	})
}

func TestChooseLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCall(t)
		got, err := c.choose()
		usable := c.usable()
		if len(usable) == 0 {
			require.Error(t, err)
			require.Empty(t, got)
			return
		}
		require.NoError(t, err)
		require.Contains(t, usable, got)
		if got == c.avoid {
			require.Equal(t, []string{got}, usable, "there was another")
		}
		again, err := c.choose()
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

// TestStickyMovesNobodyElse: an egress that is lost or comes back moves its own texts and no others, whatever the order of
// the list and whoever's turn it is.
func TestStickyMovesNobodyElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		use := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,4}`), 2, 8, rapid.ID[string]).Draw(t, "use")
		sticky := rapid.StringN(1, 20, -1).Draw(t, "sticky")
		lost := rapid.SampledFrom(use).Draw(t, "lost")
		before, err := Choose(use, nil, "", sticky, rapid.Uint64().Draw(t, "turn"))
		require.NoError(t, err)
		after, err := Choose(rapid.Permutation(use).Draw(t, "order"), retired(lost), "", sticky, rapid.Uint64().Draw(t, "later"))
		require.NoError(t, err)
		if before == lost {
			require.NotEqual(t, lost, after)
		} else {
			require.Equal(t, before, after)
		}
	})
}

// TestShares: turns are equal to the request; texts come near it.
func TestShares(t *testing.T) {
	const requests = 3000
	for _, sticky := range []bool{false, true} {
		shares := map[string]int{}
		for i := range requests {
			text := ""
			if sticky {
				text = fmt.Sprintf("account-%d", i)
			}
			name, err := Choose(three, nil, "", text, uint64(i))
			require.NoError(t, err)
			shares[name]++
		}
		for _, name := range three {
			if sticky {
				require.InDelta(t, requests/3, shares[name], requests/20)
			} else {
				require.Equal(t, requests/3, shares[name])
			}
		}
	}
}
