package cli

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/probe/drive"
	"github.com/weir-collect/weir/internal/telemetry"
	"github.com/weir-collect/weir/starter"
	"github.com/weir-collect/weir/workers"
)

// probeTools are what a probe needs from outside of the process.
type probeTools struct {
	rows func(ctx context.Context) ([]lease.SourceView, error)
	// begin leases permits of a source, at most so many.
	begin func(src collection.Source, most int) (probeSession, error)
	close func()
}

// probeSession holds permits of the fleet for one source, and asks it for records: a *prober.
type probeSession interface {
	drive.Permits
	Grant() lease.Grant
	// Allow says whether a target may be asked for: a *collection.Refused says no.
	Allow(ctx context.Context, rec collection.Record) error
	Fetch(ctx context.Context, permit *activities.Permit, rec collection.Record) drive.Answer
	// Return gives the permits back.
	Return()
}

type openProbeTools func(ctx context.Context, cfg config.Config, secrets connect.Secrets) (probeTools, error)

// openProbe connects to the engine; a probe needs no bucket.
func openProbe(ctx context.Context, cfg config.Config, secrets connect.Secrets) (probeTools, error) {
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	engine, err := connect.Temporal(ctx, cfg, secrets, connect.TemporalOptions{Logger: telemetry.TemporalLogger(silent)})
	if err != nil {
		return probeTools{}, err
	}
	_, namespace, err := connect.TemporalAddress(cfg, secrets)
	if err != nil {
		engine.Close()
		return probeTools{}, err
	}
	fetcher := fetch.New(fetch.Options{
		UserAgent: cfg.UserAgent, Secret: connect.NewCachedSecrets(secrets.In(cfg), time.Now, silent).Value,
	})
	return probeTools{
		rows: starter.New(engine, nil, namespace, cfg.Sources).Sources,
		begin: func(src collection.Source, most int) (probeSession, error) {
			leased, err := workers.LeaseSource(engine, cfg, src.Name, most, silent)
			if err != nil {
				return nil, err
			}
			p, err := newProber(src, cfg.UserAgent, leased, fetcher)
			if err != nil {
				leased.Return()
				return nil, err
			}
			return p, nil
		},
		close: func() {
			fetcher.Close()
			engine.Close()
		},
	}, nil
}

// wallClock is the real one.
type wallClock struct{}

// Now is the time.
func (wallClock) Now() time.Time { return time.Now() }

// After tells when some time has passed.
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }
