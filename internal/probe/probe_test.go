package probe_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/probe"
)

func repeated(n int, reason collection.Reason, took time.Duration) []probe.Sample {
	samples := make([]probe.Sample, n)
	for i := range samples {
		samples[i] = probe.Sample{Reason: reason, Took: took}
	}
	return samples
}

func joined(parts ...[]probe.Sample) []probe.Sample {
	var all []probe.Sample
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	s := probe.Measure(4, joined(
		repeated(18, "", 100*time.Millisecond), repeated(2, collection.ReasonGone, 300*time.Millisecond),
		repeated(3, collection.ReasonServerError, time.Second), repeated(1, collection.ReasonThrottled, 200*time.Millisecond),
		repeated(2, collection.ReasonLeaseLost, 100*time.Millisecond),
	), 2*time.Second)
	require.Equal(t, 24, s.Requests, "a lost lease says nothing of the source")
	require.Equal(t, 20, s.OK, "that a target is gone is an answer")
	require.Equal(t, 1, s.Throttled)
	require.Equal(t, 3, s.Failed)
	require.Equal(t, 2, s.Ours)
	require.InDelta(t, 0.1, s.P50, 1e-9)
	require.InDelta(t, 0.3, s.P95, 1e-9, "how fast failures come does not count")
	require.InDelta(t, 10, s.PerSecond, 1e-9)
	require.InDelta(t, (1.8+0.6+3+0.2+0.2)/2, s.InFlight, 1e-9)
	require.InDelta(t, 20.0/24, s.Share(), 1e-9)
	require.Equal(t, 3, s.Reasons[collection.ReasonServerError])
}

func TestMeasureOfNothing(t *testing.T) {
	t.Parallel()
	s := probe.Measure(2, nil, 0)
	require.Equal(t, probe.Step{Concurrency: 2}, s)
	require.Zero(t, s.Share())
}

func TestFailing(t *testing.T) {
	t.Parallel()
	fault := collection.ReasonServerError
	for name, c := range map[string]struct {
		samples []probe.Sample
		want    bool
	}{
		"nothing yet":               {nil, false},
		"all well":                  {repeated(50, "", 1), false},
		"one throttle":              {joined(repeated(500, "", 1), repeated(1, collection.ReasonThrottled, 1)), true},
		"two failures and no more":  {repeated(2, fault, 1), false},
		"three failures of three":   {repeated(3, fault, 1), true},
		"three failures among many": {joined(repeated(3, "", 1), repeated(3, fault, 1)), false},
		"more failures than not":    {joined(repeated(3, "", 1), repeated(4, fault, 1)), true},
		"a few of our own":          {repeated(9, collection.ReasonLeaseLost, 1), false},
		"nothing gets through":      {repeated(10, collection.ReasonPrivateAddress, 1), true},
	} {
		require.Equal(t, c.want, probe.Failing(c.samples), name)
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for reason, kind := range map[collection.Reason]probe.Kind{
		"": probe.OK, collection.ReasonGone: probe.OK, collection.ReasonThrottled: probe.Throttle, collection.ReasonBlocked: probe.Failure,
		collection.ReasonTimeout: probe.Failure, collection.ReasonPrivateAddress: probe.Ours, collection.ReasonInternal: probe.Ours,
	} {
		require.Equal(t, kind, probe.KindOf(reason), reason)
	}
}

func TestLadder(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{1, 2, 4, 8, 12}, probe.Ladder(12, false))
	require.Equal(t, []int{1, 2, 4, 8}, probe.Ladder(8, false))
	require.Equal(t, []int{1, 2, 3}, probe.Ladder(3, true))
	require.Equal(t, []int{1}, probe.Ladder(1, false))
	require.Empty(t, probe.Ladder(0, false))
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"0.123", "12.3", "1235", "0"},
		[]string{probe.Number(0.12345), probe.Number(12.34), probe.Number(1234.6), probe.Number(0)})
	require.Equal(t, []string{"81 ms", "1.5 s"}, []string{probe.Seconds(0.081), probe.Seconds(1.5)})
	require.Equal(t, []string{"100 %", "99.9 %", "50 %", "0 %"},
		[]string{probe.Percent(1), probe.Percent(0.99999), probe.Percent(0.5), probe.Percent(0)})
}
