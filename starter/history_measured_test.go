package starter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/starter"
)

func TestMeasured(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.submitted("a-2", "acme", 2*time.Hour, startedAfter(4, 2*time.Hour, time.Second))
	p.submitted("a-1", "acme", time.Hour, startedAfter(10, time.Hour, time.Minute), pending(5))
	p.submitted("i-1", "initech", 3*time.Hour, startedAfter(1, 3*time.Hour, time.Second))
	p.submitted("none", "acme", time.Hour)
	m, err := p.client.Measured(t.Context(), window(0, 24*time.Hour), nil)
	require.NoError(t, err)
	require.Equal(t, []sizing.Recorded{
		{At: oldTimes.Add(time.Hour), Jobs: 15}, {At: oldTimes.Add(2 * time.Hour), Jobs: 4}, {At: oldTimes.Add(3 * time.Hour), Jobs: 1},
	}, m.History.Batches, "in order of arrival; what runs still has arrived too, and a submission without records is none")
	require.Len(t, m.History.ServiceMinutes, 15)
	for _, minutes := range m.History.ServiceMinutes {
		require.InDelta(t, 1.0/60, minutes, 1e-9)
	}
	require.Equal(t, oldTimes.Add(24*time.Hour), m.History.Until)
	require.Zero(t, m.Unknown)
	require.Equal(t, 4, m.Parts)
	require.Equal(t, 4, m.Submissions)
}

// TestMeasuredReadsAPart: of a large submission a few parts spread over it, of many submissions the first four hundred parts.
func TestMeasuredReadsAPart(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	var parts [][]collection.LedgerRow
	for i := range 30 {
		parts = append(parts, startedAfter(i+1, 0, time.Second))
	}
	for i := range 150 {
		p.submitted(fmt.Sprintf("s-%03d", i), "acme", time.Duration(i)*time.Minute, parts...)
	}
	m, err := p.client.Measured(t.Context(), window(0, 24*time.Hour), nil)
	require.NoError(t, err)
	require.Len(t, m.History.Batches, 150)
	require.Equal(t, 150*30*31/2, m.History.Jobs())
	require.Equal(t, 402, m.Parts, "the submission in which the limit is reached is read to its end")
	require.Len(t, m.History.ServiceMinutes, 134*(1+11+21), "the first, the eleventh and the twenty-first part")

	w := window(0, 24*time.Hour)
	w.MaxRecords = 1000
	m, err = p.client.Measured(t.Context(), w, nil)
	require.NoError(t, err)
	require.Equal(t, 147, m.Omitted)
	require.Len(t, m.History.Batches, 3)
}

func TestService(t *testing.T) {
	t.Parallel()
	first := oldTimes
	second, minute := first.Add(time.Second), first.Add(time.Minute)
	took := func(ms ...int64) *collection.Trail {
		trail := &collection.Trail{}
		for _, one := range ms {
			trail.Attempts = append(trail.Attempts, collection.AttemptLine{Took: one})
		}
		return trail
	}
	omitting := took(100, 300)
	omitting.Omitted = 2
	for name, c := range map[string]struct {
		of        collection.RecordResult
		took      time.Duration
		requested bool
	}{
		"no request":             {collection.RecordResult{Trail: took(0)}, 0, false},
		"by its trail":           {collection.RecordResult{FirstRequestAt: &first, Attempts: 1, Trail: took(250), Raw: &collection.Raw{FetchedAt: minute}}, 250 * time.Millisecond, true},
		"all attempts":           {collection.RecordResult{FirstRequestAt: &first, Attempts: 2, Trail: took(250, 0, 500)}, 750 * time.Millisecond, true},
		"attempts left out":      {collection.RecordResult{FirstRequestAt: &first, Attempts: 4, Trail: omitting}, 800 * time.Millisecond, true},
		"by its only request":    {collection.RecordResult{FirstRequestAt: &first, Attempts: 1, Raw: &collection.Raw{FetchedAt: second}}, time.Second, true},
		"an empty trail":         {collection.RecordResult{FirstRequestAt: &first, Attempts: 1, Trail: took(0), Raw: &collection.Raw{FetchedAt: second}}, time.Second, true},
		"not modified":           {collection.RecordResult{FirstRequestAt: &first, Attempts: 1, Raw: &collection.Raw{FetchedAt: oldTimes.Add(-time.Hour), NotModifiedAt: &second}}, time.Second, true},
		"between several":        {collection.RecordResult{FirstRequestAt: &first, Attempts: 3, Raw: &collection.Raw{FetchedAt: minute}}, 0, true},
		"failed without a trail": {collection.RecordResult{FirstRequestAt: &first, Attempts: 1}, 0, true},
		"clocks disagree":        {collection.RecordResult{FirstRequestAt: &second, Attempts: 1, Raw: &collection.Raw{FetchedAt: first}}, 0, true},
	} {
		got, requested := starter.Service(c.of)
		require.Equal(t, c.took, got, name)
		require.Equal(t, c.requested, requested, name)
	}
}

// TestMeasuredTellsWhatItDoesNotKnow: records that were requested, and do not say for how long.
func TestMeasuredTellsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	rows := startedAfter(6, 0, time.Second)
	rows[1].Attempts, rows[4].FirstRequestAt = 2, nil
	p.submitted("a-1", "acme", 0, rows)
	m, err := p.client.Measured(t.Context(), window(0, time.Hour), nil)
	require.NoError(t, err)
	require.Len(t, m.History.ServiceMinutes, 4)
	require.Equal(t, 1, m.Unknown)

	p.store.fails[collection.LedgerKey("a-1", "books", 1)] = errDown
	_, err = p.client.Measured(t.Context(), window(0, time.Hour), nil)
	require.ErrorIs(t, err, errDown)
}
