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
	require.Len(t, m.History.Services, 15)
	for _, s := range m.History.Services {
		require.InDelta(t, 1.0/60, s.Minutes, 1e-9)
		require.InDelta(t, 20.0/15, s.Jobs, 1e-9, "fifteen stand for all twenty of the source")
	}
	require.Equal(t, oldTimes.Add(24*time.Hour), m.History.Until)
	require.Zero(t, m.Unknown)
	require.Equal(t, 3, m.Parts, "what runs still has no ledger")
	require.Equal(t, 4, m.Submissions)
}

// TestMeasuredReadsAPart: of many parts four hundred, drawn from all of the window.
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
	require.Equal(t, 400, m.Parts)
	require.InDelta(t, 400*31/2, len(m.History.Services), 400*31/2/10, "parts of all sizes")
	require.InDelta(t, m.History.Jobs(), stood(m), 1e-6)
	require.LessOrEqual(t, p.store.reads.Load(), int32(150+400+8), "a few are read ahead")
	again, err := p.client.Measured(t.Context(), window(0, 24*time.Hour), nil)
	require.NoError(t, err)
	require.Equal(t, m.History, again.History, "by chance, and the same every time")

	w := window(0, 24*time.Hour)
	w.MaxRecords = 1000
	m, err = p.client.Measured(t.Context(), w, nil)
	require.NoError(t, err)
	require.Equal(t, 147, m.Omitted)
	require.Len(t, m.History.Batches, 3)
}

// stood is for how many records the service times stand.
func stood(m starter.Measured) float64 {
	sum := 0.0
	for _, s := range m.History.Services {
		sum += s.Jobs
	}
	return sum
}

// took are n rows whose only request was in flight so long.
func took(n int, in time.Duration) []collection.LedgerRow {
	rows := startedAfter(n, 0, time.Second)
	for i := range rows {
		rows[i].Raw.FetchedAt = rows[i].FirstRequestAt.Add(in)
	}
	return rows
}

// TestMeasuredWeighsSources: a source counts for its records, however many of them lie in the parts that are read. The slow one
// has most records, in large submissions that are few; the quick one has many small submissions.
func TestMeasuredWeighsSources(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	slow, quick := 0, 0
	for i := range 2 {
		plan := collection.PlanResult{Submission: fmt.Sprintf("big-%d", i), Customer: "acme", AcceptedAt: oldTimes.Add(time.Duration(i) * time.Hour)}
		src := collection.SourcePlan{Source: "archive"}
		for n := range 90 {
			src.Batches = append(src.Batches, collection.BatchPlan{Number: n + 1, Records: 500})
			src.Records += 500
			// The first parts of a submission are quicker: a sample of them alone would say so of all.
			stores(p.trial, collection.LedgerKey(plan.Submission, src.Source, n+1), took(500, time.Duration(20+n)*time.Second)...)
		}
		plan.Accepted, plan.Sources = src.Records, []collection.SourcePlan{src}
		stores(p.trial, collection.PlanKey(plan.Submission), plan)
		slow += src.Records
	}
	for i := range 300 {
		p.submitted(fmt.Sprintf("small-%03d", i), "initech", 2*time.Hour+time.Duration(i)*time.Minute, took(20, time.Second))
		quick += 20
	}
	m, err := p.client.Measured(t.Context(), window(0, 24*time.Hour), nil)
	require.NoError(t, err)
	truth := (float64(slow)*(20+89.0/2) + float64(quick)) / float64(slow+quick) / 60
	require.InEpsilon(t, truth, m.History.MeanService(0), 0.05)
	require.InDelta(t, slow+quick, stood(m), 1e-3)
	require.LessOrEqual(t, len(m.History.Services), 20_100)
	require.LessOrEqual(t, m.Parts, 404)
}

