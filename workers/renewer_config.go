package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// newRenewer has no lease yet. It names the configuration by its content, so that processes with the same one call it the same.
func newRenewer(engine client.Client, logger *slog.Logger, permits *Permits, sources []lease.SourceConfig, settings lease.Settings, worker string) (*renewer, error) {
	text, err := json.Marshal(struct {
		Sources  []lease.SourceConfig
		Settings lease.Settings
	}{sources, settings})
	if err != nil {
		return nil, fmt.Errorf("name the configuration: %w", err)
	}
	return &renewer{
		engine: engine, logger: logger, permits: permits, sources: sources, settings: settings, worker: worker,
		config: collection.Digest(text)[:16], since: time.Now().UnixMilli(),
	}, nil
}

// configure hands over this process's configuration. A refusal is no failed renewal: what is leased goes on, and the owner
// asks again with the next renewal.
func (r *renewer) configure(ctx context.Context) {
	err := r.update(ctx, collection.UpdateConfigure, workflows.ConfigureInput{
		Config: r.config, Since: r.since, Worker: r.worker, Sources: r.sources, Settings: r.settings,
	}, nil)
	if err != nil {
		r.logger.Error("the owner of the ceilings has not taken over this process's configuration", "error", err)
		return
	}
	r.permits.renewEarly()
}

// compare logs, once, that the fleet works by another configuration than this process has. What this process's says of ceilings,
// paces and hours is not in force then, and nothing else would show it. handsOver says that the owner has asked for this
// process's configuration.
func (r *renewer) compare(inForce string, handsOver bool) {
	if r.since == 0 || inForce == "" || handsOver {
		return // this process has no say, the owner does not tell, or this configuration is about to be in force
	}
	other := inForce != r.config
	switch {
	case other && !r.outvoted:
		r.logger.Warn("another configuration is in force for the whole fleet, from a process that started later: start this process anew if its configuration is the right one, else give it the other",
			"own", r.config, "in_force", inForce)
	case !other && r.outvoted:
		r.logger.Info("this process's configuration is in force for the whole fleet")
	}
	r.outvoted = other
}
