package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/internal/lease"
)

// LeaseInput is one worker's renewal. Config names the configuration that the worker has.
type LeaseInput struct {
	Request lease.Request `json:"request"`
	Config  string        `json:"config"`
	Since   int64         `json:"since_ms"`
	// Release says that the worker ends and gives everything back.
	Release bool `json:"release,omitempty"`
}

// LeaseResult is what the worker may do. With Configure set, the owner wants the worker's configuration.
type LeaseResult struct {
	Answer    lease.Answer `json:"answer"`
	Configure bool         `json:"configure,omitempty"`
	// Config names the configuration in force.
	Config string `json:"config,omitempty"`
}

// ConfigureInput hands a configuration's sources over. The configuration of the process that started last holds, so that
// a rollout ends with the new one whatever the order of renewals; one that no live worker has any more yields to any.
type ConfigureInput struct {
	Config string `json:"config"`
	Since  int64  `json:"since_ms"`
	// Worker is the name by which it renews; absent from processes that do not tell.
	Worker   string               `json:"worker,omitempty"`
	Sources  []lease.SourceConfig `json:"sources"`
	Settings lease.Settings       `json:"settings"`
}

// Ceilings owns every source's ceiling, pace, pause and breaker for the whole fleet: workers renew their permits by the
// update lease, operators give commands by updates, and the table is shown in Temporal Web. It runs for ever, and hands
// its state from run to run.
func Ceilings(ctx workflow.Context, in CeilingsInput) error {
	c := &ceilings{}
	if err := c.setup(ctx, in); err != nil {
		return err
	}
	return c.run(ctx)
}

type ceilings struct {
	state CeilingsState
}

func (c *ceilings) setup(ctx workflow.Context, in CeilingsInput) error {
	state, err := in.HandedOver()
	if err != nil {
		// An error would end the workflow, and lose what operators have said. A task that panics is tried again, until a
		// program takes it that can read the state.
		panic(err)
	}
	if state == nil {
		table, err := lease.New(lease.Settings{})
		if err != nil {
			return err
		}
		state = &CeilingsState{Table: *table, Unsettled: !in.First}
	}
	c.state = *state
	c.begin(workflow.Now(ctx), workflow.GetInfo(ctx))
	if err := c.setHandlers(ctx); err != nil {
		return err
	}
	c.details(ctx)
	return nil
}

// begin tells the table which run it is in. A run that was reset plays another run's past, and may lack what came after.
func (c *ceilings) begin(now time.Time, info *workflow.Info) {
	run := info.WorkflowExecution.RunID
	wasReset := info.OriginalRunID != "" && info.OriginalRunID != run
	c.state.Table.Begin(now, run, info.ContinuedExecutionRunID, wasReset)
}

// run is the only place where the workflow ends. No update is lost: those that have come are handled before, and those
// that come later meet the next run.
func (c *ceilings) run(ctx workflow.Context) error {
	err := workflow.Await(ctx, func() bool {
		return workflow.GetInfo(ctx).GetContinueAsNewSuggested()
	})
	if err != nil {
		return err
	}
	if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }); err != nil {
		return err
	}
	next, err := c.state.handOver()
	if err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Ceilings, next)
}

// renew handles one worker's renewal.
func (c *ceilings) renew(ctx workflow.Context, in LeaseInput) (LeaseResult, error) {
	now := workflow.Now(ctx)
	defer c.details(ctx)
	if in.Release {
		c.state.Table.Release(now, in.Request.Worker)
		return LeaseResult{}, nil
	}
	answer := c.state.Table.Renew(now, in.Request)
	if c.state.Config == "" && !c.state.Table.Settled(now) {
		// There was an owner after all. How long its leases last is known with the sources.
		c.state.Unsettled = true
	}
	c.state.Table.Has(in.Request.Worker, in.Config)
	since := c.state.started(now, in.Request.Worker, in.Since)
	return LeaseResult{
		Answer: answer, Configure: c.state.replacedBy(now, in.Config, since), Config: c.state.Config,
	}, nil
}

// configure takes over a configuration, unless a younger process has brought another one that somebody still has.
func (c *ceilings) configure(ctx workflow.Context, in ConfigureInput) error {
	now := workflow.Now(ctx)
	since := c.state.started(now, in.Worker, in.Since)
	if !c.state.replacedBy(now, in.Config, since) {
		return nil
	}
	if err := c.state.Table.Use(now, in.Settings); err != nil {
		return refused(err)
	}
	if err := c.state.Table.Configure(now, in.Sources); err != nil {
		return refused(err)
	}
	if c.state.Unsettled || !c.state.Table.Settled(now) {
		// How long forgotten leases last, and their requests linger, may be known only now.
		c.state.Table.Quarantine(now)
		c.state.Unsettled = false
	}
	c.state.Config, c.state.Since = in.Config, since
	c.details(ctx)
	return nil
}
