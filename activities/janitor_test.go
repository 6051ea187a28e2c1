package activities

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/retention"
)

// shelf is a store whose objects are as old as their tests say, and which notes what is deleted.
type shelf struct {
	*shaky
	age map[string]time.Duration
	// refuses are keys that cannot be deleted; failing is the error of all deletions from a number of them on.
	refuses  map[string]bool
	failFrom int
	batches  [][]string
	// after are the keys behind which was listed; onList is called before each object that is listed.
	after  []string
	onList func()
	// whole is a store that lists everything whatever it is asked.
	whole bool
}

func newShelf() *shelf { return &shelf{shaky: newShaky(), age: map[string]time.Duration{}} }

func (s *shelf) put(t *testing.T, key string, age time.Duration) {
	t.Helper()
	s.set(t, key, "content")
	s.age[key] = age
}

func (s *shelf) ListAfter(ctx context.Context, prefix, after string) iter.Seq2[collection.ObjectInfo, error] {
	s.after = append(s.after, after)
	if s.whole {
		after = ""
	}
	return func(yield func(collection.ObjectInfo, error) bool) {
		for info, err := range s.shaky.ListAfter(ctx, prefix, after) {
			if s.onList != nil {
				s.onList()
			}
			info.LastModified = ago(s.age[info.Key])
			if !yield(info, err) {
				return
			}
		}
	}
}

func (s *shelf) Delete(ctx context.Context, keys []string) error {
	s.batches = append(s.batches, slices.Clone(keys))
	if s.failFrom > 0 && len(s.batches) >= s.failFrom {
		return errOutage
	}
	var failed collection.DeleteError
	var fine []string
	for _, key := range keys {
		if s.refuses[key] {
			failed.Failed = append(failed.Failed, collection.KeyFailure{Key: key, Reason: "locked"})
		} else {
			fine = append(fine, key)
		}
	}
	if err := s.Store.Delete(ctx, fine); err != nil {
		return err
	}
	if len(failed.Failed) > 0 {
		return &failed
	}
	return nil
}

// register knows which submissions are open; some it cannot say.
type register struct {
	open, broken map[string]bool
	asked        []string
	// onOpen is called before each answer.
	onOpen func(submission string)
}

func (r *register) Open(_ context.Context, submission string) (bool, error) {
	r.asked = append(r.asked, submission)
	if r.onOpen != nil {
		r.onOpen(submission)
	}
	if r.broken[submission] {
		return false, errEngine
	}
	return r.open[submission], nil
}

const week = 7 * 24 * time.Hour

func tidy(t *testing.T, tr *trial, s *shelf, r *register, dryRun bool) (collection.TidyResult, error) {
	t.Helper()
	return tidyAt(t, tr, s, r, dryRun, at(accepted))
}

func tidyAt(t *testing.T, tr *trial, s *shelf, r *register, dryRun bool, clock Clock) (collection.TidyResult, error) {
	t.Helper()
	j := &Janitor{Store: s, Submissions: r, Ages: retention.Ages{collection.ClassRaw: week}, Clock: clock}
	return run(t, tr, j.Tidy, collection.TidyInput{Class: collection.ClassRaw, Now: accepted, DryRun: dryRun})
}

// fourKinds has three old objects of a closed submission, one young, two old ones of an open one, and a stranger.
func fourKinds(t *testing.T) *shelf {
	s := newShelf()
	for _, key := range []string{"raw/closed/a/1", "raw/closed/a/1.meta.json", "raw/closed/b/1", "raw/open/a/1", "raw/open/b/1"} {
		s.put(t, key, 8*24*time.Hour)
	}
	s.put(t, "raw/closed/c/1", 6*24*time.Hour)
	s.put(t, "raw/stranger", 80*24*time.Hour)
	s.put(t, "plans/closed/plan.json", 800*24*time.Hour)
	return s
}

func TestTidy(t *testing.T) {
	t.Parallel()
	s, r := fourKinds(t), &register{open: map[string]bool{"open": true}}
	want := collection.TidyResult{Class: collection.ClassRaw, Retention: collection.Duration(week), Looked: 7, Deleted: 3, Bytes: 21, Held: 2, Strange: 1}
	got, err := tidy(t, &trial{}, s, r, true)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Empty(t, s.batches, "a dry run deletes nothing")

	got, err = tidy(t, &trial{}, s, r, false)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.ElementsMatch(t, []string{"raw/closed/c/1", "raw/open/a/1", "raw/open/b/1", "raw/stranger", "plans/closed/plan.json"}, keys(s.dump(t)))
	require.Equal(t, []string{"closed", "open", "closed", "open", "closed"}, r.asked,
		"once for all objects of a submission, and once more before they go")

	got, err = tidy(t, &trial{}, s, r, false)
	require.NoError(t, err)
	require.Zero(t, got.Deleted)
}

func TestTidyKeepsForEver(t *testing.T) {
	t.Parallel()
	s := fourKinds(t)
	j := &Janitor{Store: s, Submissions: &register{}, Ages: retention.Ages{}, Clock: at(accepted)}
	got, err := run(t, &trial{}, j.Tidy, collection.TidyInput{Class: collection.ClassRaw, Now: accepted})
	require.NoError(t, err)
	require.Equal(t, collection.TidyResult{Class: collection.ClassRaw}, got)
	require.Len(t, s.dump(t), 8)
}

