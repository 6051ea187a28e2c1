package workers

import (
	"context"
	"log/slog"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/tryout"
)

// NewTryout prepares to make single requests as a worker would, robots.txt included, but without a lease: nobody counts
// them. All go out by one way. closeSteps closes its connections.
func NewTryout(cfg config.Config, secrets connect.Secrets, egress string) (steps tryout.Steps, closeSteps func(), err error) {
	client := fetch.New(fetch.Options{
		UserAgent: cfg.UserAgent, Egresses: cfg.Egresses,
		Secret: connect.NewCachedSecrets(secrets.In(cfg), time.Now, slog.New(slog.DiscardHandler)).Value,
	})
	rules, err := NewSiteRules(cfg.Sources, RobotsNeeds{
		Fetcher: client, Permits: uncounted{}, Egresses: OneEgress(egress), Agent: cfg.UserAgent,
		Now: time.Now, Learn: func(string, string, time.Duration) {},
	})
	if err != nil {
		return tryout.Steps{}, nil, err
	}
	return tryout.Steps{Target: client.Target, Robots: rules.Check, Fetch: client.Fetch}, client.Close, nil
}

// uncounted are the permits of who needs none.
type uncounted struct{}

func (uncounted) Method(string) string { return "" }

func (uncounted) Acquire(context.Context, string) (*activities.Permit, error) {
	return &activities.Permit{
		Context: context.Background(), Release: func() {}, Again: func(context.Context) error { return nil },
	}, nil
}

func (uncounted) Report(string, collection.Reason, time.Duration) {}

// OneEgress is the egress that every request goes out by, whatever becomes of it.
type OneEgress string

// Choose implements activities.Egresses.
func (o OneEgress) Choose(collection.Source, collection.Record, string) (string, error) {
	return string(o), nil
}

// Report implements activities.Egresses.
func (OneEgress) Report(string, collection.Reason) {}
