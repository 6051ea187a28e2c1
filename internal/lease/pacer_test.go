package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPacer(t *testing.T) {
	var p Pacer
	_, may := p.Next(noon)
	require.False(t, may, "without a share, never")
	require.False(t, p.Start(noon))

	p.Set(noon, Pace{Rate: PerSecond(2), Burst: 1, Fill: 500})
	at, may := p.Next(noon)
	require.True(t, may)
	require.WithinDuration(t, noon.Add(250*time.Millisecond), at, time.Microsecond, "half a request is there, the rest gathers")
	require.False(t, p.Start(noon.Add(249*time.Millisecond)))
	require.True(t, p.Start(at))
	require.False(t, p.Start(at), "the bucket holds one")

	// A larger share counts from when it is given, not before.
	p.Set(at.Add(250*time.Millisecond), Pace{Rate: PerSecond(10), Burst: 1})
	next, _ := p.Next(at.Add(250 * time.Millisecond))
	require.WithinDuration(t, at.Add(300*time.Millisecond), next, time.Microsecond)

	// However long it waits, one request is all that gathers.
	long := next.Add(time.Hour)
	require.True(t, p.Start(long))
	require.False(t, p.Start(long))

	// No pace, and then one: what was started without counting counts.
	p.Set(long, Pace{Rate: Unlimited})
	require.True(t, p.Start(long))
	require.True(t, p.Start(long))
	p.Set(long, Pace{Rate: OnePerSecond, Burst: 1})
	require.False(t, p.Start(long.Add(999*time.Millisecond)))
	require.True(t, p.Start(long.Add(1001*time.Millisecond)))

	// A share that is lost and comes back does not forget the last start.
	p.Set(long.Add(1100*time.Millisecond), Pace{})
	p.Set(long.Add(1200*time.Millisecond), Pace{Rate: OnePerSecond, Burst: 1, Fill: 1000})
	require.False(t, p.Start(long.Add(1300*time.Millisecond)))
}

// TestPacerKeepsItsRate starts as often as it may, under changing shares: never more than the shares allow.
func TestPacerKeepsItsRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pacer
		now, allowed, started := noon, 1.0, 0
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			rate := Rate(rapid.Int64Range(0, int64(5*OnePerSecond)).Draw(t, "rate"))
			p.Set(now, Pace{Rate: rate, Burst: 1, Fill: rapid.IntRange(0, fullBucket).Draw(t, "fill")})
			end := now.Add(time.Duration(rapid.IntRange(1, 2000).Draw(t, "ms")) * time.Millisecond)
			allowed += rate.PerSecond() * end.Sub(now).Seconds()
			for {
				at, may := p.Next(now)
				if !may || at.After(end) {
					break
				}
				now = at
				require.True(t, p.Start(now), "Next is when Start succeeds")
				started++
			}
			now = end
			if rate == 0 {
				allowed++ // a new share may start with a full bucket
			}
		}
		require.LessOrEqual(t, float64(started), allowed+1e-6)
	})
}
