package workers

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/connect"
)

// destinations open customers' buckets for the activities.
type destinations struct{ connect.Destinations }

// OpenDestination opens one.
func (d destinations) OpenDestination(ctx context.Context, to collection.Destination) (activities.Store, error) {
	store, err := d.Open(ctx, to)
	if err != nil {
		return nil, err
	}
	return store, nil
}

// registerShip adds the activity that ships deliveries to the planner's queue.
func (p *process) registerShip(w worker.Worker) {
	shipper := &activities.Shipper{
		Store: p.store, Directory: p.cfg, Destinations: destinations{connect.NewDestinations(p.cfg, p.secrets)},
		Engine: p.watch(), Clock: time.Now,
	}
	register(w, collection.ActivityShip, shipper.Ship)
}
