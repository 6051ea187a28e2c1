package sizing

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestServiceTimesCountForTheirJobs: short jobs that come alone, and long ones that come ninety-nine at once, are long ones. A
// row is not a job.
func TestServiceTimesCountForTheirJobs(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString("submitted_at,jobs,service_minutes\n")
	for i := range 200 {
		at := at("2026-01-01T00:00:00Z").Add(time.Duration(i) * time.Hour).Format(time.RFC3339)
		fmt.Fprintf(&file, "%s,1,1\n", at)
		at = strings.Replace(at, ":00:00Z", ":30:00Z", 1)
		fmt.Fprintf(&file, "%s,99,20\n", at)
	}
	h, err := ReadHistory(strings.NewReader(file.String()))
	require.NoError(t, err)
	const mean = (1*1 + 99*20) / 100.0
	require.InDelta(t, mean, h.MeanService(0), 1e-9)
	p, err := h.Params(Default())
	require.NoError(t, err)
	require.InDelta(t, mean, p.Service.Mean(), 1e-9)
	require.InDelta(t, p.JobsPerHour/60*mean, p.Load(), 1e-9)
	require.InDelta(t, p.JobsPerHour/60*mean, h.Burst(p.Service.Mean()).Load, 0.05*p.Load())

	long, draws := 0, 20_000
	next := p.Service.draw(NewRandom(5))
	for range draws {
		if next() == 20*minute {
			long++
		}
	}
	require.InDelta(t, 0.99, float64(long)/float64(draws), 4*math.Sqrt(0.99*0.01/float64(draws)))
}

func TestDrawsKnowWeights(t *testing.T) {
	t.Parallel()
	s := Service{Shape: Empirical, Values: []float64{1, 2, 3, 4}, Weights: []float64{0, 3, 0, 1}}
	require.InDelta(t, 2.5, s.Mean(), 1e-12)
	next, counts := s.draw(NewRandom(1)), map[int64]int{}
	for range 40_000 {
		counts[next()/minute]++
	}
	require.Len(t, counts, 2, "what stands for no job is never drawn")
	require.InDelta(t, 30_000, counts[2], 400)
	s.Weights = nil
	again := Service{Shape: Empirical, Values: s.Values, Weights: []float64{1, 1, 1, 1}}
	one, other := s.draw(NewRandom(3)), again.draw(NewRandom(3))
	for range 1000 {
		require.Equal(t, one(), other(), "equal weights are none")
	}
}

func TestBadWeights(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		weights []float64
		want    string
	}{
		{[]float64{1}, "service.weights: there are 1 for 2 values: give one for each, or none"},
		{[]float64{1, -1}, "service.weights[1] = -1: use 0 to 1e+12 jobs"},
		{[]float64{1, math.NaN()}, "service.weights[1] = NaN: use 0 to 1e+12 jobs"},
		{[]float64{0, 0}, "service.weights: every weight is 0: give the number of jobs that each value stands for"},
		{[]float64{1, 0}, "service.values: every service time is 0: measure them in finer steps"},
	} {
		p := Default()
		p.Service = Service{Shape: Empirical, Values: []float64{0, 1}, Weights: row.weights}
		require.EqualError(t, p.Check(), row.want)
	}
}

// TestServiceDoubtByHand: two groups, and what they are off the mean of 2.
func TestServiceDoubtByHand(t *testing.T) {
	t.Parallel()
	h := &History{Services: []ServiceTime{{1, 2, 7, false}, {3, 1, 7, false}, {3, 1, 4, false}}}
	d := h.serviceDoubt() // off by -1 and 1 in sum, of 4 jobs
	require.InDelta(t, math.Sqrt(2*2)/(4*2), d.Error, 1e-12)
	require.InDelta(t, 1, d.Freedom, 1e-12)
	require.Equal(t, Doubt{}, (&History{}).serviceDoubt(), "assumed ones are exact")
	require.Equal(t, Doubt{Error: unknowable}, (&History{Services: []ServiceTime{{1, 1, 0, false}, {2, 1, 0, false}}}).serviceDoubt(), "one group")
}

// TestServiceDoubtIsTheSpreadOfTheMean: over many histories, of which a group shares its luck.
func TestServiceDoubtIsTheSpreadOfTheMean(t *testing.T) {
	t.Parallel()
	random := NewRandom(8)
	var logs []float64
	said, trials := 0.0, 400
	for range trials {
		h := &History{}
		for g := range 60 {
			slow := random.Exponential()
			for range 5 {
				h.Services = append(h.Services, ServiceTime{Minutes: slow + random.Exponential(), Jobs: 1 + random.Float(), Group: g})
			}
		}
		logs = append(logs, math.Log(h.MeanService(0)))
		said += h.serviceDoubt().Error / float64(trials)
	}
	mean, squares := meanOf(logs), 0.0
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
	}
	require.InEpsilon(t, math.Sqrt(squares/float64(trials-1)), said, 0.12)
}

func TestDoubtsAddUp(t *testing.T) {
	t.Parallel()
	sum := Doubt{Error: 3, Freedom: 10}.plus(Doubt{Error: 4, Freedom: 10})
	require.InDelta(t, 5, sum.Error, 1e-12)
	require.InDelta(t, 625/(81/10.0+256/10.0), sum.Freedom, 1e-9)
	require.Equal(t, sum, sum.plus(Doubt{}))
	require.Equal(t, sum, Doubt{}.plus(sum))
	require.Greater(t, Doubt{Error: 1, Freedom: 6}.chance(), Doubt{Error: 1, Freedom: 30}.chance())
}

// TestJobsThatTakeNoWorker make the mean smaller, and neither count as measured nor make it less sure.
func TestJobsThatTakeNoWorker(t *testing.T) {
	t.Parallel()
	h := &History{}
	for i := range 120 {
		h.Services = append(h.Services, ServiceTime{Minutes: 1 + float64(i%3), Jobs: 5, Group: i})
	}
	mean, doubt := h.MeanService(0), h.serviceDoubt()
	require.Zero(t, h.FreeShare())
	h.Services = append(h.Services, ServiceTime{Jobs: 200, Group: 7, Free: true}, ServiceTime{Jobs: 200, Free: true})
	require.InDelta(t, 0.4, h.FreeShare(), 1e-12)
	require.InDelta(t, mean*0.6, h.MeanService(0), 1e-12)
	require.InDelta(t, doubt.Error, h.serviceDoubt().Error, 1e-12)
	require.InDelta(t, doubt.Freedom, h.serviceDoubt().Freedom, 1e-9)
	require.Equal(t, 120, h.Extent().Services)

	none := &History{Services: []ServiceTime{{Jobs: 900, Free: true}}}
	require.Equal(t, Doubt{Error: unknowable}, none.serviceDoubt())
	require.ErrorContains(t, none.Check(), "it has 0 service times and needs 100")
	require.Zero(t, (&History{}).FreeShare())
}
