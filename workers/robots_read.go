package workers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/robots/guard"
)

// permitKey is under which a hop's permit stands in its context.
type permitKey struct{}

// read asks for a robots.txt under a permit of its own.
func (r *SiteRules) read(ctx context.Context, src collection.Source, origin string) (guard.Answer, error) {
	permit, err := r.needs.Permits.Acquire(ctx, src.Name)
	if err != nil {
		return guard.Answer{}, fmt.Errorf("%w: %w", guard.ErrBrokenOff, err)
	}
	defer permit.Release()
	return r.ask(ctx, src, origin, permit)
}

// readHop asks for one under the permit of the request that was redirected.
func (r *SiteRules) readHop(ctx context.Context, src collection.Source, origin string) (guard.Answer, error) {
	permit, ok := ctx.Value(permitKey{}).(*activities.Permit)
	if !ok {
		return guard.Answer{}, fmt.Errorf("%w: there is no permit for it", guard.ErrBrokenOff)
	}
	if err := permit.Again(ctx); err != nil {
		return guard.Answer{}, fmt.Errorf("%w: %w", guard.ErrBrokenOff, err)
	}
	return r.ask(ctx, src, origin, permit)
}

// plain is a source as its robots.txt is asked for: under its own name if it has one, without any other header of its own,
// least of all its credentials, and by any of its ways, since no record's fields say by which.
func plain(src collection.Source) (collection.Source, error) {
	agent, err := config.OwnAgent(src.Request)
	src.Request, src.Egress.Sticky, src.MaxBody, src.Conditional = collection.Request{}, "", robots.MaxBytes, false
	if agent != "" {
		src.Request.Headers = map[string]string{"User-Agent": agent}
	}
	return src, err
}

// ask makes the request.
func (r *SiteRules) ask(ctx context.Context, src collection.Source, origin string, permit *activities.Permit) (guard.Answer, error) {
	ctx, end := permit.Within(ctx)
	defer end()
	spelt := src.Spells(hostOf(origin))
	src, err := plain(src)
	if err != nil {
		return guard.Answer{}, err
	}
	record := collection.Record{URL: origin + "/robots.txt"}
	egress, err := r.needs.Egresses.Choose(src, record, "")
	if err != nil {
		return guard.Answer{}, brokenEgress(collection.ReasonEgressUnavailable, "", err.Error())
	}
	away := false
	via := collection.Via{Egress: egress, Clip: true, Still: permit.Still, Hop: func(context.Context, string) error {
		away = true
		return nil
	}}
	response, seen := r.needs.Fetcher.Fetch(ctx, src, record, via)
	if err := brokenOff(ctx, permit); err != nil {
		return guard.Answer{}, fmt.Errorf("%w: %w", guard.ErrBrokenOff, err)
	}
	a := asking{seen: seen, reason: failure.Classify(seen), egress: egress, away: away}
	if a.ofName() && !away && !seen.Certain {
		a.seen.OfSource = spelt // also where the request that it was asked as has no template
	}
	r.report(src, a, response)
	if response != nil {
		return guard.Answer{Status: response.Status, Body: response.Body, FetchedAt: response.FetchedAt}, nil
	}
	return a.judge(r.needs.Now())
}

// brokenOff says why a request that has ended was ended, or could have been, by our own side; nil if it was not. The permit
// is looked at itself, and last the clock: a context hears of a permit's end a moment later, and who watches the lease may
// not have noticed its end yet. What such a request met says nothing of the site.
func brokenOff(ctx context.Context, permit *activities.Permit) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case permit.Context.Err() != nil:
		return context.Cause(permit.Context)
	case permit.Still != nil:
		return permit.Still()
	}
	return nil
}

// asking is what a request for a robots.txt met that brought none.
type asking struct {
	seen   failure.Observation
	reason collection.Reason
	egress string
	// away says that a redirect was followed, so that what was met last is no trouble of the origin's own.
	away bool
}

// ownEnd says whether the record that waits would meet the same at the same origin: then that is what becomes of it, by the
// reason's own row of the table. "Out of reach" is for sites that are there and may answer later. A certificate is among
// them, since it is the origin's and not the file's: who reads "robots_unreachable" looks at the wrong thing, for a day.
func (a asking) ownEnd() bool {
	switch a.reason {
	case collection.ReasonDNSNotFound, collection.ReasonPrivateAddress, collection.ReasonTLSError:
		return !a.away
	case collection.ReasonStoreUnavailable:
		return true // the credentials of a proxy cannot be read
	}
	return false
}

// ofName says that what was met is where a name leads.
func (a asking) ofName() bool {
	return a.reason == collection.ReasonDNSNotFound || a.reason == collection.ReasonPrivateAddress
}

// ofRecord says that what was met is a matter of the URL that the record has brought, and not of the source: its other hosts
// may be in order. A name that the configuration writes out is the source's.
func (a asking) ofRecord() bool { return a.ofName() && !a.seen.OfSource }

// hostOf is the host of an origin, without its port.
func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return "" // no origin that the guard gives
	}
	return u.Hostname()
}

// judge says what an asking without a file means.
func (a asking) judge(now time.Time) (guard.Answer, error) {
	switch {
	case a.seen.Transport == failure.TransportRedirectLoop:
		// Redirects without an end lead to no file, whatever the last of them said.
		return guard.Answer{Status: http.StatusFound, FetchedAt: now}, nil
	case a.seen.Transport == "" && a.seen.Status >= http.StatusMultipleChoices:
		return guard.Answer{Status: a.seen.Status, FetchedAt: now}, nil
	case failure.Lookup(a.reason).Fault == failure.FaultEgress:
		return guard.Answer{}, brokenEgress(a.reason, a.egress, a.seen.Message)
	case a.reason == collection.ReasonLeaseLost:
		return guard.Answer{}, fmt.Errorf("%w: %s", guard.ErrBrokenOff, a.seen.Message)
	case a.ownEnd():
		return guard.Answer{}, &collection.Refused{
			Reason: a.reason, Detail: a.seen.Message, Certain: a.seen.Certain, OfSource: a.seen.OfSource,
		}
	}
	return guard.Answer{}, errors.New(a.seen.Message)
}

// brokenEgress breaks a reading off for the fault of an egress; egress is empty where none was left.
func brokenEgress(reason collection.Reason, egress, detail string) error {
	return fmt.Errorf("%w: %w", guard.ErrBrokenOff, &activities.EgressError{Reason: reason, Egress: egress, Detail: detail})
}

// report tells of the request as of any other, but not of names and addresses that a record has brought: a record's URL must
// not open a source's breaker before its own request has been made.
func (r *SiteRules) report(src collection.Source, a asking, response *collection.Response) {
	retryAfter, _ := a.seen.RetryAfterHint(r.needs.Now())
	var took time.Duration
	var size int64
	if response != nil {
		took, size = response.Duration, int64(len(response.Body))
	}
	if r.needs.Metrics != nil {
		r.needs.Metrics.Request(src.Name, a.reason, took, size)
	}
	r.needs.Egresses.Report(a.egress, a.reason)
	if !a.ofRecord() {
		r.needs.Permits.Report(src.Name, failure.Heard(a.reason, a.seen.OfSource), retryAfter)
	}
}
