package starter_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/mocks"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
	"github.com/weir-collect/weir/internal/promise"
	"github.com/weir-collect/weir/starter"
)

// oldTimes is when the past begins here: long before any clock on which the tests run.
var oldTimes = time.Date(2020, 3, 2, 8, 0, 0, 0, time.UTC)

// archive is a bucket that may be read from many sides at once, and counts how many do.
type archive struct {
	*memstore.Store
	mu        sync.Mutex
	fails     map[string]error
	now, most atomic.Int32
	reads     atomic.Int32
	// onGet is called before each read.
	onGet func(key string)
}

func (s *archive) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	s.reads.Add(1)
	if s.onGet != nil {
		s.onGet(key)
	}
	now := s.now.Add(1)
	defer s.now.Add(-1)
	s.mu.Lock()
	s.most.Store(max(s.most.Load(), now))
	err := s.fails[key]
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.Store.Get(ctx, key, limit)
}

func (s *archive) PresignGet(context.Context, string, time.Duration) (starter.SignedURL, error) {
	return starter.SignedURL{}, errors.New("nothing is signed here")
}

func (s *archive) Upload(context.Context, string, io.ReadSeeker, int64, string) (collection.ObjectInfo, error) {
	return collection.ObjectInfo{}, errors.New("nothing is written here")
}

// past is a bucket full of submissions, and an engine that knows some of them.
type past struct {
	store  *archive
	engine *mocks.Client
	client *starter.Client
	trial  *trial
}

func newPast(t *testing.T) *past {
	t.Helper()
	p := &past{store: &archive{Store: memstore.New(), fails: map[string]error{}}, engine: &mocks.Client{}}
	p.engine.Test(t)
	t.Cleanup(func() { p.engine.AssertExpectations(t) })
	p.trial = &trial{engine: p.engine, store: &bucket{Store: p.store.Store, fails: map[string]error{}}}
	p.client = starter.New(p.engine, p.store, "weir-test", nil)
	return p
}

// submitted stores the plan of a submission with batches of so many records, and a ledger for those that are given rows.
func (p *past) submitted(id, customer string, at time.Duration, rows ...[]collection.LedgerRow) collection.PlanResult {
	plan := collection.PlanResult{Submission: id, Customer: customer, AcceptedAt: oldTimes.Add(at)}
	src := collection.SourcePlan{Source: "books"}
	for i, part := range rows {
		src.Batches = append(src.Batches, collection.BatchPlan{Number: i + 1, Records: len(part)})
		src.Records += len(part)
		if part[0].Outcome != "" {
			stores(p.trial, collection.LedgerKey(id, "books", i+1), part...)
		}
	}
	plan.Accepted, plan.Expected, plan.Sources = src.Records, src.Records, []collection.SourcePlan{src}
	stores(p.trial, collection.PlanKey(id), plan)
	for i := range rows {
		stores(p.trial, collection.BatchKey(id, "books", i+1), collection.Record{ID: bookID(1)})
	}
	return plan
}

// startedAfter are n rows that started so long after a moment and took a second.
func startedAfter(n int, from, wait time.Duration) []collection.LedgerRow {
	rows := make([]collection.LedgerRow, n)
	for i := range rows {
		first := oldTimes.Add(from + wait)
		rows[i] = collection.LedgerRow{Source: "books", RecordResult: collection.RecordResult{
			Outcome: collection.OutcomeDelivered, Attempts: 1, FirstRequestAt: &first, Raw: &collection.Raw{FetchedAt: first.Add(time.Second)},
		}}
	}
	return rows
}

// pending are n records without a ledger.
func pending(n int) []collection.LedgerRow { return make([]collection.LedgerRow, n) }

func window(from, to time.Duration) starter.Window {
	return starter.Window{Since: oldTimes.Add(from), Until: oldTimes.Add(to)}
}

var anHourLater = promise.Terms{Within: 5 * time.Minute, Share: 0.95}

func TestWaits(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.submitted("a-1", "acme", 0, startedAfter(3, 0, time.Minute), startedAfter(2, 0, time.Hour))
	p.submitted("a-2", "acme", time.Hour, startedAfter(5, time.Hour, time.Second))
	p.submitted("i-1", "initech", time.Hour, startedAfter(4, time.Hour, time.Second))
	p.submitted("early", "acme", -time.Minute, startedAfter(50, 0, 0))
	p.submitted("late", "acme", 5*time.Hour, startedAfter(60, 0, 0))
	var told []starter.Coverage
	book, covered, err := p.client.Waits(t.Context(), window(0, 5*time.Hour), func(c starter.Coverage) { told = append(told, c) })
	require.NoError(t, err)
	require.Equal(t, 3, covered.Submissions)
	require.Equal(t, 14, covered.Records)
	require.Zero(t, covered.Omitted)
	require.Equal(t, oldTimes, covered.Oldest.UTC())
	require.Len(t, told, 5+3, "after each that is listed, and each that is read")
	r := book.Report(anHourLater)
	require.Equal(t, 10, r.Customers[0].Records)
	require.Equal(t, 8, r.Customers[0].InTime)
	require.Equal(t, promise.Broken, r.Customers[0].Verdict)
	require.Equal(t, promise.Kept, r.Customers[1].Verdict)

	w := window(0, 5*time.Hour)
	w.Customer = "initech"
	book, covered, err = p.client.Waits(t.Context(), w, nil)
	require.NoError(t, err)
	require.Equal(t, 1, covered.Submissions)
	require.Equal(t, 4, book.Records())
}

