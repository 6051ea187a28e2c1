package workers

import (
	"context"
	"fmt"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/robots/guard"
)

// SiteRules know what the robots.txt of every source's hosts say. Reading one is a request like any other: it takes the
// source's permit and pace, and goes out by the source's ways.
type SiteRules struct {
	needs RobotsNeeds
	cache *guard.Cache
	// obeying are the sources that keep to robots.txt, rules what binds them.
	obeying map[string]bool
	rules   map[askedAs]*sourceRules
}

// askedAs is a source by one of the names that it asks under: a file may tell one what it forbids the other. The agent is
// empty for the name that all requests have unless their source states another.
type askedAs struct{ source, agent string }

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
	// Agent is the user agent of all requests whose source states none of its own.
	Agent string
	Now   func() time.Time
	// Learn is told what interval the robots.txt of one of a source's origins asks for; zero if none. What it asks for of
	// another name of the source's comes as another origin.
	Learn func(source, origin string, delay time.Duration)
}

// NewSiteRules knows nothing yet. It fails when a user agent has no product token that a robots.txt could name.
func NewSiteRules(sources []collection.Source, n RobotsNeeds) (*SiteRules, error) {
	r := &SiteRules{
		needs: n, cache: guard.NewCache(guard.DefaultBytes), obeying: map[string]bool{}, rules: map[askedAs]*sourceRules{},
	}
	for _, src := range sources {
		if src.Robots == collection.RobotsIgnore {
			continue
		}
		r.obeying[src.Name] = true
		if err := r.addMethods(src); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// addMethods prepares for every name that a source's methods go by.
func (r *SiteRules) addMethods(src collection.Source) error {
	if len(src.Methods) == 0 {
		return r.add(src)
	}
	for _, m := range src.Methods {
		by, _ := src.By(m.Name)
		if err := r.add(by); err != nil {
			return err
		}
	}
	return nil
}

// add prepares for a source as it is asked by one of its methods.
func (r *SiteRules) add(src collection.Source) error {
	own, err := config.OwnAgent(src.Request)
	if err != nil {
		return fmt.Errorf("source %s: %w", src.Name, err)
	}
	as := askedAs{source: src.Name, agent: own}
	if r.rules[as] != nil {
		return nil
	}
	rules, err := r.guard(as, func(ctx context.Context, origin string) (guard.Answer, error) { return r.read(ctx, src, origin) })
	if err != nil {
		return err
	}
	hops, err := r.guard(as, func(ctx context.Context, origin string) (guard.Answer, error) { return r.readHop(ctx, src, origin) })
	if err != nil {
		return err
	}
	r.rules[as] = &sourceRules{rules: rules, hops: hops}
	return nil
}

func (r *SiteRules) guard(as askedAs, fetch guard.Fetch) (*guard.Guard, error) {
	agent, key, suffix := r.needs.Agent, "user_agent", ""
	if as.agent != "" {
		agent, key, suffix = as.agent, "the User-Agent of source "+as.source, " as "+as.agent
	}
	g, err := guard.New(guard.Options{
		Fetch: fetch, Now: r.needs.Now, Agent: agent, Cache: r.cache,
		OnRead: func(origin string, delay time.Duration, _ bool) { r.needs.Learn(as.source, origin+suffix, delay) },
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return g, nil
}

// of is what binds a source as it is asked now; nil for one that ignores robots.txt.
func (r *SiteRules) of(src collection.Source) (*sourceRules, error) {
	if !r.obeying[src.Name] {
		return nil, nil
	}
	own, err := config.OwnAgent(src.Request)
	if err != nil {
		return nil, err
	}
	s := r.rules[askedAs{source: src.Name, agent: own}]
	if s == nil {
		return nil, fmt.Errorf("source %s asks as %q, which its configuration does not say", src.Name, own)
	}
	return s, nil
}

// Check implements activities.Robots.
func (r *SiteRules) Check(ctx context.Context, src collection.Source, url string) (collection.RobotsDecision, error) {
	s, err := r.of(src)
	switch {
	case err != nil:
		return collection.RobotsDecision{}, err
	case s == nil:
		return collection.RobotsDecision{Allowed: true, Why: "ignored, as the configuration says"}, nil
	}
	return s.rules.Check(ctx, url)
}

// CheckHop implements activities.Robots.
func (r *SiteRules) CheckHop(ctx context.Context, src collection.Source, url string, permit *activities.Permit) error {
	s, err := r.of(src)
	if s == nil {
		return err
	}
	if _, known, err := s.rules.Known(url); known {
		return err
	}
	_, err = s.hops.Check(context.WithValue(ctx, permitKey{}, permit), url)
	return err
}
