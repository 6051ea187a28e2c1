package workers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/telemetry"
	"github.com/weir-collect/weir/workflows"
)

const (
	// planSlots bounds plans and settlements at a time: each may hold some tens of MiB.
	planSlots = 8
	// beatInterval is the longest time between two heartbeats, and so between a cancellation and its notice.
	beatInterval = 5 * time.Second
	// partRecords and partBytes bound one part of the results; bytes are counted before compression.
	partRecords = 10_000
	partBytes   = 16 << 20
	// cachedWorkflows bounds the memory of workflows between their tasks.
	cachedWorkflows = 2_000
)

// process is everything that one worker process is made of.
type process struct {
	cfg     config.Config
	sources []collection.Source
	metrics *telemetry.Metrics
	store   *objectstore.Store
	permits *Permits
	lessee  *lessee
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
}

// engineResults reads workflow results for the activities.
type engineResults struct{ client client.Client }

// Result waits for a workflow's latest run to end. activities.ErrUnknownToEngine says that there is none.
func (e engineResults) Result(ctx context.Context, workflowID string, into any) error {
	return unknown(e.client.GetWorkflow(ctx, workflowID, "").Get(ctx, into))
}

func assemble(o Options, sources []collection.Source, metrics *telemetry.Metrics, store *objectstore.Store, engine client.Client) (*process, error) {
	p := &process{
		cfg: o.Config, sources: sources, metrics: metrics, store: store, engine: engine, secrets: o.Secrets, rules: rulebook{},
		collects: slices.Contains(o.Roles, collection.RoleCollect) && len(sources) > 0, memory: newMemory(o.Config.Worker.BodyMemory),
		fetcher: fetch.New(fetch.Options{
			UserAgent: o.Config.UserAgent,
			Secret:    connect.NewCachedSecrets(o.Secrets.In(o.Config), time.Now, o.Logger).Value,
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
	if err := p.rent(o); err != nil {
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

// rent prepares the leases of this process; its name is new with every start.
func (p *process) rent(o Options) error {
	name := fmt.Sprintf("%s/%s", identity(), uuid.NewString()[:8])
	p.permits = NewPermits(lease.NewHolder(name), p.sources, o.Config.Worker.MaxCollects, time.Now)
	p.permits.tooLong = func(source, origin string, delay time.Duration) {
		o.Logger.Warn("a robots.txt asks for a longer crawl delay than is obeyed", "source", source, "origin", origin,
			"asked", delay, "obeyed", robots.LongestDelay)
	}
	p.egresses = NewEgresses(p.permits)
	sources, settings := o.Config.Leases(time.Now())
	var err error
	p.lessee, err = newLessee(p.engine, o.Logger, p.permits, sources, settings, name)
	return err
}

// fleetWorkers own the ceilings. They are stopped last, so that permits can be given back.
func (p *process) fleetWorkers(o Options, c client.Client, onFatal func(error)) []worker.Worker {
	if !slices.Contains(o.Roles, collection.RoleFleet) {
		return nil
	}
	options := p.options(onFatal)
	options.MaxConcurrentActivityExecutionSize = fleetSlots
	w := worker.New(c, collection.QueueFleet, options)
	workflows.RegisterFleet(w)
	p.fleetActivities(w)
	return []worker.Worker{w}
}

// options are those of every worker.
func (p *process) options(onFatal func(error)) worker.Options {
	return worker.Options{
		DisableEagerActivities:           true,
		DefaultHeartbeatThrottleInterval: beatInterval,
		MaxHeartbeatThrottleInterval:     beatInterval,
		WorkerStopTimeout:                p.cfg.Worker.ShutdownGrace,
		Interceptors:                     []interceptor.WorkerInterceptor{telemetry.NewLogInterceptor()},
		OnFatalError:                     onFatal,
	}
}

// workers makes one Temporal worker per queue.
func (p *process) workers(o Options, c client.Client, onFatal func(error)) []worker.Worker {
	base := p.options(onFatal)
	has := func(r collection.Role) bool { return slices.Contains(o.Roles, r) }
	var pool []worker.Worker
	if has(collection.RoleWorkflows) {
		pool = append(pool, p.workflowWorker(c, base))
	}
	base.DisableWorkflowWorker = true
	if has(collection.RolePlan) {
		pool = append(pool, p.planWorker(c, base))
	}
	if has(collection.RoleParse) {
		pool = append(pool, p.parseWorker(c, base))
	}
	if has(collection.RoleDeliver) {
		pool = append(pool, p.deliverWorker(c, base))
	}
	if has(collection.RoleCollect) {
		for _, s := range p.sources {
			pool = append(pool, p.collectWorker(c, base, s))
		}
	}
	return pool
}

func (p *process) workflowWorker(c client.Client, o worker.Options) worker.Worker {
	o.LocalActivityWorkerOnly = true
	worker.SetStickyWorkflowCacheSize(cachedWorkflows)
	w := worker.New(c, collection.QueueWorkflows, o)
	workflows.Register(w)
	return w
}

func (p *process) planWorker(c client.Client, o worker.Options) worker.Worker {
	o.MaxConcurrentActivityExecutionSize = planSlots
	w := worker.New(c, collection.QueuePlan, o)
	planner := &activities.Planner{
		Store: p.store, Directory: p.cfg, CheckRequest: checkRequest, Metrics: p.metrics,
		BatchRecords: p.cfg.Worker.BatchRecords, HeartbeatTimeout: p.cfg.Worker.HeartbeatTimeout, Fleet: p.watch(),
	}
	batches := &activities.Batches{Store: p.store}
	finder := &activities.Finder{Engine: engineResults{p.engine}}
	settler := &activities.Settler{
		Store: p.store, Clock: time.Now, PartRecords: partRecords, PartBytes: partBytes, Engine: engineResults{p.engine},
		Checks: activities.QualityChecks{Source: p.cfg.Source, Metrics: p.metrics},
	}
	register(w, collection.ActivityPlan, planner.Plan)
	register(w, collection.ActivityLoadBatch, batches.LoadBatch)
	register(w, collection.ActivityWriteLedger, batches.WriteLedger)
	register(w, collection.ActivityFindRecord, finder.FindRecord)
	register(w, collection.ActivityFindBatch, finder.FindBatch)
	register(w, collection.ActivitySettle, settler.Settle)
	p.registerShip(w)
	replayer := &activities.Replayer{Store: p.store, Engine: p.watch()}
	register(w, collection.ActivitySelectDead, replayer.SelectDead)
	register(w, collection.ActivityLoadReplay, replayer.LoadReplay)
	register(w, collection.ActivityMergeLedger, replayer.MergeLedger)
	return w
}

func (p *process) collectWorker(c client.Client, o worker.Options, s collection.Source) worker.Worker {
	o.Tuner = collectTuner(p.permits.slots(s.Name))
	w := worker.New(c, collection.QueueCollect(s.Name), o)
	collector := &activities.Collector{
		Store: p.store, Directory: p.cfg, Fetcher: p.fetcher, Permits: p.permits, Robots: p.robots,
		Egresses: p.egresses, Metrics: p.metrics, Memory: p.memory, Clock: time.Now, Random: rand.Float64,
	}
	register(w, collection.ActivityCollect, collector.Collect)
	return w
}

func (p *process) parseWorker(c client.Client, o worker.Options) worker.Worker {
	o.MaxConcurrentActivityExecutionSize = p.cfg.Worker.ParseSlots
	w := worker.New(c, collection.QueueParse, o)
	parser := &activities.Parser{Store: p.store, Rulebook: p.rules, Metrics: p.metrics, Memory: p.memory}
	register(w, collection.ActivityParse, parser.Parse)
	return w
}

func (p *process) deliverWorker(c client.Client, o worker.Options) worker.Worker {
	o.MaxConcurrentActivityExecutionSize = p.cfg.Worker.DeliverSlots
	w := worker.New(c, collection.QueueDeliver, o)
	deliverer := &activities.Deliverer{Store: p.store, Metrics: p.metrics, Clock: time.Now}
	register(w, collection.ActivityDeliver, deliverer.Deliver)
	return w
}

func register(w worker.Worker, name string, method any) {
	w.RegisterActivityWithOptions(method, activity.RegisterOptions{Name: name})
}
