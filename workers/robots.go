package workers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/robots/guard"
)

// SiteRules know what the robots.txt of every source's hosts say. Reading one is a request like any other: it takes the
// source's permit and pace, and goes out by the source's ways.
type SiteRules struct {
	needs   RobotsNeeds
	sources map[string]*sourceRules
}

// sourceRules are one source's. What a redirect needs to know is read under the permit of the redirected request, so that a
// request never waits for another one's permit while it holds its own; hops is what was read so.
type sourceRules struct {
	rules, hops *guard.Guard
}

// RobotsNeeds are what SiteRules work with.
type RobotsNeeds struct {
	Fetcher  activities.Fetcher
	Permits  activities.Permits
	Egresses activities.Egresses
	// Metrics may be nil: then nobody counts.
	Metrics activities.Metrics
	// Agent is the user agent of all requests.
	Agent string
	Now   func() time.Time
	// Learn is told what interval the robots.txt of one of a source's origins asks for; zero if none.
	Learn func(source, origin string, delay time.Duration)
}

// NewSiteRules knows nothing yet. It fails when the user agent has no product token that a robots.txt could name.
func NewSiteRules(sources []collection.Source, n RobotsNeeds) (*SiteRules, error) {
	r := &SiteRules{needs: n, sources: make(map[string]*sourceRules, len(sources))}
	for _, src := range sources {
		if src.Robots == collection.RobotsIgnore {
			continue
		}
		learn := func(origin string, delay time.Duration, _ bool) { n.Learn(src.Name, origin, delay) }
		build := func(fetch guard.Fetch) (*guard.Guard, error) {
			return guard.New(guard.Options{Fetch: fetch, Now: n.Now, Agent: n.Agent, OnRead: learn})
		}
		rules, err := build(func(ctx context.Context, origin string) (guard.Answer, error) { return r.read(ctx, src, origin) })
		if err != nil {
			return nil, fmt.Errorf("user_agent: %w", err)
		}
		hops, err := build(func(ctx context.Context, origin string) (guard.Answer, error) { return r.readHop(ctx, src, origin) })
		if err != nil {
			return nil, fmt.Errorf("user_agent: %w", err)
		}
		r.sources[src.Name] = &sourceRules{rules: rules, hops: hops}
	}
	return r, nil
}

// Check implements activities.Robots.
func (r *SiteRules) Check(ctx context.Context, src collection.Source, url string) (collection.RobotsDecision, error) {
	s, ok := r.sources[src.Name]
	if !ok {
		return collection.RobotsDecision{Allowed: true, Why: "ignored, as the configuration says"}, nil
	}
	return s.rules.Check(ctx, url)
}

// CheckHop implements activities.Robots.
func (r *SiteRules) CheckHop(ctx context.Context, src collection.Source, url string, permit *activities.Permit) error {
	s, ok := r.sources[src.Name]
	if !ok {
		return nil
	}
	if _, known, err := s.rules.Known(url); known {
		return err
	}
	_, err := s.hops.Check(context.WithValue(ctx, permitKey{}, permit), url)
	return err
}

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

// ask makes the request. It carries none of the source's own headers, least of all its credentials.
func (r *SiteRules) ask(ctx context.Context, src collection.Source, origin string, permit *activities.Permit) (guard.Answer, error) {
	ctx, end := permit.Within(ctx)
	defer end()
	plain := src
	plain.Request, plain.MaxBody, plain.Conditional = collection.Request{}, robots.MaxBytes, false
	record := collection.Record{URL: origin + "/robots.txt"}
	egress, err := r.needs.Egresses.Choose(plain, record, "")
	if err != nil {
		return guard.Answer{}, fmt.Errorf("%w: %w", guard.ErrBrokenOff, err)
	}
	response, seen := r.needs.Fetcher.Fetch(ctx, plain, record, collection.Via{Egress: egress, Clip: true})
	if ctx.Err() != nil {
		return guard.Answer{}, fmt.Errorf("%w: %w", guard.ErrBrokenOff, context.Cause(ctx))
	}
	r.report(src, egress, response, seen)
	switch {
	case response != nil:
		return guard.Answer{Status: response.Status, Body: response.Body, FetchedAt: response.FetchedAt}, nil
	case seen.Transport == failure.TransportRedirectLoop, seen.Transport == "" && seen.Status >= http.StatusMultipleChoices:
		return guard.Answer{Status: seen.Status, FetchedAt: r.needs.Now()}, nil
	case failure.Lookup(failure.Classify(seen)).Fault == failure.FaultEgress:
		return guard.Answer{}, fmt.Errorf("%w: %s", guard.ErrBrokenOff, seen.Message)
	}
	return guard.Answer{}, errors.New(seen.Message)
}

// report tells of the request as of any other.
func (r *SiteRules) report(src collection.Source, egress string, response *collection.Response, seen failure.Observation) {
	reason := failure.Classify(seen)
	retryAfter, _ := seen.RetryAfterHint(r.needs.Now())
	var took time.Duration
	var size int64
	if response != nil {
		took, size = response.Duration, int64(len(response.Body))
	}
	if r.needs.Metrics != nil {
		r.needs.Metrics.Request(src.Name, reason, took, size)
	}
	r.needs.Egresses.Report(egress, reason)
	r.needs.Permits.Report(src.Name, reason, retryAfter)
}
