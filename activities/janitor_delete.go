package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// flush deletes what is pending and still may go, and tells the heartbeat.
func (t *tidying) flush(ctx context.Context) error {
	going := t.pending
	var failed map[string]bool
	if len(going) > 0 && !t.in.DryRun {
		var err error
		if going, err = t.stillClosed(ctx, going); err != nil {
			return err
		}
		if going, err = t.unchanged(ctx, going); err != nil {
			return err
		}
		if failed, err = t.delete(ctx, going); err != nil {
			return err
		}
	}
	for _, info := range going {
		if failed[info.Key] {
			t.now.Failed++
			continue
		}
		t.now.Deleted++
		t.now.Bytes += info.Size
	}
	t.pending, t.since = t.pending[:0], 0
	t.told = collection.TidyProgress{After: max(t.last, t.told.After), Result: t.now}
	t.beat(ctx)
	return nil
}

// stillClosed asks for each submission again, since one may have been started, replayed or delivered again while the others
// were looked at, and leaves out what belongs to one that is open now.
func (t *tidying) stillClosed(ctx context.Context, going []collection.ObjectInfo) ([]collection.ObjectInfo, error) {
	var closed []collection.ObjectInfo
	asked, held := "", false
	for _, info := range going {
		_, submission, _ := collection.SubmissionOfKey(info.Key)
		if submission != asked {
			var err error
			if held, err = t.reask(ctx, submission); ctx.Err() != nil {
				return nil, ctx.Err()
			} else if err != nil {
				t.stays(info.Key, err)
			}
			asked = submission
		}
		if held {
			t.now.Held++
			continue
		}
		closed = append(closed, info)
	}
	return closed, nil
}

// reask asks for a submission, whatever was answered before.
func (t *tidying) reask(ctx context.Context, submission string) (bool, error) {
	if submission == "" {
		return false, nil // what belongs to none is held by none
	}
	held, err := t.ask(ctx, submission)
	if submission == t.asked {
		t.held = held
	}
	return held, err
}

// unchanged leaves out what was written again, or is gone, since it was listed: its age has begun anew. No store deletes by
// age, so the neighbours are listed once more, which costs one request for a thousand objects.
func (t *tidying) unchanged(ctx context.Context, going []collection.ObjectInfo) ([]collection.ObjectInfo, error) {
	if len(going) == 0 {
		return nil, nil
	}
	listed := make(map[string]collection.ObjectInfo, len(going))
	for _, info := range going {
		listed[info.Key] = info
	}
	var same []collection.ObjectInfo
	first, end := going[0].Key, going[len(going)-1].Key
	// The shorter name lies right before the first.
	for info, err := range t.Store.ListAfter(ctx, t.in.Class.Prefix(), first[:len(first)-1]) {
		if err != nil {
			return nil, storeFailed(ctx, "list "+t.in.Class.Prefix()+" once more", err)
		}
		if info.Key > end {
			break
		}
		if was, ok := listed[info.Key]; ok && was.ETag == info.ETag && was.LastModified.Equal(info.LastModified) {
			same = append(same, info)
		}
		if t.due() {
			t.beat(ctx)
		}
	}
	return same, nil
}

// delete says which objects could not be deleted.
func (t *tidying) delete(ctx context.Context, going []collection.ObjectInfo) (map[string]bool, error) {
	if len(going) == 0 {
		return nil, nil
	}
	keys := make([]string, len(going))
	for i, info := range going {
		keys[i] = info.Key
	}
	err := t.Store.Delete(ctx, keys)
	var some *collection.DeleteError
	switch {
	case errors.As(err, &some):
		failed := map[string]bool{}
		for _, f := range some.Failed {
			failed[f.Key] = true
		}
		t.trouble(some.Error())
		return failed, nil
	case err != nil:
		return nil, storeFailed(ctx, fmt.Sprintf("delete %d objects from %s on", len(keys), keys[0]), err)
	}
	return nil, nil
}
