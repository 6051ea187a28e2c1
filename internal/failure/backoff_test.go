package failure

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	c "github.com/weir-collect/weir/collection"
)

func TestBackoffGrowsFromMinToMax(t *testing.T) {
	var low, high []time.Duration
	for n := 1; n <= 4; n++ {
		low = append(low, standard.Backoff(n, 0).Round(100*time.Millisecond))
		high = append(high, standard.Backoff(n, 1).Round(100*time.Millisecond))
	}
	require.Equal(t, []time.Duration{time.Second, 5300 * time.Millisecond, 28200 * time.Millisecond, 150 * time.Second}, low)
	require.Equal(t, []time.Duration{2 * time.Second, 10600 * time.Millisecond, 56500 * time.Millisecond, 300 * time.Second}, high)

	many := Policy{Attempts: 30, Min: time.Second, Max: 5 * time.Minute}
	require.Equal(t, 4*time.Second, many.Backoff(2, 1), "with attempts to spare it doubles")
}

func TestBackoffLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy().Draw(t, "policy")
		n := rapid.IntRange(-1, math.MaxInt32).Draw(t, "n")
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		wait := p.Backoff(n, a)
		least := p.Min
		if least <= 0 {
			least = time.Second
		}
		require.GreaterOrEqual(t, wait, least)
		require.LessOrEqual(t, wait, max(p.Max, 2*least)+time.Millisecond)
		require.LessOrEqual(t, p.Backoff(n, min(a, b)), p.Backoff(n, max(a, b)))
		require.LessOrEqual(t, wait, p.Backoff(max(n, 1)+1, a), "waits never shrink")
		require.Equal(t, wait, p.Backoff(n, a), "the same question has the same answer")
	})
}

// However few attempts there are, from three on they last for more than half of Max.
func TestAttemptsAreSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy().Draw(t, "policy")
		p.Attempts = rapid.IntRange(3, 30).Draw(t, "attempts")
		var shortest time.Duration
		for n := 1; n < p.Attempts; n++ {
			shortest += p.Backoff(n, 0)
		}
		require.GreaterOrEqual(t, shortest, p.Max/2)
	})
}

// outage plays a source that fails for a while, and returns how many of the records are dead-lettered.
func outage(t *testing.T, p Policy, length time.Duration, records int, reasons ...c.Reason) int {
	t.Helper()
	rnd := rand.New(rand.NewPCG(60, 4000))
	dead := 0
	for range records {
		at := time.Duration(rnd.Float64() * float64(length))
		in := History{}
		for at < length {
			reason := reasons[rnd.IntN(len(reasons))]
			in.SameReason++
			if reason != in.Reason {
				in.SameReason = 1
			}
			in.Reason = reason
			if Lookup(reason).Charged {
				in.Faults++
			}
			in.Elapsed = at
			d := Decide(p, in, rnd.Float64())
			if !d.Retry {
				dead++
				break
			}
			at += d.After
		}
	}
	return dead
}

// E09: an outage of a minute wrongly ends none of 4,000 records, whatever it looks like.
func TestOutageEndsNoGoodRecord(t *testing.T) {
	const records = 4000
	kinds := map[string][]c.Reason{
		"503":          {c.ReasonServerError},
		"refused":      {c.ReasonConnectFailed},
		"resets":       {c.ReasonReset},
		"timeouts":     {c.ReasonTimeout},
		"half pages":   {c.ReasonTruncated},
		"certificates": {c.ReasonTLSError},
		"lookups":      {c.ReasonDNSTimeout},
		"throttling":   {c.ReasonThrottled},
		"everything":   {c.ReasonServerError, c.ReasonConnectFailed, c.ReasonReset, c.ReasonTimeout, c.ReasonTruncated, c.ReasonThrottled},
	}
	for name, reasons := range kinds {
		t.Run(name, func(t *testing.T) {
			dead := outage(t, standard, time.Minute, records, reasons...)
			t.Logf("figure: %d of %d records dead-lettered by an outage of 60 s", dead, records)
			require.Zero(t, dead)
		})
	}
}

// The simulation can fail: an hour of server errors does use up five attempts.
func TestOutageOfAnHourIsNoticed(t *testing.T) {
	require.Positive(t, outage(t, standard, time.Hour, 100, c.ReasonServerError))
	require.Zero(t, outage(t, standard, time.Hour, 100, c.ReasonConnectFailed), "what says nothing about the record is not charged")
}

// E10: a record that fails every time ends, and how soon is bounded.
func TestPoisonEnds(t *testing.T) {
	var total time.Duration
	for faults := 1; ; faults++ {
		d := Decide(standard, History{Reason: c.ReasonServerError, Faults: faults, SameReason: faults}, 1)
		if !d.Retry {
			require.Equal(t, 5, faults)
			require.Equal(t, c.OutcomeDeadLettered, d.End)
			break
		}
		total += d.After
	}
	require.Less(t, total, 7*time.Minute)
}

// E07: records that failed together do not come back together.
func TestJitterSpreadsABatch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	perSecond := map[int]int{}
	const records = 1000
	for range records {
		d := Decide(standard, History{Reason: c.ReasonThrottled, SameReason: 1, RetryAfter: 2 * time.Minute}, rnd.Float64())
		require.GreaterOrEqual(t, d.After, 2*time.Minute)
		perSecond[int(d.After/time.Second)]++
	}
	for second, n := range perSecond {
		require.Less(t, n, records/8, "second %d", second)
	}
}
