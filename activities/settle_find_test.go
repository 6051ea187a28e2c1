package activities

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// oracle is an engine that knows some workflows, and takes down what it is asked for.
type oracle struct {
	known map[string]func(into any) error
	mu    sync.Mutex
	asked []string
}

func (e *oracle) Result(_ context.Context, id string, into any) error {
	e.mu.Lock()
	e.asked = append(e.asked, id)
	e.mu.Unlock()
	if tell, ok := e.known[id]; ok {
		return tell(into)
	}
	return ErrUnknownToEngine
}

// told is a record's workflow that ended with a result.
func told(r collection.RecordResult) func(any) error {
	return func(into any) error {
		*into.(*collection.RecordResult) = r
		return nil
	}
}

// failedWith is one that ended with a failure.
func failedWith(t testing.TB, cause error) func(any) error {
	err := endedWith(t, cause)
	return func(any) error { return err }
}

// keep puts bytes of a record where Collect does, and returns what is known of them.
func (s *settling) keep(t require.TestingT, p planned, body string) collection.Raw {
	raw := collection.Raw{SHA256: collection.Digest([]byte(body)), Size: int64(len(body)), URL: p.URL, Status: 200, FetchedAt: accepted}
	raw.Key = collection.RawKey("s1", p.ID, raw.SHA256)
	meta, err := json.Marshal(collection.RawMeta{Raw: raw, Source: p.source, Record: p.Record})
	require.NoError(t, err)
	s.store.set(t, raw.Key, body)
	s.store.set(t, collection.RawMetaKey("s1", p.ID, raw.SHA256), string(meta))
	return raw
}

// terminatedBatches is a submission whose batches were all terminated: there is no ledger.
func terminatedBatches(t testing.TB, rows string, ends ...end) (*settling, *oracle) {
	s := newSettling(t, rows, ends...)
	for _, p := range s.records {
		s.store.remove(p.ledgerKey())
	}
	engine := &oracle{known: map[string]func(any) error{}}
	s.Engine = engine
	return s, engine
}

// knows lets the engine tell how the i-th record ended.
func (e *oracle) knows(s *settling, i int, tell func(any) error) {
	e.known[collection.RecordWorkflowID("s1", s.records[i].ID)] = tell
}

// TestSettleAsksTheEngine: of records whose batch was terminated the ledger tells what their workflows tell, with the bytes
// that are kept, so that every ground has the same answer and a replay can start from the bytes.
func TestSettleAsksTheEngine(t *testing.T) {
	s, engine := terminatedBatches(t, pages(7), wasDelivered, wasGone, wasEmpty, wasDelivered, wasEmpty)
	raw := s.keep(t, s.records[2], "<empty>")
	dead := collection.RecordResult{Record: s.records[2].ID, Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty,
		Detail: "no title", Attempts: 3, Raw: &raw}
	gone := collection.RecordResult{Record: s.records[1].ID, Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Attempts: 1}
	delivered := collection.RecordResult{Record: s.records[0].ID, Outcome: collection.OutcomeDelivered, Attempts: 1, Missing: []string{"price"},
		Delivered: &collection.Delivered{Key: s.records[0].deliveredKey(), SHA256: collection.Digest([]byte(s.records[0].body)), VerifiedAt: accepted}}
	engine.knows(s, 0, told(delivered))
	engine.knows(s, 1, told(gone))
	engine.knows(s, 2, failedWith(t, temporal.NewNonRetryableApplicationError("no title", string(dead.Reason), nil, dead)))
	for i := 3; i < 6; i++ { // the first of them had delivered already
		engine.knows(s, i, failedWith(t, terminated()))
	}
	stopped := s.keep(t, s.records[4], "<stopped>")
	forgotten := s.keep(t, s.records[6], "<forgotten>")

	_, m := s.mustSettle(t, &trial{})
	row := func(i int) collection.RecordResult {
		for _, row := range s.ledgerOf(t, s.records[i]) {
			if row.Record == s.records[i].ID {
				return row.RecordResult
			}
		}
		return collection.RecordResult{}
	}
	require.Equal(t, delivered, row(0))
	require.Equal(t, gone, row(1))
	require.Equal(t, dead, row(2))
	require.Equal(t, s.records[3].deliveredKey(), row(3).Delivered.Key)
	require.Equal(t, collection.ReasonTerminated, row(4).Reason)
	require.Equal(t, &stopped, row(4).Raw)
	require.Equal(t, collection.ReasonTerminated, row(5).Reason)
	require.Nil(t, row(5).Raw)
	require.Equal(t, collection.ReasonInternal, row(6).Reason)
	require.Equal(t, &forgotten, row(6).Raw)
	results, _ := s.results(t, m)
	require.Len(t, results, 2)

	replayer := &Replayer{Store: s.store, Engine: &describing{}}
	plan, err := run(t, &trial{}, replayer.SelectDead, collection.ReplayInput{Submission: "s1", From: collection.ReplayFromRaw,
		Select: collection.ReplaySelect{Reasons: []collection.Reason{collection.ReasonParseEmpty}}})
	require.NoError(t, err)
	require.Equal(t, 1, plan.Selected)
	require.Zero(t, plan.WithoutRaw)

	// Settled again nobody is asked: the ledger knows.
	asked := len(engine.asked)
	_, again := s.mustSettle(t, &trial{})
	require.Equal(t, m, again)
	require.Len(t, engine.asked, asked)
}

