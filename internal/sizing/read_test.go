package sizing

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestReadNothingIsTheExperiment(t *testing.T) {
	t.Parallel()
	p, err := ReadParams(strings.NewReader("{}"))
	require.NoError(t, err)
	require.Equal(t, Default(), p)
}

// TestReadWhatWasWritten: the whole of the parameters survives the file.
func TestReadWhatWasWritten(t *testing.T) {
	t.Parallel()
	p := Default()
	p.JobsPerHour, p.Seed, p.Seeds, p.Months, p.HoursPerMonth, p.WarmUpHours = 12.5, 1<<63+1, 7, 3, 730, 0
	p.Service = Service{Shape: Empirical, Values: []float64{1, 2.5}, Weights: []float64{7, 0.5}}
	p.Batches = Batches{Shape: Empirical, Sizes: []int{1, 40}, Max: 30, PaceMinutes: 0.5}
	p.Promise = Promise{Share: 0.9, Minutes: 2}
	p.Workers = Range{From: 2, To: 60}
	p.Sources = []Source{{Name: "a", Share: 0.25, Ceiling: 4}, {Name: "b", Share: 0.75}}
	p.Customers = []Customer{{Name: "x", Share: 1, Weight: 2}}
	p.Elastic = &Elastic{Floor: 3, StartDelayMinutes: 1, StopAfterIdleMinutes: 20}
	p.JobCosts = []JobCost{{Name: "actions", UnitsPerJob: 9, DollarsPerUnit: 0.00005}}
	data, err := json.Marshal(p)
	require.NoError(t, err)
	got, err := ReadParams(strings.NewReader(string(data)))
	require.NoError(t, err)
	require.Equal(t, p, got)

	p.Service = Service{Shape: LogNormal, MeanMinutes: 4, Variation: 1.5}
	p.Batches = Batches{Shape: Mixed, Mean: 3}
	data, err = json.Marshal(p)
	require.NoError(t, err)
	got, err = ReadParams(strings.NewReader(string(data)))
	require.NoError(t, err)
	require.Equal(t, p, got)
}

func TestReadOverTheDefaults(t *testing.T) {
	t.Parallel()
	p, err := ReadParams(strings.NewReader(`{"batches": {"max": 24}, "elastic": {"floor": 4}}`))
	require.NoError(t, err)
	require.Equal(t, Batches{Shape: Geometric, Mean: 12, Max: 24}, p.Batches)
	require.Equal(t, Elastic{Floor: 4, StartDelayMinutes: 2, StopAfterIdleMinutes: 15}, *p.Elastic)
	require.Equal(t, Range{From: 1}, p.Workers, "other batches, other fleets: the study chooses them")

	p, err = ReadParams(strings.NewReader(`{"elastic": null, "worker_month_dollars": 80}`))
	require.NoError(t, err)
	require.Nil(t, p.Elastic)
	require.Equal(t, Range{From: 1, To: 40}, p.Workers, "another price asks for no other fleets")

	p, err = ReadParams(strings.NewReader(`{"jobs_per_hour": 60, "workers": {"from": 10, "to": 90}}`))
	require.NoError(t, err)
	require.Equal(t, Range{From: 10, To: 90}, p.Workers)
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ file, want string }{
		{"", "line 1: unexpected end of JSON input: write JSON; NaN and Infinity are no numbers in it"},
		{"{\n\"jobs_per_hour\": NaN}", "line 2: invalid character 'N' looking for beginning of value: write JSON; NaN and Infinity are no numbers in it"},
		{"[]", "the file = []: write an object in braces"},
		{"null", "the file = null: write an object in braces"},
		{`{"jobs_per_hour": "thirty"}`, `jobs_per_hour = "thirty": write a number, no larger than a computer holds`},
		{`{"jobs_per_hour": 1e999}`, "jobs_per_hour = 1e999: write a number, no larger than a computer holds"},
		{`{"jobs_per_hour": null}`, "jobs_per_hour = null: write a number, no larger than a computer holds"},
		{`{"months": 1.5}`, "months = 1.5: write a whole number"},
		{`{"seed": -1}`, "seed = -1: write a whole number"},
		{`{"service": 10}`, "service = 10: write an object in braces"},
		{`{"service": {"shape": 7}}`, "service.shape = 7: write a text in quotes"},
		{`{"service": {"values": 7}}`, "service.values = 7: write a list in brackets"},
		{`{"service": {"values": [1, "x"]}}`, `service.values[1] = "x": write a number, no larger than a computer holds`},
		{`{"sources": [{"name": "a", "celing": 3}]}`, "sources[0].celing: there is no such key: use ceiling, name, share"},
		{`{"batches": {"sizes": [` + strings.Repeat("1,", 100) + `"x"]}}`, `batches.sizes[100] = "x": write a whole number`},
		{`{"batches": {"mean": "` + strings.Repeat("x", 100) + `"}}`, `batches.mean = "` + strings.Repeat("x", 39) + `…: write a number, no larger than a computer holds`},
		{`{"jobs_per_hour": -1}`, "jobs_per_hour = -1: use more than 0, up to 1e+06"},
	} {
		_, err := ReadParams(strings.NewReader(row.file))
		require.EqualError(t, err, row.want)
		var problems Problems
		require.True(t, errors.As(err, &problems))
	}
}

