package sizing

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

func at(text string) time.Time {
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return moment
}

func TestReadHistory(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		csv  string
		want History
	}{
		"a row is a job, one moment is a batch": {
			"submitted_at\n2026-03-01T08:00:00Z\n2026-03-01T08:00:00Z\n2026-03-01T09:00:00+01:00\n2026-03-01T10:00:00Z\n",
			History{Batches: []Recorded{{at("2026-03-01T08:00:00Z"), 3}, {at("2026-03-01T10:00:00Z"), 1}}},
		},
		"a row is a submission": {
			"jobs,submitted_at\n40,2026-03-01T09:00:00Z\n,2026-03-01T08:00:00Z\n",
			History{Batches: []Recorded{{at("2026-03-01T08:00:00Z"), 1}, {at("2026-03-01T09:00:00Z"), 40}}},
		},
		"rows of one submission arrive with its first": {
			"submitted_at,submission,note\n2026-03-01T08:05:00Z,a,x\n2026-03-01T08:00:00Z,a,y\n2026-03-01T08:05:00Z,b,z\n",
			History{Batches: []Recorded{{at("2026-03-01T08:00:00Z"), 2}, {at("2026-03-01T08:05:00Z"), 1}}},
		},
		"service times where there are some": {
			"\ufeffSubmitted_At , SERVICE_MINUTES\n2026-03-01T08:00:00Z,2.5\n2026-03-01T08:01:00Z,\n2026-03-01T08:02:00Z,0\n",
			History{
				Batches:  []Recorded{{at("2026-03-01T08:00:00Z"), 1}, {at("2026-03-01T08:01:00Z"), 1}, {at("2026-03-01T08:02:00Z"), 1}},
				Services: []ServiceTime{{Minutes: 2.5, Jobs: 1}, {Jobs: 1, Group: 2}},
			},
		},
		"a service time stands for all jobs of its row": {
			"submitted_at,jobs,submission,service_minutes\n2026-03-01T08:00:00Z,99,a,20\n2026-03-01T08:00:00Z,1,a,1\n2026-03-01T09:00:00Z,3,b,2\n",
			History{
				Batches:  []Recorded{{at("2026-03-01T08:00:00Z"), 100}, {at("2026-03-01T09:00:00Z"), 3}},
				Services: []ServiceTime{{Minutes: 20, Jobs: 99}, {Minutes: 1, Jobs: 1}, {Minutes: 2, Jobs: 3, Group: 1}},
			},
		},
		"nothing but a header": {"submitted_at\n", History{}},
	} {
		got, err := ReadHistory(strings.NewReader(row.csv))
		require.NoError(t, err, name)
		require.Equal(t, row.want.Services, got.Services, name)
		require.Len(t, got.Batches, len(row.want.Batches), name)
		for i, want := range row.want.Batches {
			require.True(t, want.At.Equal(got.Batches[i].At), "%s: batch %d at %v", name, i, got.Batches[i].At)
			require.Equal(t, want.Jobs, got.Batches[i].Jobs, "%s: batch %d", name, i)
		}
	}
}

func TestReadHistoryRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ csv, want string }{
		{"", "line 1: the file is empty: begin with a header row that has submitted_at"},
		{"when,jobs\n", "line 1: the header has no column submitted_at: name the column of arrival times so"},
		{"submitted_at\nyesterday\n", `line 2, submitted_at = "yesterday": write a time such as 2026-03-01T08:30:00Z`},
		{"submitted_at,jobs\n2026-03-01T08:00:00Z,-1\n", `line 2, jobs = "-1": write a whole number from 1 to 1000000`},
		{"submitted_at,jobs\n2026-03-01T08:00:00Z,1e3\n", `line 2, jobs = "1e3": write a whole number from 1 to 1000000`},
		{"submitted_at,service_minutes\n2026-03-01T08:00:00Z,NaN\n", `line 2, service_minutes = "NaN": write minutes from 0 to 10080`},
		{"submitted_at,service_minutes\n2026-03-01T08:00:00Z,-1\n", `line 2, service_minutes = "-1": write minutes from 0 to 10080`},
		{"submitted_at,jobs\n2026-03-01T08:00:00Z\n", "line 2: wrong number of fields: write one row with as many fields as the header"},
		{"submitted_at\n\"2026\n", "line 2: extraneous or missing \" in quoted-field: write one row with as many fields as the header"},
		{
			"submitted_at,jobs\nx,0\n2026-03-01T08:00:00Z,4\ny,5\n",
			"line 2, submitted_at = \"x\": write a time such as 2026-03-01T08:30:00Z\nline 2, jobs = \"0\": write a whole number from 1 to 1000000\nline 4, submitted_at = \"y\": write a time such as 2026-03-01T08:30:00Z",
		},
	} {
		_, err := ReadHistory(strings.NewReader(row.csv))
		require.EqualError(t, err, row.want)
	}
}

func TestReadHistoryStopsAfterEnough(t *testing.T) {
	t.Parallel()
	_, err := ReadHistory(strings.NewReader("submitted_at\n" + strings.Repeat("bad\n", 10_000)))
	var problems Problems
	require.True(t, errors.As(err, &problems))
	require.Len(t, problems, maxRowProblems)

	_, err = ReadHistory(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("submitted_at\n2026"))))
	require.ErrorContains(t, err, "cannot be read: timeout")
}

// FuzzReadHistory: whatever the bytes, the history is sound or refused.
func FuzzReadHistory(f *testing.F) {
	f.Add([]byte("submitted_at,jobs,submission,service_minutes\n2026-03-01T08:00:00Z,4,a,2.5\n2026-03-01T08:00:00.5+02:00,,b,\n"))
	f.Add([]byte("submitted_at\r\n\"2026-03-01T08:00:00Z\"\r\n"))
	f.Add([]byte("submitted_at\n0000-01-01T00:00:00Z\n9999-12-31T23:59:59Z\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadHistory(strings.NewReader(string(data)))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for i, batch := range h.Batches {
			require.Positive(t, batch.Jobs)
			require.False(t, i > 0 && batch.At.Before(h.Batches[i-1].At), "in order")
		}
		if p, err := h.Params(Default()); err == nil {
			require.NoError(t, p.Check())
			require.InDelta(t, float64(h.Jobs()), p.JobsPerHour*h.Span().Hours(), 1e-6*float64(h.Jobs()))
		} else {
			require.NotEmpty(t, fmt.Sprint(err))
		}
	})
}

// TestRowsOfOneSubmissionBelongTogether: a name that comes again after days is no batch of all its rows.
func TestRowsOfOneSubmissionBelongTogether(t *testing.T) {
	t.Parallel()
	read := func(second string) error {
		_, err := ReadHistory(strings.NewReader("submitted_at,submission\n2026-03-02T08:00:00Z,daily\n" + second + ",daily\n"))
		return err
	}
	require.NoError(t, read("2026-03-02T08:15:00Z"))
	require.NoError(t, read("2026-03-02T07:45:00Z"))
	for _, second := range []string{"2026-03-03T08:00:00Z", "2026-03-01T08:00:00Z"} {
		require.EqualError(t, read(second), "line 3, submitted_at = "+second+`: it is 24h0m0s from another row of submission "daily", and rows of one submission are one batch: give each batch a name of its own, or leave the column submission empty`)
	}
}
