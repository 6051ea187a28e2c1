package workers

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/internal/telemetry"
)

// health says whether this process can do its work now.
func (p *process) health(engine client.Client) func(context.Context) []telemetry.HealthCheck {
	return func(ctx context.Context) []telemetry.HealthCheck {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, engineErr := engine.CheckHealth(ctx, &client.CheckHealthRequest{})
		checks := []telemetry.HealthCheck{check("temporal", engineErr), check("store", p.store.Check(ctx))}
		if p.collects {
			checks = append(checks, check("lease", p.leaseErr()))
		}
		return checks
	}
}

// leaseErr says that the process may make no requests now.
func (p *process) leaseErr() error {
	if p.permits.leased() {
		return nil
	}
	return errors.New("this process has no lease, so it makes no requests: does a worker with the role fleet run?")
}

func check(name string, err error) telemetry.HealthCheck {
	if err != nil {
		return telemetry.HealthCheck{Name: name, Detail: err.Error()}
	}
	return telemetry.HealthCheck{Name: name, OK: true}
}
