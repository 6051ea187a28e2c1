package starter

import (
	"context"
	"errors"
	"fmt"
)

// deadOf lists the dead letters of one submission, of those that the engine remembers of it. Where the store does not tell of it,
// they come with a note, and with an error that says why.
func (c *Client) deadOf(ctx context.Context, f DeadFilter, letters []DeadLetter) ([]DeadLetter, error) {
	dead, err := c.confirmed(ctx, f, letters)
	what := "these are its dead letters as Temporal remembers them, and some may have been replayed since"
	if err != nil {
		dead = letters
	} else if f.Rows {
		dead, err = c.withRows(ctx, dead)
		what = "which rows its dead letters are is told as far as it is known"
	}
	if err != nil {
		note := fmt.Sprintf("submission %s cannot be looked up (%v): %s", letters[0].Submission, err, what)
		for i := range dead {
			dead[i].Note = note
		}
	}
	return dead, err
}

// isOfOne says whether an error may be that of one submission alone, and not of a side that does not answer at all.
func isOfOne(ctx context.Context, err error) bool {
	return ctx.Err() == nil && !silentStore(ctx, err) && silentEngine(ctx, err) == nil
}

// mostUnread is after how many submissions that could not be read, and none that could, the store is taken to refuse all.
const mostUnread = 3

// deadWaiting holds back the dead letters of submissions that could not be read until the store has told of another: one that
// refuses everything, for instance because the credentials are wrong, is an error, and not a note for each.
type deadWaiting struct {
	answered bool
	held     []DeadLetter
	unread   int
	// failed is the first error, of what is held.
	failed error
}

// take takes in the dead letters of a submission, with the error if it could not be read, and returns those that may be told.
func (w *deadWaiting) take(dead []DeadLetter, err error) ([]DeadLetter, error) {
	// The manifest is what is read first.
	if !errors.As(err, &unreadError{}) {
		w.answered = true
	}
	if w.answered {
		dead = append(w.held, dead...)
		w.held, w.failed = nil, nil
		return dead, nil
	}
	if w.failed == nil {
		w.failed = err
	}
	if w.unread++; w.unread >= mostUnread {
		return nil, w.failed
	}
	w.held = append(w.held, dead...)
	return nil, nil
}
