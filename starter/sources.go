package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/lease"
)

// commandTimeout bounds an operator's command.
const commandTimeout = 10 * time.Second

// SourceView is a source's row in the table that owns the ceilings.
type SourceView = lease.SourceView

// EgressView is how an egress fares over the whole fleet.
type EgressView = lease.EgressView

// Sources is every source's row in the table that owns the ceilings: what is granted, in flight and waiting, and what
// keeps a source closed. It needs a worker with the role fleet.
func (c *Client) Sources(ctx context.Context) ([]SourceView, error) {
	var rows []SourceView
	return rows, c.askOwner(ctx, collection.QueryTable, "the sources", &rows)
}

// Egresses is every egress that workers have reported within the last day: how it fares, and whether it is in use. It needs a
// worker with the role fleet.
func (c *Client) Egresses(ctx context.Context) ([]EgressView, error) {
	var egresses []EgressView
	return egresses, c.askOwner(ctx, collection.QueryEgresses, "the egresses", &egresses)
}

// askOwner asks the owner of the ceilings a question; what names the answer for errors.
func (c *Client) askOwner(ctx context.Context, question, what string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if err := c.contact.Make(ctx); err != nil {
		return err
	}
	value, err := c.engine.QueryWorkflow(ctx, collection.CeilingsID, "", question)
	var unanswered *serviceerror.QueryFailed
	switch {
	case engine.IsUnknown(err):
		return fmt.Errorf("no worker has asked for permits yet, so there is no table of sources: %w", ErrNotFound)
	case errors.As(err, &unanswered):
		return fmt.Errorf("ask for %s: the workers with the role fleet must be as new as this program (%w)", what, err)
	case err != nil:
		return fmt.Errorf("ask for %s: does a worker with the role fleet run? (%w)", what, err)
	}
	if err := value.Get(into); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// Command gives a command for a source, one of collection's updates of the Ceilings workflow, such as collection.UpdatePause
// or, with SourceCommand.Method, collection.UpdateUseMethod, and returns the source's row as it is then. Workers act on it with
// their next renewal.
func (c *Client) Command(ctx context.Context, update string, in collection.SourceCommand) (SourceView, error) {
	var row SourceView
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	if err := c.contact.Make(ctx); err != nil {
		return row, err
	}
	handle, err := c.engine.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: collection.CeilingsID, UpdateName: update, Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(ctx, &row)
	}
	if engine.IsUnknown(err) {
		return row, fmt.Errorf("no worker has asked for permits yet, so there is no source to %s: %w", update, ErrNotFound)
	}
	if err != nil {
		return row, fmt.Errorf("%s %s: %w", update, in.Source, err)
	}
	return row, nil
}
