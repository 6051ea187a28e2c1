package quality

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slowTail is tail in rational numbers.
func slowTail(k, n int, p float64) float64 {
	exact := new(big.Rat)
	exact.SetFloat64(p)
	other := new(big.Rat).Sub(big.NewRat(1, 1), exact)
	power := func(r *big.Rat, e int) *big.Rat {
		out := big.NewRat(1, 1)
		for range e {
			out.Mul(out, r)
		}
		return out
	}
	sum := new(big.Rat)
	for i := max(k, 0); i <= n; i++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		term.Mul(term, power(exact, i)).Mul(term, power(other, n-i))
		sum.Add(sum, term)
	}
	f, _ := sum.Float64()
	return f
}

func TestTailAgainstRationals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		k := rapid.IntRange(-1, n+1).Draw(t, "k")
		p := float64(rapid.IntRange(0, 64).Draw(t, "p")) / 64
		want := slowTail(k, n, p)
		got := tail(k, n, p)
		if math.Abs(got-want) > 1e-12+1e-9*want {
			t.Fatalf("P(X >= %d | %d, %g) = %g, not %g", k, n, p, got, want)
		}
	})
}

func TestTailOfMany(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k, n int
		p    float64
		want float64
	}{
		{100_000, 200_000, 0.5, 0.5 + 0.00089206}, // half, and half of the probability of exactly half
		{10_466, 200_000, 0.05, 1.0e-6},
		{10_000_000, 10_000_000, 0.5, 0},
	} {
		require.InDelta(t, c.want, tail(c.k, c.n, c.p), 1e-5)
	}
}

func TestMostShareIsAnUpperBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		alpha := rapid.SampledFrom([]float64{0.05, 0.005, 0.0001}).Draw(t, "alpha")
		bound := mostShare(k, n, alpha)
		if bound < float64(k)/float64(n) || bound > 1 {
			t.Fatalf("the bound of %d in %d is %g", k, n, bound)
		}
		if k < n {
			require.InDelta(t, alpha, 1-tail(k+1, n, bound), alpha*1e-3)
		}
	})
	require.Equal(t, 1.0, mostShare(3, 3, 0.01))
	require.InDelta(t, 1-math.Pow(0.01, 1.0/20), mostShare(0, 20, 0.01), 1e-9, "none of twenty")
}

func TestSpread(t *testing.T) {
	t.Parallel()
	require.Zero(t, spread([]float64{0, 1, 0, 1}), "four say nothing of how a share varies")
	require.InDelta(t, math.Sqrt(0.3), spread([]float64{0, 1, 0, 1, 0}), 1e-12)
	require.Zero(t, spread(make([]float64, 9)))
}