// TestTidyGoesOnPastTrouble: an object that cannot be deleted and a submission that cannot be asked for keep nothing else.
func TestTidyGoesOnPastTrouble(t *testing.T) {
	t.Parallel()
	s := fourKinds(t)
	s.refuses = map[string]bool{"raw/closed/a/1": true}
	got, err := tidy(t, &trial{}, s, &register{broken: map[string]bool{"open": true}}, false)
	require.NoError(t, err)
	require.Equal(t, 2, got.Deleted)
	require.Equal(t, 1, got.Failed)
	require.Equal(t, 2, got.Held, "what nobody knows is open")
	require.Contains(t, got.Problem, "raw/open/a/1 stays")
	require.Contains(t, s.dump(t), "raw/open/b/1")
}

// TestTidyResumes: an attempt that fails in the middle hands over what it has done, and the next goes on behind it, in
// bounded batches.
func TestTidyResumes(t *testing.T) {
	t.Parallel()
	const objects = 1250
	s, r := newShelf(), &register{}
	for i := range objects {
		s.put(t, fmt.Sprintf("raw/s%04d/r/1", i), 8*24*time.Hour)
	}
	s.failFrom = 3
	first := &trial{}
	_, err := tidy(t, first, s, r, false)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "delete 250 objects")
	require.Len(t, s.dump(t), 250)
	for _, batch := range s.batches {
		require.LessOrEqual(t, len(batch), tidyBatch)
	}

	s.failFrom = 0
	beats := first.heard()
	got, err := tidy(t, &trial{number: 2, before: beats[len(beats)-1]}, s, r, false)
	require.NoError(t, err)
	require.Equal(t, objects, got.Deleted)
	require.Equal(t, objects, got.Looked)
	require.Equal(t, int64(objects*len("content")), got.Bytes)
	require.Contains(t, s.after, "raw/s0999/r/1", "what is done is not listed again")
	require.Empty(t, s.dump(t))
}

func TestTidyStops(t *testing.T) {
	t.Parallel()
	s := fourKinds(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tidy(t, &trial{ctx: ctx}, s, &register{}, false)
	require.Error(t, err)
	require.False(t, errors.Is(err, errOutage))
	require.Empty(t, s.batches)
}

// TestTidyKeepsThePlanOfALedger: a replay has written a part of the ledger anew, and only the plan finds it.
func TestTidyKeepsThePlanOfALedger(t *testing.T) {
	t.Parallel()
	s := newShelf()
	for _, key := range []string{"plans/replayed/plan.json", "plans/replayed/books/00001.jsonl", "plans/gone/plan.json", "plans/gone/index"} {
		s.put(t, key, 101*24*time.Hour)
	}
	s.put(t, "ledger/replayed/books/00001.jsonl", 10*24*time.Hour)
	s.put(t, "ledger/gone-2/books/00001.jsonl", 10*24*time.Hour)
	clean := func() collection.TidyResult {
		j := &Janitor{Store: s, Submissions: &register{}, Ages: retention.Ages{collection.ClassPlans: 100 * 24 * time.Hour}, Clock: at(accepted)}
		got, err := run(t, &trial{}, j.Tidy, collection.TidyInput{Class: collection.ClassPlans, Now: accepted})
		require.NoError(t, err)
		return got
	}
	got := clean()
	require.Equal(t, 2, got.Held)
	require.Equal(t, 2, got.Deleted)
	require.ElementsMatch(t, []string{
		"plans/replayed/plan.json", "plans/replayed/books/00001.jsonl", "ledger/replayed/books/00001.jsonl", "ledger/gone-2/books/00001.jsonl",
	}, keys(s.dump(t)))

	require.NoError(t, s.Store.Delete(t.Context(), []string{"ledger/replayed/books/00001.jsonl"}))
	got = clean()
	require.Equal(t, 2, got.Deleted, "with the ledger goes its plan")
	require.Zero(t, got.Held)
}

// TestTidyKeepsThePlanOfALedgerThatCannotBeListed.
func TestTidyKeepsThePlanOfALedgerThatCannotBeListed(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.put(t, "plans/s1/plan.json", 101*24*time.Hour)
	j := &Janitor{Store: noLedger{s}, Submissions: &register{}, Ages: retention.Ages{collection.ClassPlans: 100 * 24 * time.Hour}, Clock: at(accepted)}
	got, err := run(t, &trial{}, j.Tidy, collection.TidyInput{Class: collection.ClassPlans, Now: accepted})
	require.NoError(t, err)
	require.Equal(t, 1, got.Held)
	require.Contains(t, got.Problem, "plans/s1/plan.json stays")
	require.Contains(t, s.dump(t), "plans/s1/plan.json")
}

// noLedger is a store that does not list the ledger.
type noLedger struct{ *shelf }

func (s noLedger) ListAfter(ctx context.Context, prefix, after string) iter.Seq2[collection.ObjectInfo, error] {
	if prefix == "ledger/s1/" {
		return func(yield func(collection.ObjectInfo, error) bool) { yield(collection.ObjectInfo{}, errOutage) }
	}
	return s.shelf.ListAfter(ctx, prefix, after)
}
