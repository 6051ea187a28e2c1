package lease

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRateText(t *testing.T) {
	for rate, want := range map[Rate][2]string{
		0:                {"0/s", "0"},
		5 * OnePerSecond: {"5/s", "5"},
		PerSecond(2.5):   {"2.5/s", "2.5"},
		PerSecond(0.1):   {"0.1/s", "0.1"},
		1:                {"0.000001/s", "0.000001"},
		Unlimited:        {"unlimited", "1000000000"},
		PerSecond(1e12):  {"unlimited", "1000000000"},
		PerSecond(-1):    {"0/s", "0"},
		PerSecond(1e-12): {"0.000001/s", "0.000001"},
	} {
		require.Equal(t, want[0], rate.String())
		b, err := json.Marshal(rate)
		require.NoError(t, err)
		require.Equal(t, want[1], string(b))
	}
	require.Equal(t, Rate(0), PerSecond(math.NaN()))
	require.InDelta(t, 2.5, PerSecond(2.5).PerSecond(), 0)
	_, err := json.Marshal(Rate(-1))
	require.Error(t, err)
	for _, bad := range []string{`-1`, `"5"`, `1e300`, `null`} {
		var r Rate
		require.Error(t, json.Unmarshal([]byte(bad), &r), bad)
	}
}

func TestRateSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate(rapid.Int64Range(0, int64(FastestRate)).Draw(t, "rate"))
		b, err := json.Marshal(r)
		require.NoError(t, err)
		var back Rate
		require.NoError(t, json.Unmarshal(b, &back))
		require.Equal(t, r, back)
	})
}

// TestIntervalsAreNeverShorter has the rate of an interval, and the interval of a rate, err on the slow side.
func TestIntervalsAreNeverShorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := time.Duration(rapid.Int64Range(int64(time.Microsecond), int64(240*time.Hour)).Draw(t, "interval"))
		rate := Every(interval)
		require.GreaterOrEqual(t, rate.Interval(), interval)
		require.LessOrEqual(t, float64(rate.Interval()), float64(interval)*2, "but not by much")
	})
	require.Equal(t, Unlimited, Every(0))
	require.Equal(t, time.Duration(math.MaxInt64), Rate(0).Interval())
	require.Equal(t, OnePerSecond, Every(time.Second))
	require.Equal(t, Rate(8333), Every(120*time.Second))
}

func TestMillis(t *testing.T) {
	require.Equal(t, Millis(2), Milliseconds(1001*time.Microsecond))
	require.Equal(t, Millis(1), Milliseconds(time.Millisecond))
	require.Equal(t, Millis(0), Milliseconds(-time.Microsecond))
	require.Equal(t, 90*time.Second, Millis(90_000).Std())
	require.Positive(t, Millis(math.MaxInt64).Std())
	require.Negative(t, Millis(math.MinInt64).Std())
}

// TestRateShares adds up to the pace, however it is cut.
func TestRateShares(t *testing.T) {
	require.Zero(t, limit{rate: OnePerSecond}.rateShare([]int{0, 0}, 1), "nobody holds, nobody starts")
	require.Equal(t, Unlimited, limit{rate: Unlimited}.rateShare([]int{1, 2}, 0))
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 8).Draw(t, "shares")
		l := limit{rate: Rate(rapid.Int64Range(1, int64(FastestRate)).Draw(t, "rate"))}
		permits, sum := 0, Rate(0)
		for i, n := range shares {
			r := l.rateShare(shares, i)
			require.GreaterOrEqual(t, r, Rate(0))
			if n == 0 {
				require.Zero(t, r, "no permits, no pace")
			}
			permits += n
			sum += r
		}
		require.LessOrEqual(t, sum, l.rate)
		if permits > 0 {
			require.GreaterOrEqual(t, sum, l.rate-Rate(2*len(shares)), "nothing is wasted but by rounding")
		}
	})
}