// TestReadRefusesWhatNothingUses: a key that the shape does not read would be taken for one that the answer is about.
func TestReadRefusesWhatNothingUses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ file, want string }{
		{`{"batches": {"sizes": [1, 2]}}`, `batches.sizes: the shape geometric does not use it: add "shape": "empirical", or leave it out`},
		{`{"service": {"values": [1, 2]}}`, `service.values: the shape exponential does not use it: add "shape": "empirical", or leave it out`},
		{`{"service": {"shape": "fixed", "weights": [1]}}`, `service.weights: the shape fixed does not use it: add "shape": "empirical", or leave it out`},
		{`{"service": {"variation": 2}}`, `service.variation: the shape exponential does not use it: add "shape": "log-normal", or leave it out`},
		{`{"service": {"shape": "empirical", "values": [1], "mean_minutes": 3}}`,
			`service.mean_minutes: the shape empirical does not use it: write "shape": "exponential", "fixed" or "log-normal", or leave it out`},
		{`{"batches": {"shape": "single", "mean": 3}}`,
			`batches.mean: the shape single does not use it: write "shape": "geometric", "fixed" or "mixed", or leave it out`},
		{`{"batches": {"shape": "empirical", "sizes": [1], "mean": 3}}`,
			`batches.mean: the shape empirical does not use it: write "shape": "geometric", "fixed" or "mixed", or leave it out`},
		{`{"batches": {"shape": "round", "mean": 3, "sizes": [1]}}`, `batches.shape = "round": use geometric, fixed, empirical, mixed or single`},
	} {
		_, err := ReadParams(strings.NewReader(row.file))
		require.EqualError(t, err, row.want)
	}
	for _, file := range []string{
		`{"batches": {"shape": "single"}}`, `{"batches": {"mean": 3, "max": 9, "pace_minutes": 1}}`, `{"service": {"mean_minutes": 3}}`,
		`{"service": {"shape": "empirical", "values": [1, 3], "weights": [2, 1]}}`,
	} {
		_, err := ReadParams(strings.NewReader(file))
		require.NoError(t, err, file)
	}
}

// TestReadOverOthers: fleet sizes that the base leaves open stay so, unless the file has some.
func TestReadOverOthers(t *testing.T) {
	t.Parallel()
	base := Default()
	base.Workers = Range{From: 1}
	p, err := ReadParamsOver(base, strings.NewReader(`{"worker_month_dollars": 80}`))
	require.NoError(t, err)
	require.Equal(t, Range{From: 1}, p.Workers)
	p, err = ReadParamsOver(base, strings.NewReader(`{"promise": {"minutes": 3}, "workers": {"to": 70}}`))
	require.NoError(t, err)
	require.Equal(t, Range{From: 1, To: 70}, p.Workers)
}

