package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// sampled is a replication of two months with the given waits in minutes.
func sampled(workers int, first, second []float64, limit float64) Sample {
	s := Sample{Workers: workers, Waits: NewHistogram()}
	for _, month := range [][]float64{first, second} {
		m, h := MonthSample{}, NewHistogram()
		for _, wait := range month {
			h.add(micros(wait))
			m.Jobs++
			if wait <= limit {
				m.Within++
			}
			s.WaitMinutes += wait
		}
		m.Wait = h.Quantile(0.95)
		s.Months = append(s.Months, m)
		s.Jobs, s.Within = s.Jobs+m.Jobs, s.Within+m.Within
		s.Waits.Merge(h)
	}
	return s
}

func poolParams() Params {
	p := short().OneByOne()
	p.Seeds, p.Months, p.HoursPerMonth = 2, 2, 1
	p.Promise = Promise{Share: 0.75, Minutes: 5}
	return p
}

func TestPoolByHand(t *testing.T) {
	t.Parallel()
	pool := NewPool(poolParams(), 8)
	one := sampled(8, []float64{0, 0, 0, 0}, []float64{10, 10, 0, 0}, 5) // 6 of 8 in time, the second month 2 of 4
	one.BusyMinutes = 480
	two := sampled(8, []float64{0, 0, 0, 10}, []float64{4, 4, 4, 20}, 5) // 6 of 8 in time, 3 of 4 in both months
	two.BusyMinutes = 720
	pool.Add(1, two)
	pool.Add(0, one)
	got := pool.Point()
	require.Equal(t, 8, got.Workers)
	require.True(t, got.Steady)
	require.Equal(t, 520.0, got.Dollars)
	require.Equal(t, 0.75, got.Within.Value)
	require.Zero(t, got.Within.HalfWidth)
	require.Equal(t, 1.0, got.LatePerMonth, "four late in four months")
	require.InDelta(t, (20+42)/16.0, got.MeanWait.Value, 1e-9)
	require.InDelta(t, 600/(8*120.0), got.Utilisation.Value, 1e-9)
	require.Equal(t, 2, got.KeptRuns, "exactly the promised share is kept")
	require.Equal(t, 1, got.StrictRuns)
	require.True(t, pool.KeptAll())
	require.InDelta(t, 20, got.WorstMonth, 0.1)
	require.Zero(t, got.Median.Value)
	require.InDelta(t, 4, got.Wait.Value, 0.02)
}

func TestPoolIsTheSameInEveryOrder(t *testing.T) {
	t.Parallel()
	p := short()
	forth, back := NewPool(p, 20), NewPool(p, 20)
	for i := range p.Seeds {
		for pool, replication := range map[*Pool]int{forth: i, back: p.Seeds - 1 - i} {
			_, samples := Replicate(p, replication, []int{20})
			pool.Add(replication, samples[0])
		}
	}
	require.Equal(t, forth.Point(), back.Point())
	require.Equal(t, forth.Waits(), back.Waits())
}

func TestMonthsWithoutJobsAreKept(t *testing.T) {
	t.Parallel()
	p := poolParams()
	p.Seeds = 1
	pool := NewPool(p, 8)
	pool.Add(0, sampled(8, nil, nil, 5))
	got := pool.Point()
	require.Equal(t, 1, got.KeptRuns)
	require.Equal(t, 1, got.StrictRuns)
	require.Zero(t, got.Within.Value)
}

func TestUnsteady(t *testing.T) {
	t.Parallel()
	p := Default()
	require.False(t, p.Steady(5), "exactly the load never catches up either")
	require.True(t, p.Steady(6))
	require.Equal(t, Point{Workers: 5, Dollars: 325}, Unsteady(p, 5))
}
