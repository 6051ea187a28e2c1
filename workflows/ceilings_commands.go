package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// commands are the operators' updates. Each is live, and audited in the workflow's history.
var commands = []struct {
	name string
	do   do
}{
	{collection.UpdatePause, func(t *lease.Table, now time.Time, in collection.SourceCommand) error {
		return t.Pause(now, in.Source, note(in))
	}},
	{collection.UpdateResume, func(t *lease.Table, now time.Time, in collection.SourceCommand) error {
		return t.Resume(now, in.Source, note(in))
	}},
	{collection.UpdateSetCeiling, setCeiling},
	{collection.UpdateSetPace, setPace},
	{collection.UpdateHoldBreaker, func(t *lease.Table, now time.Time, in collection.SourceCommand) error {
		return t.HoldBreaker(now, in.Source, note(in))
	}},
	{collection.UpdateReleaseBreaker, func(t *lease.Table, now time.Time, in collection.SourceCommand) error {
		return t.ReleaseBreaker(now, in.Source, note(in))
	}},
	{collection.UpdateUseMethod, func(t *lease.Table, now time.Time, in collection.SourceCommand) error {
		return t.UseMethod(now, in.Source, in.Method, note(in))
	}},
}

// do carries out a command on a table.
type do func(t *lease.Table, now time.Time, in collection.SourceCommand) error

func setCeiling(t *lease.Table, now time.Time, in collection.SourceCommand) error {
	if in.Ceiling != nil {
		return t.SetCeiling(now, in.Source, *in.Ceiling, in.Until, note(in))
	}
	if !in.Until.IsZero() {
		return fmt.Errorf("set-ceiling %s: until without a ceiling: give both, or neither to go back to the configured ceiling", in.Source)
	}
	return t.ResetCeiling(now, in.Source, note(in))
}

func setPace(t *lease.Table, now time.Time, in collection.SourceCommand) error {
	switch fastest := lease.FastestRate.PerSecond(); {
	case in.Pace == nil && !in.Until.IsZero():
		return fmt.Errorf("set-pace %s: until without a pace: give both, or neither to go back to the configured pace", in.Source)
	case in.Pace == nil:
		return t.ResetPace(now, in.Source, note(in))
	case *in.Pace == 0:
		return t.SetPace(now, in.Source, lease.Unlimited, in.Until, note(in))
	case *in.Pace < 0 || *in.Pace > fastest:
		return fmt.Errorf("set-pace %s: pace %v: give between 0 (no pace) and %.0f requests per second", in.Source, *in.Pace, fastest)
	}
	return t.SetPace(now, in.Source, lease.PerSecond(*in.Pace), in.Until, note(in))
}

func note(in collection.SourceCommand) lease.Note { return lease.Note{By: in.By, Reason: in.Reason} }

func (c *ceilings) setHandlers(ctx workflow.Context) error {
	problems := []error{
		workflow.SetQueryHandler(ctx, collection.QueryTable, func() ([]lease.SourceView, error) {
			return c.rows(), nil
		}),
		workflow.SetQueryHandler(ctx, collection.QueryEgresses, func() ([]lease.EgressView, error) {
			return c.egresses(), nil
		}),
		workflow.SetUpdateHandlerWithOptions(ctx, collection.UpdateLease, c.renew,
			workflow.UpdateHandlerOptions{Validator: checkLease}),
		workflow.SetUpdateHandlerWithOptions(ctx, collection.UpdateConfigure, c.configure,
			workflow.UpdateHandlerOptions{Validator: checkConfigure}),
	}
	for _, command := range commands {
		problems = append(problems, workflow.SetUpdateHandlerWithOptions(ctx, command.name,
			func(ctx workflow.Context, in collection.SourceCommand) (lease.SourceView, error) {
				return c.command(ctx, in, command.do)
			},
			workflow.UpdateHandlerOptions{Validator: func(ctx workflow.Context, in collection.SourceCommand) error {
				return c.checkCommand(workflow.Now(ctx), in, command.do)
			}}))
	}
	return errors.Join(problems...)
}

// command carries out an operator's command and returns the source's row as it is then.
func (c *ceilings) command(ctx workflow.Context, in collection.SourceCommand, do do) (lease.SourceView, error) {
	if err := do(&c.state.Table, workflow.Now(ctx), in); err != nil {
		return lease.SourceView{}, refused(err)
	}
	c.details(ctx)
	for _, row := range c.rows() {
		if row.Source == in.Source {
			return row, nil
		}
	}
	return lease.SourceView{}, nil
}
