package workers

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/telemetry"
)

// process is everything that one worker process is made of.
type process struct {
	cfg     config.Config
	sources []collection.Source
	metrics *telemetry.Metrics
	store   *objectstore.Store
	permits *Permits
	renewer *renewer
	// collects says whether the process makes requests at all.
	collects bool
	fetcher  *fetch.Client
	egresses *Egresses
	robots   *SiteRules
	memory   *memory
	rules    rulebook
	engine   client.Client
	// namespace is the engine's, for calls that the SDK has none of.
	namespace string
	secrets   connect.Secrets
	// sent are the secrets that requests carry.
	sent *connect.CachedSecrets
}

func assemble(o Options, sources []collection.Source, metrics *telemetry.Metrics, store *objectstore.Store, engine client.Client) (*process, error) {
	sent := connect.NewCachedSecrets(o.Secrets.In(o.Config), time.Now, o.Logger)
	p := &process{
		cfg: o.Config, sources: sources, metrics: metrics, store: store, engine: engine, secrets: o.Secrets, sent: sent, rules: rulebook{},
		collects: slices.Contains(o.Roles, collection.RoleCollect) && len(sources) > 0, memory: newMemory(o.Config.Worker.BodyMemory),
		fetcher: fetch.New(fetch.Options{
			UserAgent: o.Config.UserAgent,
			Secret:    sent.Value,
			Egresses:  o.Config.Egresses,
			Debug: func(source, url string, err error) {
				o.Logger.Debug("a request ended", "source", source, "url", url, "error", err)
			},
		}),
	}
	var err error
	if _, p.namespace, err = connect.TemporalAddress(o.Config, o.Secrets); err != nil {
		return nil, err
	}
	if err := p.prepareLease(o); err != nil {
		return nil, err
	}
	// Any process parses for every source, whatever it collects from.
	for _, s := range o.Config.Sources {
		if err := p.rules.learn(o.Config, s); err != nil {
			return nil, err
		}
	}
	return p, p.learnRobots(o)
}

// learnRobots prepares to keep to robots.txt, and says aloud where the configuration says not to.
func (p *process) learnRobots(o Options) error {
	for _, s := range p.sources {
		if p.collects && s.Robots == collection.RobotsIgnore {
			o.Logger.Warn("robots.txt is ignored", "source", s.Name, "reason", s.RobotsReason)
		}
	}
	var err error
	p.robots, err = NewSiteRules(p.sources, RobotsNeeds{
		Fetcher: p.fetcher, Permits: p.permits, Egresses: p.egresses, Metrics: p.metrics, Agent: o.Config.UserAgent,
		Now: time.Now, Learn: p.permits.ReadRobots,
	})
	return err
}

// prepareLease prepares what a lease needs: permits, of which there are none yet, and their renewer. The process gets a new name
// with every start, since a process that has died may still be counted by the owner.
func (p *process) prepareLease(o Options) error {
	name := fmt.Sprintf("%s/%s", identity(), uuid.NewString()[:8])
	p.permits = NewPermits(lease.NewHolder(name), p.sources, o.Config.Worker.MaxCollects, time.Now)
	p.permits.tooLong = func(source, origin string, delay time.Duration) {
		o.Logger.Warn("a robots.txt asks for a longer crawl delay than is obeyed", "source", source, "origin", origin,
			"asked", delay, "obeyed", robots.LongestDelay)
	}
	p.egresses = NewEgresses(p.permits)
	sources, settings := o.Config.Leases(time.Now())
	var err error
	p.renewer, err = newRenewer(p.engine, o.Logger, p.permits, sources, settings, name)
	return err
}