// TestWaitsAreBounded: the newest are read until there are enough, and the rest is counted.
func TestWaitsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	for i := range 30 {
		at := time.Duration(i) * time.Minute
		p.submitted(fmt.Sprintf("s-%02d", i), "acme", at, startedAfter(10, at, time.Second))
	}
	w := window(0, time.Hour)
	w.MaxRecords = 95
	book, covered, err := p.client.Waits(t.Context(), w, nil)
	require.NoError(t, err)
	require.Equal(t, 100, book.Records(), "a submission is read whole")
	require.Equal(t, 20, covered.Omitted)
	require.Equal(t, oldTimes.Add(20*time.Minute), covered.Oldest.UTC())
}

// TestWaitsReadALittleAhead: some parts at once, and never the whole ledger.
func TestWaitsReadALittleAhead(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	var parts [][]collection.LedgerRow
	for range 60 {
		parts = append(parts, startedAfter(2, 0, time.Second))
	}
	p.submitted("a-1", "acme", 0, parts...)
	book, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
	require.NoError(t, err)
	require.Equal(t, 120, book.Records())
	require.LessOrEqual(t, p.store.most.Load(), int32(8))
	require.Equal(t, int32(61), p.store.reads.Load(), "every object once")
}

// running lets the engine run a submission whose workflow says how many records are released.
func (p *past) running(id string, records, released int) {
	p.trial.describes(id, described(collection.WorkflowSubmission, running), nil)
	value := &mocks.Value{}
	value.On("Get", mock.Anything).Run(func(args mock.Arguments) {
		*args.Get(0).(*collection.SubmissionStatus) = collection.SubmissionStatus{
			Submission: id, Sources: []collection.SourceProgress{{Source: "books", Records: records, Released: released}},
		}
	}).Return(nil)
	p.engine.On("QueryWorkflow", mock.Anything, id, "", collection.QueryStatus).Return(value, nil)
}

// TestRecordsThatWaitStill: what is not released has not started; what is released may have.
func TestRecordsThatWaitStill(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.submitted("a-1", "acme", 0, startedAfter(10, 0, time.Second), pending(20), pending(10))
	p.running("a-1", 40, 15)
	book, _, err := p.client.Waits(t.Context(), window(0, 10*time.Minute), nil)
	require.NoError(t, err)
	line := book.Report(anHourLater).All
	require.Equal(t, 25, line.WaitingLate, "ten minutes are too long")
	require.Equal(t, 5, line.UnderWay)
	require.Equal(t, 35, line.Records)
	line = book.Report(promise.Terms{Within: time.Hour, Share: 0.95}).All
	require.Equal(t, 25, line.Undecided)
	require.Equal(t, 10, line.Records)
}

// TestRecordsThatAreLost: a submission that has ended without a ledger for all its batches has not started them.
func TestRecordsThatAreLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		remember func(p *past)
		lost     int
		stopped  int
	}{
		"forgotten": {func(p *past) { p.trial.forgot("a-1") }, 7, 0},
		"terminated": {func(p *past) {
			p.trial.describes("a-1", described(collection.WorkflowSubmission, terminated), nil)
			ends(p.trial, "a-1", collection.SubmissionResult{}, ended(&temporal.TerminatedError{}))
		}, 7, 0},
		"cancelled": {func(p *past) {
			p.trial.describes("a-1", described(collection.WorkflowSubmission, cancelled), nil)
			ends(p.trial, "a-1", collection.SubmissionResult{}, ended(temporal.NewCanceledError()))
		}, 0, 7},
	} {
		p := newPast(t)
		p.submitted("a-1", "acme", 0, startedAfter(3, 0, time.Second), pending(7))
		c.remember(p)
		book, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
		require.NoError(t, err, name)
		line := book.Report(anHourLater).All
		require.Equal(t, c.lost, line.NeverStarted, name)
		require.Equal(t, c.stopped, line.Cancelled, name)
	}
}

