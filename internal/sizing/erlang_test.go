package sizing_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/sizing"
)

// experiment is the smooth fleet of the published experiment: five hours of work an hour, ten minutes a job (K03).
var experiment = sizing.Smooth{Load: 5, MeanMinutes: 10}

func TestErlangAnswersTheExperiment(t *testing.T) {
	t.Parallel()
	promise := sizing.Promise{Share: 0.95, Minutes: 5}
	require.Equal(t, 8, experiment.Smallest(promise))
	require.InDelta(t, 4.0, experiment.Wait(8, 0.95), 0.05)
	require.InDelta(t, 9.35, experiment.Wait(7, 0.95), 0.005)
	require.GreaterOrEqual(t, experiment.Within(8, 5), 0.95)
	require.Less(t, experiment.Within(7, 5), 0.95)
}

// TestErlangAgainstClosedForms has the cases that algebra solves: one worker waits with its utilisation, two with
// 2u²/(1+u), and three with two erlangs with 4/9.
func TestErlangAgainstClosedForms(t *testing.T) {
	t.Parallel()
	for _, u := range []float64{0.01, 0.25, 0.5, 0.8, 0.99} {
		require.InDelta(t, u, sizing.Smooth{Load: u, MeanMinutes: 1}.Waiting(1), 1e-12)
		require.InDelta(t, 2*u*u/(1+u), sizing.Smooth{Load: 2 * u, MeanMinutes: 1}.Waiting(2), 1e-12)
	}
	require.InDelta(t, 4.0/9, sizing.Smooth{Load: 2, MeanMinutes: 1}.Waiting(3), 1e-12)
}

// TestErlangAgainstTables holds the recursion against the traffic tables that telephone engineers print: the load in
// erlangs that so many lines carry at a blocking of 1 % and of 5 %. Waiting follows from blocking by
// C = B / (1 - u(1-B)).
func TestErlangAgainstTables(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		lines   int
		load    float64
		blocked float64
	}{
		{5, 1.361, 0.01}, {10, 4.461, 0.01}, {20, 12.03, 0.01}, {50, 37.90, 0.01}, {100, 84.06, 0.01},
		{5, 2.219, 0.05}, {10, 6.216, 0.05}, {20, 15.25, 0.05}, {50, 44.53, 0.05}, {100, 95.24, 0.05},
	} {
		u := row.load / float64(row.lines)
		want := row.blocked / (1 - u*(1-row.blocked))
		got := sizing.Smooth{Load: row.load, MeanMinutes: 1}.Waiting(row.lines)
		require.InEpsilon(t, want, got, 0.005, "%d lines, %v erlangs", row.lines, row.load)
	}
}

// summed is the formula as Erlang wrote it, powers and factorials and all, in numbers of any size.
func summed(load float64, workers int) float64 {
	const precision = 500
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	term, sum := number(1), number(0)
	for n := range workers {
		sum.Add(sum, term)
		term.Mul(term, number(load))
		term.Quo(term, number(float64(n+1)))
	}
	// term is now load^c / c!
	busy := new(big.Float).SetPrec(precision).Mul(term, number(float64(workers)/(float64(workers)-load)))
	share, _ := new(big.Float).SetPrec(precision).Quo(busy, sum.Add(sum, busy)).Float64()
	return share
}

func TestErlangAgainstItsSum(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		load    float64
		workers int
	}{
		{5, 6}, {5, 8}, {5, 40}, {0.001, 3}, {99, 100}, {100, 150}, {950, 1000}, {4900, 5000}, {9900, 10_000}, {9999.9, 10_000},
	} {
		got := sizing.Smooth{Load: row.load, MeanMinutes: 1}.Waiting(row.workers)
		require.InEpsilon(t, summed(row.load, row.workers), got, 1e-9, "%v erlangs, %d workers", row.load, row.workers)
	}
}

func TestErlangNeverCatchesUp(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 4, 5} {
		require.Equal(t, 1.0, experiment.Waiting(workers))
		require.True(t, math.IsInf(experiment.Wait(workers, 0.95), 1))
		require.Zero(t, experiment.Within(workers, 1e9))
	}
	huge := sizing.Smooth{Load: sizing.MaxWorkers, MeanMinutes: 1}
	require.Zero(t, huge.Smallest(sizing.Promise{Share: 0.95, Minutes: 5}), "beyond the largest fleet there is no answer")
}

func TestErlangLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := sizing.Smooth{
			Load:        rapid.Float64Range(0.01, 300).Draw(t, "load"),
			MeanMinutes: rapid.Float64Range(0.1, 600).Draw(t, "minutes"),
		}
		promise := sizing.Promise{
			Share: rapid.Float64Range(0.01, 0.999).Draw(t, "share"), Minutes: rapid.Float64Range(0, 100).Draw(t, "within"),
		}
		smallest := s.Smallest(promise)
		require.Greater(t, float64(smallest), s.Load)
		require.GreaterOrEqual(t, s.Within(smallest, promise.Minutes), promise.Share-1e-12)
		require.Less(t, s.Within(smallest-1, promise.Minutes), promise.Share, "a smaller fleet would have done")

		require.LessOrEqual(t, s.Waiting(smallest+1), s.Waiting(smallest))
		require.LessOrEqual(t, s.Wait(smallest+1, promise.Share), s.Wait(smallest, promise.Share))
		if wait := s.Wait(smallest, promise.Share); wait > 0 {
			require.InDelta(t, promise.Share, s.Within(smallest, wait), 1e-9, "the wait of a share is exceeded by the rest")
		}
	})
}