func TestReadRefusesEverythingAtOnce(t *testing.T) {
	t.Parallel()
	_, err := ReadParams(strings.NewReader(`{"jobs_per_hour": "x", "months": 1.5, "service": {"mean_minutes": []}, "wokers": {}}`))
	require.EqualError(t, err, `jobs_per_hour = "x": write a number, no larger than a computer holds
months = 1.5: write a whole number
service.mean_minutes = []: write a number, no larger than a computer holds
wokers: there is no such key: use batches, customers, elastic, hours_per_month, job_costs, jobs_per_hour, months, promise, seed, seeds, service, sources, warm_up_hours, worker_month_dollars, workers`)
}

// TestReadChecksWhatItCouldRead: a value out of its range is said beside one of a wrong type, and not of the part that could not be
// read.
func TestReadChecksWhatItCouldRead(t *testing.T) {
	t.Parallel()
	_, err := ReadParams(strings.NewReader(`{"jobs_per_hour": "x", "seeds": 0, "promise": {"share": 95, "minutes": 5}, "service": {"mean_minutes": -1, "shape": 7}}`))
	require.EqualError(t, err, `jobs_per_hour = "x": write a number, no larger than a computer holds
service.shape = 7: write a text in quotes
promise.share = 95: use a share between 0 and 1, such as 0.95 for 95 % of jobs
seeds = 0: use 1 to 1000`)
}

// TestReadRefusesWhatStandsTwice: the last value would win, and nobody would know.
func TestReadRefusesWhatStandsTwice(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		`{"seeds": 3, "months": 2, "seeds": 4, "seeds": 5}`:                                       "seeds: it stands more than once: leave one of them",
		`{"batches": {"mean": 3, "mean": 4}}`:                                                     "batches.mean: it stands more than once: leave one of them",
		`{"customers": [{"name": "a", "share": 1, "weight": 1, "name": "b"}]}`:                    "customers[0].name: it stands more than once: leave one of them",
		`{"elastic": {"floor": 2, "floor": 3}, "service": {"mean_minutes": 3, "shape": "fixed"}}`: "elastic.floor: it stands more than once: leave one of them",
	} {
		_, err := ReadParams(strings.NewReader(file))
		require.EqualError(t, err, want)
	}
	require.Empty(t, repeated([]byte(`{"a": {"b": 1}, "b": [{"a": 2}, "a"]}`)))
	require.Empty(t, repeated([]byte(`[1]`)))
}

func TestReadTooMuch(t *testing.T) {
	t.Parallel()
	_, err := ReadParams(strings.NewReader(strings.Repeat(" ", maxParamsBytes+1)))
	require.ErrorContains(t, err, "is larger than 4194304 bytes")
}

func TestReadFailure(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	_, err := ReadParams(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "read the parameters")
}

// FuzzReadParams: whatever a file says, it is refused with reasons, or can be drawn from.
func FuzzReadParams(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"jobs_per_hour": 1e-300}`, `{"batches": {"shape": "mixed", "mean": 1.4}}`, `{"service": {"shape": "log-normal", "variation": 10}}`,
		`{"service": {"shape": "empirical", "values": [0.0000001]}}`, `{"batches": {"shape": "empirical", "sizes": [1000000]}}`,
		`{"sources": [{"name": "a", "share": 1, "ceiling": 6}], "elastic": null}`, `{"a":`, `{"hours_per_month": 1e-12, "months": 60}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadParams(strings.NewReader(string(data)))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NoError(t, p.Check())
		require.Positive(t, p.Load())
		s := NewStream(p, 0)
		jobs := make([]Job, 64)
		last := int64(0)
		for _, job := range jobs[:s.Fill(jobs)] {
			require.GreaterOrEqual(t, job.Arrival, last)
			require.GreaterOrEqual(t, job.Service, int64(0))
			last = job.Arrival
		}
	})
}