// TestMeasuredKnowsEverySource: one source in fifty is slow, and has its say although other sources have more parts than are read.
func TestMeasuredKnowsEverySource(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	plan := collection.PlanResult{Submission: "wide", Customer: "acme", AcceptedAt: oldTimes}
	for s := range 50 {
		src, in := collection.SourcePlan{Source: fmt.Sprintf("source-%02d", s)}, time.Second
		if s == 49 {
			in = time.Minute
		}
		for n := range 20 {
			src.Batches = append(src.Batches, collection.BatchPlan{Number: n + 1, Records: 3})
			src.Records += 3
			stores(p.trial, collection.LedgerKey("wide", src.Source, n+1), took(3, in)...)
		}
		plan.Accepted += src.Records
		plan.Sources = append(plan.Sources, src)
	}
	stores(p.trial, collection.PlanKey("wide"), plan)
	m, err := p.client.Measured(t.Context(), window(0, time.Hour), nil)
	require.NoError(t, err)
	require.InDelta(t, (49*1+60)/50.0/60, m.History.MeanService(0), 1e-9)
	require.Equal(t, 400, m.Parts)
}

// TestMeasuredLooksForLedgersThatAreKept: those of older submissions are gone, and service times come from the others.
func TestMeasuredLooksForLedgersThatAreKept(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	for i := range 400 {
		rows := pending(5)
		if i%4 == 0 {
			rows = took(5, time.Second)
		}
		p.submitted(fmt.Sprintf("s-%03d", i), "acme", time.Duration(i)*time.Minute, rows)
	}
	m, err := p.client.Measured(t.Context(), window(0, 24*time.Hour), nil)
	require.NoError(t, err)
	require.Equal(t, 100, m.Parts)
	require.Len(t, m.History.Services, 500)
	require.InDelta(t, 2000, stood(m), 1e-6)
}

func TestService(t *testing.T) {
	t.Parallel()
	first := oldTimes
	second, minute := first.Add(time.Second), first.Add(time.Minute)
	trail := func(ms ...int64) *collection.Trail {
		kept := &collection.Trail{}
		for _, one := range ms {
			kept.Attempts = append(kept.Attempts, collection.AttemptLine{Took: one})
		}
		return kept
	}
	omitting := trail(100, 300)
	omitting.Omitted = 2
	for name, c := range map[string]struct {
		of        collection.RecordResult
		took      time.Duration
		requested bool
	}{
		"no request":             {collection.RecordResult{Trail: trail(0)}, 0, false},
		"by its trail":           {collection.RecordResult{FirstRequestAt: &first, Attempts: 1, Trail: trail(250), Raw: &collection.Raw{FetchedAt: minute}}, 250 * time.Millisecond, true},
		"all attempts":           {collection.RecordResult{FirstRequestAt: &first, Attempts: 2, Trail: trail(250, 0, 500)}, 750 * time.Millisecond, true},
		"attempts left out":      {collection.RecordResult{FirstRequestAt: &first, Attempts: 4, Trail: omitting}, 800 * time.Millisecond, true},
		"by its only request":    {collection.RecordResult{FirstRequestAt: &first, Attempts: 1, Raw: &collection.Raw{FetchedAt: second}}, time.Second, true},
		"an empty trail":         {collection.RecordResult{FirstRequestAt: &first, Attempts: 1, Trail: trail(0), Raw: &collection.Raw{FetchedAt: second}}, time.Second, true},
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
	require.Equal(t, 4, m.History.Extent().Services)
	require.InDelta(t, 6, stood(m), 1e-9, "the one that does not tell is like those that do")
	require.InDelta(t, 1.0/6, m.History.FreeShare(), 1e-9, "and one had no request, and so took no time")
	require.InDelta(t, 5.0/6/60, m.History.MeanService(0), 1e-9)
	require.Equal(t, 1, m.Unknown)

	p.store.fails[collection.LedgerKey("a-1", "books", 1)] = errDown
	_, err = p.client.Measured(t.Context(), window(0, time.Hour), nil)
	require.ErrorIs(t, err, errDown)
}
