package guard

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/urlkey"
)

// Guard says whether URLs may be fetched. It may be used from many goroutines.
type Guard struct {
	options Options
	agent   string

	mu      sync.Mutex
	flights map[string]*flight
}

// New builds a Guard. It fails when the user agent has no product token, or the options lack a function.
func New(o Options) (*Guard, error) {
	o, agent, err := o.check()
	if err != nil {
		return nil, err
	}
	return &Guard{options: o, agent: agent, flights: map[string]*flight{}}, nil
}

// Origin is whose robots.txt binds a URL: its scheme, host and port, in normal form. It fails for what is no http or https
// URL.
func Origin(url string) (string, error) {
	key, err := urlkey.Key(url)
	if err != nil {
		return "", err
	}
	scheme, rest, _ := strings.Cut(key, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host, nil
}

// Check says whether a URL may be fetched, having the robots.txt of its origin fetched first if need be. When it may not,
// the error is a *collection.Refused with ReasonRobotsDenied or ReasonRobotsUnreachable, or the one that the fetch came
// back with, and the decision is filled all the same. Any other error is ctx's, or says that our own side broke the reading
// off (ErrBrokenOff), or that the URL is none.
func (g *Guard) Check(ctx context.Context, url string) (collection.RobotsDecision, error) {
	origin, err := Origin(url)
	if err != nil {
		return collection.RobotsDecision{}, fmt.Errorf("cannot say whose robots.txt binds the URL: %w", err)
	}
	e, err := g.entry(ctx, origin)
	if err != nil {
		return collection.RobotsDecision{Why: robots.WhyUnreachable}, err
	}
	return g.decide(origin, url, e)
}

// Known is Check with what is known already: nothing is fetched, and known is false when something would have to be.
func (g *Guard) Known(url string) (decision collection.RobotsDecision, known bool, err error) {
	origin, err := Origin(url)
	if err != nil {
		return collection.RobotsDecision{}, false, nil
	}
	g.mu.Lock()
	e, known := g.fresh(origin)
	g.mu.Unlock()
	if !known {
		return collection.RobotsDecision{}, false, nil
	}
	decision, err = g.decide(origin, url, e)
	return decision, true, err
}

// decide says what an entry means for a URL; the error is nil or a *collection.Refused.
func (g *Guard) decide(origin, url string, e entry) (collection.RobotsDecision, error) {
	found := e.rules.Match(url)
	decision := collection.RobotsDecision{Allowed: found.Allowed, Rule: found.Rule, Line: found.Line, Why: found.Why}
	if !e.readAt.IsZero() {
		at := e.readAt
		decision.FetchedAt = &at
	}
	if found.Allowed {
		return decision, nil
	}
	return decision, g.refusal(origin, found, e)
}

func (g *Guard) refusal(origin string, d robots.Decision, e entry) *collection.Refused {
	if d.Why == robots.WhyUnreachable {
		return &collection.Refused{Reason: collection.ReasonRobotsUnreachable, Detail: fmt.Sprintf(
			"%s/robots.txt cannot be read (%s), and until it can, nothing is fetched from there", origin, e.trouble)}
	}
	return &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: fmt.Sprintf(
		"%s/robots.txt forbids this URL to %s: line %d, %q", origin, g.agent, d.Line, d.Rule)}
}
