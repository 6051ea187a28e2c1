package workers

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/telemetry"
	"github.com/weir-collect/weir/workflows"
)

const (
	// fleetSlots bounds the checks and tidyings of one process at a time: a sweep makes one after another.
	fleetSlots = 4
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
	shipper := &activities.Shipper{
		Store: p.store, Directory: p.cfg, Destinations: destinations{connect.NewDestinations(p.cfg, p.secrets)},
		Engine: p.watch(), Clock: time.Now,
	}
	register(w, collection.ActivityShip, shipper.Ship)
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
		Egresses: p.egresses, Metrics: p.metrics, Memory: p.memory, Secrets: p.sent, Clock: time.Now, Random: rand.Float64,
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

// fleetActivities are what looks at the fleet from outside.
func (p *process) fleetActivities(w worker.Worker) {
	at := p.watch()
	sweeper := &activities.Sweeper{Watch: at, Store: p.store, Clock: time.Now}
	janitor := &activities.Janitor{Store: p.store, Submissions: at, Ages: p.cfg.Retention.Ages(), Clock: time.Now}
	register(w, collection.ActivitySweepCheck, sweeper.SweepCheck)
	register(w, collection.ActivityTidy, janitor.Tidy)
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

func register(w worker.Worker, name string, method any) {
	w.RegisterActivityWithOptions(method, activity.RegisterOptions{Name: name})
}