// TestSettleAsksNobodyOfBatchesThatNeverBegan: a cancelled submission may have many thousands of them.
func TestSettleAsksNobodyOfBatchesThatNeverBegan(t *testing.T) {
	s, engine := terminatedBatches(t, pages(4), wasEmpty)
	engine.known[collection.BatchWorkflowID("s1", "books", 1)] = failedWith(t, terminated())
	engine.knows(s, 0, told(collection.RecordResult{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone}))
	out, err := run(t, &trial{}, s.Settle, collection.SettleInput{Submission: "s1", Customer: "acme", Cancelled: true})
	require.NoError(t, err)
	require.Equal(t, collection.Tally{
		{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled, Records: 3},
		{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Records: 1},
	}, out.Outcomes)
	slices.Sort(engine.asked)
	want := []string{"s1/books/1", "s1/books/2", "s1/" + s.records[0].ID, "s1/" + s.records[1].ID}
	slices.Sort(want)
	require.Equal(t, want, engine.asked)
}

// TestSettleDoesNotGuess: an engine that cannot be asked makes no record a dead letter.
func TestSettleDoesNotGuess(t *testing.T) {
	s, engine := terminatedBatches(t, pages(2), wasDelivered)
	engine.knows(s, 1, func(any) error { return errOutage })
	_, err := s.settle(t, &trial{number: 1})
	require.ErrorContains(t, err, "ask the engine how workflow s1/"+s.records[1].ID)
	var app *temporal.ApplicationError
	require.False(t, errors.As(err, &app) && app.NonRetryable())
	require.Empty(t, slices.Collect(maps.Keys(objectsUnder(t, s.store, "ledger/s1/books/"))), "nothing is written down")
	delete(engine.known, "s1/"+s.records[1].ID)
	_, m := s.mustSettle(t, &trial{number: 2})
	require.Equal(t, collection.StateComplete, m.State)
}

func objectsUnder(t *testing.T, store *shaky, prefix string) map[string]bool {
	keys := map[string]bool{}
	for info, err := range store.List(t.Context(), prefix) {
		require.NoError(t, err)
		keys[info.Key] = true
	}
	return keys
}

// TestAskEndWaits: how a workflow ends is not known before it has; it is waited for, but not for ever.
func TestAskEndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := func(after time.Duration) Engine {
			return engineFunc(func(ctx context.Context, _ string, _ any) error {
				select {
				case <-time.After(after):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}
		known, _, err := askEnd(t.Context(), ends(endWait-time.Second), "s1/r1", nil)
		require.NoError(t, err)
		require.True(t, known)
		_, _, err = askEnd(t.Context(), ends(endWait+time.Second), "s1/r1", nil)
		require.ErrorContains(t, err, "workflow s1/r1 still runs")
		stopped, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, _, err = askEnd(stopped, ends(time.Hour), "s1/r1", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestSettleKeptBytes: the latest bytes are known, if they are there and are the record's.
func TestSettleKeptBytes(t *testing.T) {
	for name, c := range map[string]struct {
		keep func(t *testing.T, s *settling) *collection.Raw
	}{
		"none": {func(*testing.T, *settling) *collection.Raw { return nil }},
		"the latest": {func(t *testing.T, s *settling) *collection.Raw {
			for _, body := range []string{"<3>", "<1>", "<2>"} {
				s.keep(t, s.records[0], body)
				time.Sleep(time.Millisecond)
			}
			raw := s.keep(t, s.records[0], "<1>")
			return &raw
		}},
		"gone, but for what is known of them": {func(t *testing.T, s *settling) *collection.Raw {
			s.store.remove(s.keep(t, s.records[0], "<>").Key)
			return nil
		}},
		"of which nothing is known": {func(t *testing.T, s *settling) *collection.Raw {
			s.store.remove(collection.RawMetaKey("s1", s.records[0].ID, s.keep(t, s.records[0], "<>").SHA256))
			return nil
		}},
		"damaged": {func(t *testing.T, s *settling) *collection.Raw {
			s.store.set(t, collection.RawMetaKey("s1", s.records[0].ID, s.keep(t, s.records[0], "<>").SHA256), "{")
			return nil
		}},
		"another record's": {func(t *testing.T, s *settling) *collection.Raw {
			p := s.records[0]
			p.Record = s.records[1].Record
			raw := s.keep(t, p, "<>")
			meta := s.store.text(t, collection.RawMetaKey("s1", p.ID, raw.SHA256))
			s.store.set(t, collection.RawMetaKey("s1", s.records[0].ID, raw.SHA256), meta)
			s.store.set(t, collection.RawKey("s1", s.records[0].ID, raw.SHA256), "<>")
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := terminatedBatches(t, pages(2), wasEmpty)
			want := c.keep(t, s)
			s.mustSettle(t, &trial{})
			rows := s.ledgerOf(t, s.records[0])
			require.Equal(t, collection.ReasonInternal, rows[0].Reason)
			require.Equal(t, want, rows[0].Raw)
		})
	}
}
