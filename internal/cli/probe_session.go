package cli

import (
	"context"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/probe/drive"
	"github.com/weir-collect/weir/workers"
)

// prober asks a source as a worker does, with its permits and within its robots.txt, and throws away what it is given. It
// asks directly and unconditionally: to be told that nothing has changed would say little of the source's strength.
type prober struct {
	*workers.SourceLease
	src     collection.Source
	fetcher activities.Fetcher
	robots  activities.Robots
}

func newProber(src collection.Source, agent string, leased *workers.SourceLease, fetcher activities.Fetcher) (*prober, error) {
	rules, err := workers.NewSiteRules([]collection.Source{src}, workers.RobotsNeeds{
		Fetcher: fetcher, Permits: leased, Egresses: workers.OneEgress(collection.EgressDirect), Agent: agent, Now: time.Now,
		Learn: leased.ReadRobots,
	})
	if err != nil {
		return nil, err
	}
	return &prober{SourceLease: leased, src: src, fetcher: fetcher, robots: rules}, nil
}

// by is the source as one of its methods asks it.
func (p *prober) by(method string) collection.Source {
	if src, ok := p.src.By(method); ok {
		return src
	}
	// The fleet has a newer configuration: the preferred method serves to measure as well.
	src, _ := p.src.By("")
	return src
}

// Allow asks the robots.txt of the target's host.
func (p *prober) Allow(ctx context.Context, rec collection.Record) error {
	src := p.by(p.Method(p.src.Name))
	target, err := p.fetcher.Target(src, rec)
	if err != nil {
		return &collection.Refused{Reason: collection.ReasonBadRequest, Detail: err.Error()}
	}
	_, err = p.robots.Check(ctx, src, target)
	return err
}

// Fetch makes one request.
func (p *prober) Fetch(ctx context.Context, permit *activities.Permit, rec collection.Record) drive.Answer {
	src := p.by(permit.Method)
	via := collection.Via{Hop: permit.Hop(p.robots, src), Still: permit.Still}
	_, seen := p.fetcher.Fetch(ctx, src, rec, via)
	retryAfter, _ := seen.RetryAfterHint(time.Now())
	return drive.Answer{Reason: failure.Classify(seen), RetryAfter: retryAfter}
}
