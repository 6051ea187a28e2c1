package activities

import (
	"context"
	"fmt"
	"iter"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/retention"
)

// TidyStore is what the janitor needs of the store.
type TidyStore interface {
	// ListAfter lists what is under a prefix and behind a key, in the order of the keys.
	ListAfter(ctx context.Context, prefix, after string) iter.Seq2[collection.ObjectInfo, error]
	// Delete removes at most 1,000 objects. One that is not there is no error; a *collection.DeleteError names those that
	// could not be deleted, and all others were.
	Delete(ctx context.Context, keys []string) error
}

// Submissions knows which submissions are open.
type Submissions interface {
	// Open says whether a submission, or anything that works on its records, is running. Its answer is exact, not that of a
	// search that lags behind.
	Open(ctx context.Context, submission string) (bool, error)
}

// Janitor deletes what is kept no longer.
type Janitor struct {
	Store       TidyStore
	Submissions Submissions
	Ages        retention.Ages
	Clock       Clock
}

const (
	// tidyBatch is how many objects are deleted with one request.
	tidyBatch = 500
	// tidySpan is how many objects are looked at, at most, before the first that is to go goes: they are listed once more
	// right before.
	tidySpan = 1000
	// tidyBeat is how long nothing may be told to the engine, which calls an attempt lost after a minute, and how long what is
	// to go waits. One question more may come in between.
	tidyBeat = 10 * time.Second
	// askTimeout bounds one question about a submission.
	askTimeout = 10 * time.Second
)

// Tidy goes through one class of objects and deletes those that are old enough and belong to nothing that is open. It
// goes on behind what an earlier attempt has done. One object that cannot be deleted, and one submission that cannot be
// asked for, keep nothing else.
func (j *Janitor) Tidy(ctx context.Context, in collection.TidyInput) (collection.TidyResult, error) {
	t := &tidying{Janitor: j, in: in, unknown: map[string]error{}, beaten: j.Clock()}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &t.told); err != nil {
			// Starting anew is as good: what is deleted is not listed any more.
			activity.GetLogger(ctx).Warn("the progress of the attempt before cannot be read", "error", err)
			t.told = collection.TidyProgress{}
		}
	}
	age, ends := j.Ages.Of(in.Class)
	t.now.Class, t.now.Retention = in.Class, collection.Duration(age)
	if t.told.Result.Class == in.Class {
		t.now = t.told.Result
	}
	if !ends {
		return t.now, nil
	}
	err := t.walk(ctx)
	return t.now, err
}

// tidying is one attempt.
type tidying struct {
	*Janitor
	in collection.TidyInput
	// told is what the heartbeats say: what is done. It is not ahead of what is deleted.
	told   collection.TidyProgress
	beaten time.Time
	// now are the counts so far, and last is the key that was looked at last.
	now  collection.TidyResult
	last string
	// pending is to go, and since is how many objects were looked at since the first of it.
	pending []collection.ObjectInfo
	since   int
	// asked is the submission that was asked for last, and held the answer: keys come in order.
	asked string
	held  bool
	// unknown are the submissions about which nobody could say anything, and why. They are not asked for again.
	unknown map[string]error
}

func (t *tidying) walk(ctx context.Context) error {
	begin := t.told.After
	for info, err := range t.Store.ListAfter(ctx, t.in.Class.Prefix(), begin) {
		if err != nil {
			return storeFailed(ctx, "list "+t.in.Class.Prefix(), err)
		}
		// A store that cannot begin behind a key begins at the start, and that may take long as well.
		if info.Key > begin {
			if err := t.look(ctx, info); err != nil {
				return err
			}
		}
		if len(t.pending) == tidyBatch || t.since >= tidySpan || t.due() {
			if err := t.flush(ctx); err != nil {
				return err
			}
		}
	}
	return t.flush(ctx)
}

// look decides on one object.
func (t *tidying) look(ctx context.Context, info collection.ObjectInfo) error {
	t.now.Looked++
	why, err := t.Ages.Decide(info.Key, info.LastModified, t.in.Now, func(s string) (bool, error) { return t.open(ctx, s) })
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.stays(info.Key, err)
	}
	switch why {
	case retention.Expired:
		t.pending = append(t.pending, info)
	case retention.Open:
		t.now.Held++
	case retention.Strange:
		t.now.Strange++
	}
	t.last = info.Key
	if len(t.pending) > 0 {
		t.since++
	}
	return nil
}

// open asks once for all neighbouring objects of a submission.
func (t *tidying) open(ctx context.Context, submission string) (bool, error) {
	if submission == t.asked {
		return t.held, nil
	}
	held, err := t.ask(ctx, submission)
	if err != nil {
		return true, err
	}
	t.asked, t.held = submission, held
	return held, nil
}

// ask asks the engine whether a submission is open. A plan is needed for as long as there is anything of the ledger, too.
func (t *tidying) ask(ctx context.Context, submission string) (bool, error) {
	if err, known := t.unknown[submission]; known {
		return true, err
	}
	if t.due() {
		t.beat(ctx)
	}
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	held, err := t.Submissions.Open(asking, submission)
	if err == nil && !held && t.in.Class == collection.ClassPlans {
		held, err = t.ledgerKept(asking, submission)
	}
	if err != nil {
		t.unknown[submission] = err
		return true, err
	}
	return held, nil
}

// ledgerKept says whether anything of a submission's ledger is there, however the ages compare: a replay writes parts of it anew
// long after the plan, and only the plan finds them.
func (t *tidying) ledgerKept(ctx context.Context, submission string) (bool, error) {
	for _, err := range t.Store.ListAfter(ctx, collection.ClassLedger.Prefix()+submission+"/", "") {
		if err != nil {
			return false, fmt.Errorf("list its ledger: %w", err)
		}
		return true, nil
	}
	return false, nil
}

func (t *tidying) due() bool { return t.Clock().Sub(t.beaten) >= tidyBeat }

// beat tells the engine that the attempt lives, and what is done.
func (t *tidying) beat(ctx context.Context) {
	activity.RecordHeartbeat(ctx, t.told)
	t.beaten = t.Clock()
}

func (t *tidying) stays(key string, err error) {
	t.trouble(fmt.Sprintf("%s stays: nobody could say whether its submission is open: %v", key, err))
}

// trouble keeps the first problem.
func (t *tidying) trouble(text string) {
	if t.now.Problem == "" {
		t.now.Problem = collection.Clip(text, collection.MaxDetail)
	}
}
