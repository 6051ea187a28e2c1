package sizing

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recorded is the experiment's arrivals as a recording of so many days, beginning on a first of March.
func recorded(days int, seed uint64) *History {
	p := Default()
	p.Seed, p.WarmUpHours, p.Months, p.HoursPerMonth = seed, 0, 1, float64(24*days)
	begin := at("2026-03-01T00:00:00Z")
	h := &History{}
	last := int32(-1)
	for _, job := range drain(NewStream(p, 0), 4096) {
		if job.Batch != last {
			h.Batches = append(h.Batches, Recorded{At: begin.Add(time.Duration(job.Arrival) * time.Microsecond)})
			last = job.Batch
		}
		h.Batches[len(h.Batches)-1].Jobs++
		h.Services = append(h.Services, ServiceTime{Minutes: minutes(job.Service), Jobs: 1, Group: int(job.Batch)})
	}
	return h
}

func TestTooLittleHistory(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		history History
		want    string
	}{
		"empty": {History{}, `history: it has 0 submissions and needs 50: record for longer
history: it has 0 jobs and needs 500: record for longer
history: it covers 0.0 days and needs 7, since weekdays differ: record for longer`},
		"tiny": {History{
			Batches:  []Recorded{{at("2026-03-01T00:00:00Z"), 5}, {at("2026-03-03T12:00:00Z"), 7}},
			Services: make([]ServiceTime, 3),
		}, `history: it has 2 submissions and needs 50: record for longer
history: it has 12 jobs and needs 500: record for longer
history: it covers 2.5 days and needs 7, since weekdays differ: record for longer
history: it has 3 service times and needs 100: record for longer`},
	} {
		_, err := row.history.Params(Default())
		require.EqualError(t, err, row.want, name)
		var problems Problems
		require.True(t, errors.As(err, &problems), name)
	}
}

func TestStrangeHistory(t *testing.T) {
	t.Parallel()
	h := recorded(30, 1)
	h.Batches[3].Jobs = 0
	require.ErrorContains(t, h.Check(), "submission 4 = 0: a submission has 1 to 1000000 jobs")

	h = recorded(30, 1)
	h.Batches[0].At = at("1999-01-01T00:00:00Z")
	require.ErrorContains(t, h.Check(), "arrivals of 5 years ago say little: leave the old ones out")
}

// TestHistoryBecomesParams (K10): the load, the sizes and the service times are the recorded ones.
func TestHistoryBecomesParams(t *testing.T) {
	t.Parallel()
	h := recorded(120, 1)
	p, err := h.Params(Default())
	require.NoError(t, err)
	require.InEpsilon(t, float64(h.Jobs())/h.Span().Hours(), p.JobsPerHour, 1e-12)
	require.InEpsilon(t, 5, p.Load(), 0.1)
	require.InEpsilon(t, 12, p.Batches.MeanSize(), 0.1)
	require.Equal(t, Empirical, p.Batches.Shape)
	require.Equal(t, Empirical, p.Service.Shape)
	require.Equal(t, Default().Workers, p.Workers, "somebody may have chosen them")
	require.Equal(t, Default().Promise, p.Promise)

	h.Services = nil
	p, err = h.Params(Default())
	require.NoError(t, err)
	require.Equal(t, Default().Service, p.Service, "without measured service times the assumed ones stay")
}

// TestMeasuredArrivalsSizeAlike: a fleet sized from a recording of the experiment needs about what the experiment needs.
func TestMeasuredArrivalsSizeAlike(t *testing.T) {
	t.Parallel()
	p, err := recorded(300, 4).Params(Default())
	require.NoError(t, err)
	p.Seeds = 4
	for _, point := range pooled(t, p, 28, 35) {
		if point.Workers == 28 {
			require.Less(t, point.Within.Value, 0.95)
		} else {
			require.Greater(t, point.Within.Value, 0.95)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	h := &History{Batches: []Recorded{{at("2026-03-05T00:00:00Z"), 2}, {at("2026-03-01T00:00:00Z"), 3}}}
	h.Sort()
	require.Equal(t, 96*time.Hour, h.Span())
	require.Equal(t, 5, h.Jobs())
	h.Until = at("2026-03-11T00:00:00Z")
	require.Equal(t, 240*time.Hour, h.Span(), "nothing arrived since, which is known too")
	h.Until = at("2026-03-02T00:00:00Z")
	require.Equal(t, 96*time.Hour, h.Span())
}

// TestReplayByHand: two workers, a batch of three jobs of ten minutes, twice, a month apart; the third job waits ten
// minutes.
func TestReplayByHand(t *testing.T) {
	t.Parallel()
	h := &History{Batches: []Recorded{{at("2026-01-31T23:00:00Z"), 3}, {at("2026-02-28T08:00:00Z"), 3}, {at("2026-02-28T12:00:00Z"), 2}}}
	p := Default()
	p.Service = Service{Shape: Fixed, MeanMinutes: 10}
	p.Promise = Promise{Share: 0.75, Minutes: 5}
	jobs := h.Stretch(p)
	require.Len(t, jobs, 8)
	require.Equal(t, int64(0), jobs[2].Arrival)
	require.Equal(t, micros(60*24*27+9*60), jobs[3].Arrival)

	got := replayed(t, h, p, 2)
	require.Equal(t, 2, got.Workers)
	require.Equal(t, 0.75, got.Within)
	require.True(t, got.Kept)
	require.Equal(t, 2, got.Months)
	require.Equal(t, 1, got.KeptMonths, "January has one of three late, February one of five")

	p.Promise.Share = 0.9
	require.Equal(t, 3, smallestReplayed(t, h, p).Workers)
	require.True(t, smallestReplayed(t, h, p).Kept)
	p.Service.MeanMinutes = 9000
	require.Zero(t, smallestReplayed(t, &History{Batches: []Recorded{{at("2026-01-01T00:00:00Z"), 20_000}}}, p).Workers,
		"twenty thousand jobs at once are beyond the largest fleet")
}

// TestReplaySeesWhatBatchesForget: customers who come one right after another need more than their batches say.
func TestReplaySeesWhatBatchesForget(t *testing.T) {
	t.Parallel()
	h := recorded(60, 9)
	p, err := h.Params(Default())
	require.NoError(t, err)
	spread := smallestReplayed(t, h, p).Workers
	for i := range h.Batches {
		if i%2 == 1 {
			h.Batches[i].At = h.Batches[i-1].At.Add(time.Second)
		}
	}
	require.Greater(t, smallestReplayed(t, h, p).Workers, spread+2)
}
