package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeptToEveryCustomer: what is kept over all jobs may be broken for somebody, and was promised to each.
func TestKeptToEveryCustomer(t *testing.T) {
	t.Parallel()
	p := Default() // 95 %; a job sees a batch of 23
	large := Count{Jobs: 90_000, Within: 89_000, Squares: 100 * 100}
	for _, c := range []struct {
		small Count
		want  Verdict
		kept  bool
	}{
		{Count{Jobs: 10_000, Within: 9_400, Squares: 40 * 40}, VerdictBroken, false}, // 100 too many, and such a sum is off by 40
		{Count{Jobs: 10_000, Within: 9_400, Squares: 60 * 60}, VerdictTooFew, true},  // or by 60
		{Count{Jobs: 10_000, Within: 9_500, Squares: 60 * 60}, VerdictKept, true},
		{Count{Jobs: 1_000, Within: 1_000, Squares: 7 * 7}, VerdictTooFew, true}, // 43 batches, of which two may be late
		{Count{}, VerdictTooFew, true},
	} {
		s := Shared{Jobs: 100_000, Within: 98_400, PerCustomer: []Count{large, c.small}}
		require.Equal(t, VerdictKept, s.Verdict(p, 0))
		require.Equal(t, c.want, s.Verdict(p, 1), "%+v", c.small)
		require.Equal(t, c.kept, s.Kept(p.Promise), "%+v", c.small)
	}
	require.False(t, Shared{Jobs: 100, Within: 94, PerCustomer: []Count{{Jobs: 100, Within: 94, Squares: 20 * 20}}}.Kept(p.Promise),
		"of nobody can be told, but of all together")
	require.True(t, Shared{Jobs: 100, Within: 95}.Kept(p.Promise))
}

// TestMoreCustomersNeedMoreEvidence: the worst of many is further from the middle than one.
func TestMoreCustomersNeedMoreEvidence(t *testing.T) {
	t.Parallel()
	promise := Promise{Share: 0.95, Minutes: 5}
	one := Count{Jobs: 10_000, Within: 9_400, Squares: 50 * 50} // two standard errors
	require.True(t, one.broken(promise, 1))
	require.False(t, one.broken(promise, 20))
}

// TestDaysAreTheEvidence: what is late on one day is late together.
func TestDaysAreTheEvidence(t *testing.T) {
	t.Parallel()
	promise := Promise{Share: 0.9, Minutes: 5}
	got := countDays([]Count{{Jobs: 100, Within: 80}, {}, {Jobs: 50, Within: 50}}, promise)
	require.Equal(t, int64(150), got.Jobs)
	require.Equal(t, int64(130), got.Within)
	require.InDelta(t, 10*10+5*5, got.Squares, 1e-9)

	p := short()
	p.Customers = []Customer{{Name: "a", Share: 0.5, Weight: 1}, {Name: "b", Share: 0.5, Weight: 1}}
	all := ReplicateShared(p, 0, 12)
	require.Equal(t, all.Jobs, all.PerCustomer[0].Jobs+all.PerCustomer[1].Jobs)
	require.Equal(t, all.Within, all.PerCustomer[0].Within+all.PerCustomer[1].Within)
	for _, c := range all.PerCustomer {
		require.Positive(t, c.Squares)
	}
}