// TestRecordsWhoseLedgerIsGone: nobody can tell any more when they started, and that breaks no promise.
func TestRecordsWhoseLedgerIsGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state            collection.State
		remember         func(p *past)
		unknown, stopped int
	}{
		"settled":      {collection.StateComplete, func(p *past) { p.trial.describes("a-1", described(collection.WorkflowSubmission, completed), nil) }, 7, 0},
		"forgotten":    {collection.StatePartiallyFailed, func(p *past) { p.trial.forgot("a-1") }, 7, 0},
		"cancelled":    {collection.StateCancelled, func(p *past) { p.trial.forgot("a-1") }, 5, 2},
		"failed since": {collection.StateComplete, func(p *past) { p.trial.describes("a-1", described(collection.WorkflowSubmission, failed), nil) }, 7, 0},
	} {
		p := newPast(t)
		p.submitted("a-1", "acme", 0, startedAfter(3, 0, time.Second), pending(7))
		stores(p.trial, collection.ManifestKey("acme", "a-1"), collection.Manifest{
			Submission: "a-1", Customer: "acme", AcceptedAt: oldTimes, State: c.state, Sources: []collection.SourceOutcomes{{Source: "books", Outcomes: collection.Tally{
				{Outcome: collection.OutcomeDelivered, Records: 8}, {Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled, Records: 2},
			}}},
		})
		c.remember(p)
		book, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
		require.NoError(t, err, name)
		line := book.Report(anHourLater).All
		require.Equal(t, c.unknown, line.Unknown, name)
		require.Equal(t, c.stopped, line.Cancelled, name)
		require.Zero(t, line.NeverStarted, name)
		require.Equal(t, 3, line.Records, "what is not known does not count: %s", name)
		require.Equal(t, promise.Kept, line.Verdict, name)
	}
}

// TestRecordsThatSettleMeanwhile: what was written between the look at the ledger and the look at the engine is known.
func TestRecordsThatSettleMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	rows := startedAfter(8, 0, time.Second)
	for i := range rows {
		rows[i].Record = fmt.Sprint(i)
	}
	p.submitted("a-1", "acme", 0, startedAfter(3, 0, time.Second), rows, pending(2))
	stores(p.trial, collection.LedgerKey("a-1", "books", 2), rows[:2]...)
	p.trial.describes("a-1", described(collection.WorkflowSubmission, completed), nil)
	manifest := collection.ManifestKey("acme", "a-1")
	stores(p.trial, manifest, collection.Manifest{Submission: "a-1", Customer: "acme", AcceptedAt: oldTimes, State: collection.StateComplete})
	p.store.onGet = func(key string) {
		if key == manifest {
			stores(p.trial, collection.LedgerKey("a-1", "books", 2), rows...)
			stores(p.trial, collection.LedgerKey("a-1", "books", 3), startedAfter(1, 0, time.Second)...)
		}
	}
	book, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
	require.NoError(t, err)
	line := book.Report(anHourLater).All
	require.Equal(t, 12, line.InTime, "each row once")
	require.Equal(t, 1, line.Unknown)

	p.store.onGet = nil
	p.store.fails[collection.LedgerKey("a-1", "books", 3)] = errDown
	_, _, err = p.client.Waits(t.Context(), window(0, time.Hour), nil)
	require.ErrorIs(t, err, errDown)
}

func TestWaitsFail(t *testing.T) {
	t.Parallel()
	for _, key := range []string{collection.PlanKey("a-1"), collection.LedgerKey("a-1", "books", 1)} {
		p := newPast(t)
		p.submitted("a-1", "acme", 0, startedAfter(3, 0, time.Second))
		p.store.fails[key] = errDown
		_, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
		require.ErrorIs(t, err, errDown)
		require.ErrorContains(t, err, key)
	}
	p := newPast(t)
	p.submitted("a-1", "acme", 0, pending(3))
	p.trial.describes("a-1", nil, errDown)
	_, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
	require.ErrorIs(t, err, errDown)

	p = newPast(t)
	p.submitted("a-1", "acme", 0, startedAfter(3, 0, time.Second))
	p.store.fails[collection.PlanKey("a-1")] = collection.ErrObjectMissing
	_, covered, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
	require.NoError(t, err, "it was deleted since it was listed")
	require.Zero(t, covered.Submissions)
	require.Zero(t, covered.Omitted)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = p.client.Waits(ctx, window(0, time.Hour), nil)
	require.ErrorIs(t, err, context.Canceled)
}

// noList is a store that cannot list.
type noList struct{ starter.Store }

func TestWaitsNeedAList(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	c := starter.New(p.engine, noList{p.store}, "weir-test", nil)
	_, _, err := c.Waits(t.Context(), window(0, time.Hour), nil)
	require.ErrorContains(t, err, "does not list")
}

// brokenList lists one object and breaks.
type brokenList struct{ *archive }

func (b brokenList) List(context.Context, string) iter.Seq2[collection.ObjectInfo, error] {
	return func(yield func(collection.ObjectInfo, error) bool) {
		_ = yield(collection.ObjectInfo{Key: collection.PlanKey("a-1")}, nil) && yield(collection.ObjectInfo{}, errDown)
	}
}

func TestWaitsOfABrokenList(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	c := starter.New(p.engine, brokenList{p.store}, "weir-test", nil)
	_, _, err := c.Waits(t.Context(), window(0, time.Hour), nil)
	require.ErrorIs(t, err, errDown)
}
