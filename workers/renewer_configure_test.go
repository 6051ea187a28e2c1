package workers

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// namingOwner is an owner that notes who hands a configuration over.
type namingOwner struct {
	*owner
	names []string
}

func (o *namingOwner) UpdateWorkflow(ctx context.Context, in client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	if in, ok := in.Args[0].(workflows.ConfigureInput); ok {
		o.names = append(o.names, in.Worker)
	}
	return o.owner.UpdateWorkflow(ctx, in)
}

// TestAConfigurationComesWithTheRenewingName, so that the owner knows since when it has heard of the process.
func TestAConfigurationComesWithTheRenewingName(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sources := []lease.SourceConfig{{Source: "books", Ceiling: 3}}
		o := &namingOwner{owner: &owner{table: aTable(t, sources...), exists: true, existed: true}}
		r := leaseFrom(t, o.table, "w", 1, sources)
		l, err := newRenewer(o, nil, r.Permits, sources, settings, "w")
		require.NoError(t, err)
		require.NoError(t, l.renew(t.Context()))
		require.Equal(t, []string{"w"}, o.names)
	})
}
