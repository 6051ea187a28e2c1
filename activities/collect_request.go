package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// request waits for a permit and makes the request. The permit surrounds the request alone: what follows is not the
// source's load.
func (r *collectRun) request(ctx context.Context, rec collection.Record) (*collection.Response, failure.Observation, error) {
	r.update(func(p *collection.AttemptProgress) { p.Waiting = "permit" })
	waitCtx, stopWaiting := r.untilStop()
	defer stopWaiting()
	permit, release, err := r.Permits.Acquire(waitCtx, r.src.Name)
	if err != nil {
		return nil, failure.Observation{}, leftOver(err)
	}
	defer release()
	requestCtx, end := within(ctx, permit)
	defer end()
	r.startRequest()
	response, seen := r.Fetcher.Fetch(requestCtx, r.src, rec)
	switch {
	case ctx.Err() != nil:
		// Whatever the observation says, it was we who broke the request off.
		return nil, seen, ctx.Err()
	case permit.Err() != nil:
		return nil, seen, transient(collection.ReasonLeaseLost, 0,
			r.failed("the request was broken off: "+context.Cause(permit).Error()), nil)
	}
	return response, seen, nil
}

// within is a context that ends with ctx, or with the permit.
func within(ctx, permit context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(permit, func() { cancel(context.Cause(permit)) })
	return out, func() {
		stop()
		cancel(nil)
	}
}

func (r *collectRun) startRequest() {
	now := r.Clock()
	first := false
	r.update(func(p *collection.AttemptProgress) {
		p.Waiting = ""
		p.Requests++
		if p.FirstRequestAt == nil {
			first = true
			p.FirstRequestAt = &now
		}
	})
	if first {
		r.Metrics.StartWait(r.in.Customer, now.Sub(r.in.AcceptedAt))
	}
}

func (r *collectRun) note(reason collection.Reason, response *collection.Response, retryAfter time.Duration) {
	r.update(func(p *collection.AttemptProgress) {
		if failure.Lookup(reason).Charged {
			p.Faults++
		}
		if p.Reason != reason {
			p.Reason, p.InARow = reason, 0
		}
		p.InARow++
	})
	var took time.Duration
	var size int64
	if response != nil {
		took, size = response.Duration, int64(len(response.Body))
	}
	r.Metrics.Request(r.src.Name, reason, took, size)
	r.Permits.Report(r.src.Name, reason, retryAfter)
}

// keep stores the response: the body under a name that its content gives it, and what is known of it beside it.
func (r *collectRun) keep(ctx context.Context, rec collection.Record, response *collection.Response) (collection.Raw, error) {
	raw := collection.Raw{
		SHA256: digest(response.Body), Size: int64(len(response.Body)), URL: response.URL, Status: response.Status,
		ContentType: response.ContentType, FetchedAt: response.FetchedAt.UTC(),
	}
	raw.Key = collection.RawKey(r.in.Submission, rec.ID, raw.SHA256)
	if _, err := r.Store.Create(ctx, raw.Key, response.Body, typeBytes); err != nil {
		return raw, storeFailed(ctx, "store the raw body", err)
	}
	meta, err := json.Marshal(collection.RawMeta{
		Raw: raw, Source: r.src.Name, Record: rec, Header: response.Header, Duration: collection.Duration(response.Duration),
	})
	if err != nil {
		return raw, fmt.Errorf("encode what is known of the raw body: %w", err)
	}
	if _, err := r.Store.Put(ctx, collection.RawMetaKey(r.in.Submission, rec.ID, raw.SHA256), meta, typeJSON); err != nil {
		return raw, storeFailed(ctx, "store what is known of the raw body", err)
	}
	return raw, nil
}
