package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/telemetry"
)

// Options say what a worker process runs.
type Options struct {
	Config config.Config
	// Roles the process takes; none means all.
	Roles []collection.Role
	// Sources that the process collects from; none means all.
	Sources []string
	Logger  *slog.Logger
	Secrets connect.Secrets
	// Ready is called once every queue is polled. Optional.
	Ready func()
}

// Run works until ctx ends, then lets running work finish within the configured grace and hands back the rest. It
// returns an error when it cannot start, or when a worker dies.
func Run(ctx context.Context, o Options) error {
	if len(o.Roles) == 0 {
		o.Roles = collection.Roles()
	}
	if err := CheckNeeds(o.Config, o.Roles); err != nil {
		return err
	}
	sources, err := chosenSources(o.Config, o.Sources)
	if err != nil {
		return err
	}
	metrics, err := telemetry.NewMetrics()
	if err != nil {
		return err
	}
	o.Secrets.Logger = o.Logger
	logger := telemetry.TemporalLogger(o.Logger)
	engine, err := connect.Temporal(ctx, o.Config, o.Secrets, connect.TemporalOptions{
		Logger: logger, Metrics: metrics.TemporalHandler(), Identity: identity(),
	})
	if err != nil {
		return err
	}
	defer engine.Close()
	store, err := connect.Store(ctx, o.Config, o.Secrets)
	if err != nil {
		return err
	}
	p, err := assemble(o, sources, metrics, store, engine)
	if err != nil {
		return err
	}
	warnOfSecrets(o.Config, o.Roles, o.Secrets.In(o.Config).Value, o.Logger)
	defer p.fetcher.Close()
	metrics.ObserveSources(p.permits.Loads)
	return p.serve(ctx, o, engine)
}

// identity names the process in histories and to the owner of the ceilings.
func identity() string { return engine.Identity() }

func chosenSources(cfg config.Config, names []string) ([]collection.Source, error) {
	if len(names) == 0 {
		return cfg.Sources, nil
	}
	var chosen []collection.Source
	for _, name := range names {
		s, ok := cfg.Source(name)
		if !ok {
			return nil, fmt.Errorf("source %q is not in the configuration", name)
		}
		if !slices.ContainsFunc(chosen, func(c collection.Source) bool { return c.Name == name }) {
			chosen = append(chosen, s)
		}
	}
	return chosen, nil
}

// serve runs the workers and the metrics side by side until ctx ends or one of them fails.
func (p *process) serve(ctx context.Context, o Options, engine client.Client) error {
	group, ctx := errgroup.WithContext(ctx)
	if address := o.Config.Worker.MetricsAddress; address != "" {
		server, err := telemetry.Listen(address, p.metrics.Handler(), p.health(engine))
		if err != nil {
			return err
		}
		group.Go(func() error { return server.Serve(ctx) })
	}
	fatal := make(chan error, 1)
	onFatal := func(err error) {
		select {
		case fatal <- err:
		default:
		}
	}
	fleet, pool := p.fleetWorkers(o, engine, onFatal), p.workers(o, engine, onFatal)
	if err := startAll(slices.Concat(fleet, pool)); err != nil {
		return err
	}
	stopLeases := p.keepLeases(ctx)
	o.Logger.Info("working", "roles", rolesText(o.Roles, ","), "sources", len(p.sources), "temporal", o.Config.Temporal.Address)
	group.Go(func() error {
		p.keepLookout(ctx, o.Roles, o.Logger)
		return nil
	})
	if o.Ready != nil {
		o.Ready()
	}
	group.Go(func() error {
		defer stopAll(fleet)
		defer stopLeases()
		defer stopAll(pool)
		select {
		case <-ctx.Done():
			o.Logger.Info("stopping: running work may finish", "grace", o.Config.Worker.ShutdownGrace.String())
			return nil
		case err := <-fatal:
			return fmt.Errorf("a worker died: %w", err)
		}
	})
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// keepLeases renews this process's permits until stop is called, which gives them back. A process that collects nothing
// needs none.
func (p *process) keepLeases(ctx context.Context) (stop func()) {
	if !p.collects {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.renewer.run(ctx)
	}()
	return func() {
		cancel()
		<-done
		p.renewer.release()
	}
}

func startAll(pool []worker.Worker) error {
	for i, w := range pool {
		if err := w.Start(); err != nil {
			stopAll(pool[:i])
			return fmt.Errorf("start a worker: %w", err)
		}
	}
	return nil
}

// stopAll stops the workers at the same time: each may take the whole grace.
func stopAll(pool []worker.Worker) {
	var all sync.WaitGroup
	for _, w := range pool {
		all.Add(1)
		go func() {
			defer all.Done()
			w.Stop()
		}()
	}
	all.Wait()
}
