package activities

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/retention"
)

// TidyStore is what the janitor needs of the store.
type TidyStore interface {
	List(ctx context.Context, prefix string) iter.Seq2[collection.ObjectInfo, error]
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
}

const (
	// tidyBatch is how many objects are deleted with one request.
	tidyBatch = 500
	// tidyBeat is how many objects are looked at between two heartbeats at most.
	tidyBeat = 1000
	// askTimeout bounds one question about a submission.
	askTimeout = 10 * time.Second
)

// Tidy goes through one class of objects and deletes those that are old enough and belong to nothing that is open. It
// goes on behind what an earlier attempt has done. One object that cannot be deleted, and one submission that cannot be
// asked for, keep nothing else.
func (j *Janitor) Tidy(ctx context.Context, in collection.TidyInput) (collection.TidyResult, error) {
	t := &tidying{Janitor: j, in: in, asked: map[string]bool{}}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &t.progress); err != nil {
			// Starting anew is as good: what is deleted is not listed any more.
			activity.GetLogger(ctx).Warn("the progress of the attempt before cannot be read", "error", err)
			t.progress = collection.TidyProgress{}
		}
	}
	age, ends := j.Ages.Of(in.Class)
	t.now.Class, t.now.Retention = in.Class, collection.Duration(age)
	if t.progress.Result.Class == in.Class {
		t.now = t.progress.Result
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
	in       collection.TidyInput
	progress collection.TidyProgress
	// now are the counts so far, those of what is pending among them.
	now     collection.TidyResult
	pending []collection.ObjectInfo
	// asked are the answers about the submission that was asked for last: keys come in order.
	asked map[string]bool
}

func (t *tidying) walk(ctx context.Context) error {
	last, since := "", 0
	for info, err := range t.Store.List(ctx, t.in.Class.Prefix()) {
		if err != nil {
			return storeFailed(ctx, "list "+t.in.Class.Prefix(), err)
		}
		if info.Key <= t.progress.After {
			continue
		}
		if err := t.look(ctx, info); err != nil {
			return err
		}
		last = info.Key
		if since++; len(t.pending) == tidyBatch || since == tidyBeat {
			if err := t.flush(ctx, last); err != nil {
				return err
			}
			since = 0
		}
	}
	return t.flush(ctx, last)
}

// look decides on one object.
func (t *tidying) look(ctx context.Context, info collection.ObjectInfo) error {
	t.now.Looked++
	why, err := t.Ages.Decide(info.Key, info.LastModified, t.in.Now, func(s string) (bool, error) { return t.open(ctx, s) })
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.trouble(fmt.Sprintf("%s stays: nobody could say whether its submission is open: %v", info.Key, err))
	}
	switch why {
	case retention.Expired:
		t.pending = append(t.pending, info)
	case retention.Open:
		t.now.Held++
	case retention.Strange:
		t.now.Strange++
	}
	return nil
}

// open asks once for all neighbouring objects of a submission.
func (t *tidying) open(ctx context.Context, submission string) (bool, error) {
	if held, known := t.asked[submission]; known {
		return held, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	held, err := t.Submissions.Open(ctx, submission)
	if err != nil {
		return true, err
	}
	clear(t.asked)
	t.asked[submission] = held
	return held, nil
}

// flush deletes what is pending, and tells the heartbeat.
func (t *tidying) flush(ctx context.Context, after string) error {
	failed := map[string]bool{}
	if len(t.pending) > 0 && !t.in.DryRun {
		keys := make([]string, len(t.pending))
		for i, info := range t.pending {
			keys[i] = info.Key
		}
		err := t.Store.Delete(ctx, keys)
		var some *collection.DeleteError
		switch {
		case errors.As(err, &some):
			for _, f := range some.Failed {
				failed[f.Key] = true
			}
			t.trouble(some.Error())
		case err != nil:
			return storeFailed(ctx, fmt.Sprintf("delete %d objects from %s on", len(keys), keys[0]), err)
		}
	}
	for _, info := range t.pending {
		if failed[info.Key] {
			t.now.Failed++
			continue
		}
		t.now.Deleted++
		t.now.Bytes += info.Size
	}
	t.pending = t.pending[:0]
	activity.RecordHeartbeat(ctx, collection.TidyProgress{After: max(after, t.progress.After), Result: t.now})
	return nil
}

// trouble keeps the first problem.
func (t *tidying) trouble(text string) {
	if t.now.Problem == "" {
		t.now.Problem = collection.Clip(text, collection.MaxDetail)
	}
}
