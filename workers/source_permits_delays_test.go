package workers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/robots"
)

// TestDelaysForgetTheOldest: no more origins are remembered than there is room for, and what goes is what was read longest ago.
func TestDelaysForgetTheOldest(t *testing.T) {
	t.Parallel()
	d, now := newDelays(3), time.Time{}
	for n, delay := range []time.Duration{9, 3, 5} {
		d.learn(now, fmt.Sprint("o", n), delay*time.Second)
	}
	d.learn(now, "o0", 9*time.Second) // read again
	longer, _ := d.learn(now, "o3", 4*time.Second)
	require.False(t, longer)
	require.Len(t, d.byOrigin, 3)
	require.NotContains(t, d.byOrigin, "o1")
	d.learn(now, "o4", time.Second)
	d.learn(now, "o5", time.Second)
	require.Equal(t, lease.Milliseconds(4*time.Second), *d.inForce(now), "the longest has gone as the oldest")
	for n := range 10_000 {
		d.learn(now, fmt.Sprint("none", n), 0)
	}
	require.Len(t, d.byOrigin, 3, "who asks for nothing takes no room")
	require.Equal(t, lease.Milliseconds(4*time.Second), d.longest)
}

// TestDelaysHoldForADay: a file that nobody has read for so long binds nobody: it would be read anew before it were used.
func TestDelaysHoldForADay(t *testing.T) {
	t.Parallel()
	d, now := newDelays(3), time.Unix(1e9, 0)
	require.Nil(t, d.inForce(now), "no file was read")
	d.learn(now, "a", time.Minute)
	d.learn(now.Add(time.Hour), "b", time.Second)
	require.Equal(t, lease.Milliseconds(time.Minute), *d.inForce(now.Add(robots.MaxTTL - 1)))
	require.Equal(t, lease.Milliseconds(time.Second), *d.inForce(now.Add(robots.MaxTTL)))
	require.Zero(t, *d.inForce(now.Add(robots.MaxTTL + time.Hour)))
}

// TestDelaysAgainstModel: whatever is read, and whenever, what is in force is the longest of what the model remembers.
func TestDelaysAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 4).Draw(t, "most")
		d, now := newDelays(most), time.Unix(1e9, 0)
		var model []wish
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(10*time.Hour)).Draw(t, "pause")))
			w := wish{
				origin: rapid.StringMatching(`[a-f]`).Draw(t, "origin"), readAt: now,
				delay: time.Duration(rapid.IntRange(0, 5).Draw(t, "delay")) * 20 * time.Minute,
			}
			before, last := longestOf(model), time.Duration(0)
			if i := slices.IndexFunc(model, func(m wish) bool { return m.origin == w.origin }); i >= 0 {
				last = model[i].delay
				model = slices.Delete(model, i, i+1)
			}
			if w.delay > 0 {
				model = append(model, w)
				model = model[max(0, len(model)-most):]
			}
			longer, beyond := d.learn(now, w.origin, w.delay)
			require.Equal(t, longestOf(model) > before, longer)
			require.Equal(t, w.delay > robots.LongestDelay && w.delay != last, beyond)
			if rapid.Bool().Draw(t, "renewed") {
				model = slices.DeleteFunc(model, func(m wish) bool { return now.Sub(m.readAt) >= robots.MaxTTL })
				require.Equal(t, longestOf(model), *d.inForce(now))
			}
			require.Equal(t, len(model), d.order.Len())
			require.Len(t, d.byOrigin, d.order.Len())
			require.LessOrEqual(t, len(d.counts), d.order.Len())
		}
	})
}

func longestOf(model []wish) (longest lease.Millis) {
	for _, m := range model {
		longest = max(longest, m.obeyed())
	}
	return longest
}
