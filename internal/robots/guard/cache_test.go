package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots/guard"
)

func site(n int) string { return fmt.Sprintf("https://s%d.example", n) }

func TestLeastRecentlyUsedOriginIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWeb()
	o := w.options()
	o.Cache = guard.NewCache(3 * guard.Weight(site(1)))
	g := build(t, o)
	for _, n := range []int{1, 2, 3, 1, 4, 1, 3, 2} {
		_, err := g.Check(t.Context(), site(n)+"/")
		require.NoError(t, err)
	}
	for n, times := range map[int]int{1: 1, 2: 2, 3: 1, 4: 1} {
		require.Equal(t, times, w.count(site(n)), "site %d", n)
	}
}

// TestRulesTakeRoom: many sites with long files take no more than the cache has, and one whose rules are longer than all of
// it costs nobody a place.
func TestRulesTakeRoom(t *testing.T) {
	t.Parallel()
	w := newWeb()
	o := w.options()
	cache := guard.NewCache(1 << 20)
	o.Cache = cache
	g := build(t, o)
	long := "User-agent: *\n" + strings.Repeat("Disallow: /x\n", 1000)
	for n := range 50 {
		w.set(site(n), 200, long)
		_, err := g.Check(t.Context(), site(n)+"/x")
		requireRefused(t, err, collection.ReasonRobotsDenied)
		require.LessOrEqual(t, cache.Held(), int64(1<<20))
	}
	_, err := g.Check(t.Context(), site(0)+"/x")
	requireRefused(t, err, collection.ReasonRobotsDenied)
	require.Equal(t, 2, w.count(site(0)), "it was forgotten")

	held := cache.Held()
	w.set(shop, 200, strings.Repeat(long, 10))
	for range 2 {
		_, err = g.Check(t.Context(), shop+"/x")
		requireRefused(t, err, collection.ReasonRobotsDenied)
	}
	require.Equal(t, 2, w.count(shop), "it is read every time")
	require.Equal(t, held, cache.Held())
}

// TestOneCacheForAll: guards share its room, and nothing of what they know.
func TestOneCacheForAll(t *testing.T) {
	t.Parallel()
	w := newWeb()
	o := w.options()
	o.Cache = guard.NewCache(2 * guard.Weight(shop))
	one, other := build(t, o), build(t, o)
	for _, g := range []*guard.Guard{one, other, one, other} {
		_, err := g.Check(t.Context(), shop+"/")
		require.NoError(t, err)
	}
	require.Equal(t, 2, w.count(shop))
	_, err := other.Check(t.Context(), "https://next.example/")
	require.NoError(t, err)
	_, known, _ := one.Known(shop + "/")
	require.False(t, known, "the oldest went, whosever it was")
	_, known, _ = other.Known(shop + "/")
	require.True(t, known)
}

// TestCacheHoldsWhatItSays: the bytes that are counted are those of the places that are there, whatever comes and goes.
func TestCacheHoldsWhatItSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWeb()
		o := w.options()
		o.Cache = guard.NewCache(rapid.Int64Range(1, 1<<14).Draw(t, "room"))
		g, err := guard.New(o)
		require.NoError(t, err)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			origin := site(rapid.IntRange(0, 5).Draw(t, "site"))
			w.set(origin, 200, "User-agent: *\n"+strings.Repeat("Disallow: /x\n", rapid.IntRange(0, 60).Draw(t, "rules")))
			w.pass(1 << 42)
			_, _ = g.Check(t.Context(), origin+"/y") // what it says is for other tests
			require.Equal(t, o.Cache.Counted(), o.Cache.Held())
			require.LessOrEqual(t, o.Cache.Held(), o.Cache.Room())
		}
	})
}
