package starter

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// commandTimeout bounds an operator's command.
const commandTimeout = 10 * time.Second

// Sources is every source's row in the table that owns the ceilings: what is granted, in flight and waiting, and what
// keeps a source closed. It needs a worker with the role fleet.
func (c *Client) Sources(ctx context.Context) ([]lease.SourceView, error) {
	query, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	value, err := c.engine.QueryWorkflow(query, collection.CeilingsID, "", collection.QueryTable)
	if isNotFound(err) {
		return nil, fmt.Errorf("no worker has asked for permits yet, so there is no table of sources: %w", ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("ask for the sources: does a worker with the role fleet run? (%w)", err)
	}
	var rows []lease.SourceView
	if err := value.Get(&rows); err != nil {
		return nil, fmt.Errorf("read the sources: %w", err)
	}
	return rows, nil
}

// Command gives a command for a source, one of collection's updates of the Ceilings workflow, and returns the source's row
// as it is then. Workers act on it with their next renewal.
func (c *Client) Command(ctx context.Context, update string, in collection.SourceCommand) (lease.SourceView, error) {
	var row lease.SourceView
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	handle, err := c.engine.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: collection.CeilingsID, UpdateName: update, Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(ctx, &row)
	}
	if isNotFound(err) {
		return row, fmt.Errorf("no worker has asked for permits yet, so there is no source to %s: %w", update, ErrNotFound)
	}
	if err != nil {
		return row, fmt.Errorf("%s %s: %w", update, in.Source, err)
	}
	return row, nil
}
