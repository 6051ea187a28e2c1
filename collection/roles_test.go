package collection

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStageQueues: every role but collect, whose queues are the sources', has one queue; and no queue has two.
func TestStageQueues(t *testing.T) {
	t.Parallel()
	var roles []Role
	polled := map[string]StageQueue{}
	for _, q := range StageQueues() {
		require.NotContains(t, polled, q.Queue)
		polled[q.Queue] = q
		roles = append(roles, q.Role)
	}
	rest := slices.DeleteFunc(Roles(), func(r Role) bool { return r == RoleCollect })
	require.Equal(t, rest, roles)
	for queue, workflows := range map[string]bool{
		QueueWorkflows: true, QueueFleet: true, QueuePlan: false, QueueParse: false, QueueDeliver: false,
	} {
		require.Equal(t, workflows, polled[queue].Workflows, queue)
	}
}

// TestRolesAreTheCallersOwn: who takes one out of the list takes it from nobody else.
func TestRolesAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	Roles()[0] = "changed"
	require.Equal(t, RoleWorkflows, Roles()[0])
	StageQueues()[0].Role = "changed"
	require.Equal(t, RoleWorkflows, StageQueues()[0].Role)
}
