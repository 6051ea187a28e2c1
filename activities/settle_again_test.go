package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// reset is what happens to a delivered record whose workflow an operator resets to its start: it is collected again, and delivers
// the next generation of its object. It returns what the workflow says.
func (s *settling) reset(t require.TestingT, p planned) collection.RecordResult {
	body := []byte(`{"record":"` + p.ID + `","source":"books","fetched_at":"2026-03-02T10:00:00Z"}`)
	info, err := s.store.Store.Head(background, p.deliveredKey())
	require.NoError(t, err)
	info, err = s.store.Store.Replace(background, p.deliveredKey(), body, typeJSON, info)
	require.NoError(t, err)
	return collection.RecordResult{Record: p.ID, Outcome: collection.OutcomeDelivered, Attempts: 1, Delivered: &collection.Delivered{
		Key: p.deliveredKey(), SHA256: info.SHA256, Size: info.Size, Generation: info.Generation, VerifiedAt: settledAt.Add(time.Hour),
	}}
}

// resetting is a settled submission of which two records were reset, and the engine that knows.
func resetting(t testing.TB) (*replaying, *oracle) {
	r := newReplaying(t, pages(5), wasDelivered)
	engine := &oracle{known: map[string]func(any) error{}}
	r.settling.Engine = engine
	for _, i := range []int{1, 4} {
		engine.knows(r.settling, i, told(r.reset(t, r.records[i])))
	}
	r.store.calls = nil
	return r, engine
}

var settledAgain = settledAt.Add(2 * time.Hour)

// TestSettleAfterAReset: what a record's workflow has delivered is what is delivered, though nobody has told the ledger.
func TestSettleAfterAReset(t *testing.T) {
	r, engine := resetting(t)
	_, m := r.mustSettle(t, &trial{scheduled: settledAgain})
	require.Equal(t, collection.StateComplete, m.State)
	require.Equal(t, 2, m.Generation)
	r.requireWhole(t, m)
	r.requireIntact(t)
	require.ElementsMatch(t, []string{"s1/" + r.records[1].ID, "s1/" + r.records[4].ID}, engine.asked, "nobody is asked of what is as it was")
	row := r.row(t, r.records[1])
	require.Equal(t, 2, row.Delivered.Generation)
	require.Equal(t, settledAgain, row.AsOf.UTC())
	require.Contains(t, r.store.dump(t), "ledger/s1/books/00001.g1.jsonl", "what the ledger said is kept")

	want := r.store.sums(t)
	r.settling.Engine = &oracle{}
	r.mustSettle(t, &trial{scheduled: settledAgain.Add(time.Hour)})
	require.Equal(t, want, r.store.sums(t), "the ledger knows")
}

// TestSettleAfterAResetCrashes: wherever an attempt ends, and whether or not the next one knows of it, it comes to the same.
func TestSettleAfterAResetCrashes(t *testing.T) {
	clean, _ := resetting(t)
	clean.mustSettle(t, &trial{scheduled: settledAgain})
	want, calls := clean.store.sums(t), clean.store.count()
	for n := 1; n <= calls; n++ {
		for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
			for _, knows := range []bool{true, false} {
				r, _ := resetting(t)
				r.store.trouble = func(call int, _, _ string) trouble {
					if call == n {
						return failing
					}
					return trouble{}
				}
				tr := &trial{number: 1, scheduled: settledAgain}
				_, err := r.settle(t, tr)
				requireTransient(t, err, collection.ReasonStoreUnavailable)
				r.store.trouble = nil
				next := &trial{number: 2, scheduled: settledAgain}
				if knows {
					next = tr.next(t)
				}
				r.mustSettle(t, next)
				require.Equal(t, want, r.store.sums(t), "call %d, %s, knows %t", n, name, knows)
			}
		}
	}
}

// TestSettleAfterAResetByOthers: only the very document that the workflow says it has delivered is taken.
func TestSettleAfterAResetByOthers(t *testing.T) {
	for name, change := range map[string]func(*collection.RecordResult){
		"another document": func(r *collection.RecordResult) { r.Delivered.SHA256 = "ab" },
		"another object":   func(r *collection.RecordResult) { r.Delivered.Key = "results/acme/s1/records/x.json" },
		"not delivered": func(r *collection.RecordResult) {
			r.Outcome, r.Reason, r.Delivered = collection.OutcomeGone, collection.ReasonGone, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, engine := resetting(t)
			result := r.reset(t, r.records[0])
			change(&result)
			engine.knows(r.settling, 0, told(result))
			_, m := r.mustSettle(t, &trial{scheduled: settledAgain})
			require.Equal(t, collection.ReasonDeliveryConflict, r.row(t, r.records[0]).Reason)
			require.Equal(t, 4, m.Outcomes.Of(collection.OutcomeDelivered))
		})
	}
}

// TestSettleAfterAResetDoesNotGuess: an engine that cannot be asked makes no dead letter.
func TestSettleAfterAResetDoesNotGuess(t *testing.T) {
	r, _ := resetting(t)
	want := r.store.sums(t)
	r.settling.Engine = engineFunc(func(context.Context, string, any) error { return errOutage })
	_, err := r.settle(t, &trial{scheduled: settledAgain})
	require.ErrorContains(t, err, "ask the engine how workflow s1/")
	var app *temporal.ApplicationError
	require.False(t, errors.As(err, &app) && app.NonRetryable())
	require.Equal(t, want, r.store.sums(t))
}

// TestSettleAfterAResetAndMore: somebody else tells the ledger first. His word stays.
func TestSettleAfterAResetAndMore(t *testing.T) {
	r, _ := resetting(t)
	var told collection.LedgerRow
	r.meanwhile(func(_ int, op, key string) bool { return op == "Open" && key == r.records[1].ledgerKey() }, func() {
		r.edit(t, r.records[1], func(row *collection.LedgerRow) {
			d := *row.Delivered
			d.SHA256, d.VerifiedAt = collection.Digest([]byte(r.store.text(t, d.Key))), settledAgain
			row.Delivered = &d
			told = *row
		})
	})
	_, m := r.mustSettle(t, &trial{scheduled: settledAgain})
	require.Equal(t, told, r.row(t, r.records[1]))
	require.Equal(t, collection.StateComplete, m.State)
}
