package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
)

// progressInterval is the time between two looks at a running submission.
const progressInterval = time.Second

// patience is how long Wait goes on without an answer: a restart of the engine must not end a wait of hours.
const patience = time.Minute

// Wait follows a submission to its end and returns its last status. progress is called with every new status, from
// Wait's own goroutine; it may be nil. A submission that fails or is cancelled is no error of Wait's: the status says so.
// An engine that does not answer from the start is, and one that does not for a minute, or such a store, unless what the other
// says is an end, which is returned as Status does; and so is a submission that nobody brings to its end.
func (c *Client) Wait(ctx context.Context, id string, progress func(collection.SubmissionStatus)) (collection.SubmissionStatus, error) {
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	var status collection.SubmissionStatus
	answered := time.Now()
	for {
		latest, running, err := c.look(ctx, id)
		switch {
		case err == nil:
			status, answered = latest, time.Now()
			if progress != nil {
				progress(status)
			}
			if ended(status.State) && status.Stage == "" {
				return status, nil
			}
			// A replay or a redelivery may be shipping it, which ends.
			if !running && status.Stage != "ship" {
				return status, fmt.Errorf("submission %s has not been settled, and the engine runs it no more: submit it again under the same id", id)
			}
		case errors.Is(err, ErrNotFound):
			return status, err
		case silentEngine(ctx, err) != nil && !c.contact.Ever(), ctx.Err() == nil && time.Since(answered) > patience:
			// An engine that has not been there from the start is no restart.
			return c.alone(ctx, id, status, err)
		}
		select {
		case <-ctx.Done():
			return status, fmt.Errorf("wait for submission %s: %w", id, ctx.Err())
		case <-ticker.C:
		}
	}
}

func ended(s collection.State) bool {
	switch s {
	case collection.StateAccepted, collection.StateProcessing:
		return false
	}
	return true
}
