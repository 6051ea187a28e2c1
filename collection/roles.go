package collection

// Role is a part of the work that a process takes.
type Role string

// The roles. A process that is given none takes all.
const (
	RoleWorkflows Role = "workflows"
	RolePlan      Role = "plan"
	RoleCollect   Role = "collect"
	RoleParse     Role = "parse"
	RoleDeliver   Role = "deliver"
	// RoleFleet owns the ceilings; at least one process of a fleet must take it.
	RoleFleet Role = "fleet"
)

// Roles lists every role, in the order in which work meets them.
func Roles() []Role {
	return []Role{RoleWorkflows, RolePlan, RoleCollect, RoleParse, RoleDeliver, RoleFleet}
}

// StageQueue is a queue, and the role of those who poll it.
type StageQueue struct {
	Queue string
	Role  Role
	// Workflows says that it is polled for workflow tasks; else for activities.
	Workflows bool
}

// StageQueues are the queues that must be polled whatever the sources are. A source's queue is for the role collect; see
// QueueCollect.
func StageQueues() []StageQueue {
	return []StageQueue{
		{Queue: QueueWorkflows, Role: RoleWorkflows, Workflows: true},
		{Queue: QueuePlan, Role: RolePlan},
		{Queue: QueueParse, Role: RoleParse},
		{Queue: QueueDeliver, Role: RoleDeliver},
		{Queue: QueueFleet, Role: RoleFleet, Workflows: true},
	}
}
