package collection

// Workflow types, as Temporal and `temporal workflow start --type` know them.
const (
	WorkflowSubmission = "Submission"
	WorkflowBatch      = "Batch"
	WorkflowRecord     = "Record"
	WorkflowRedeliver  = "Redeliver"
)

// Activity types. Each is also the name of the method that implements it.
const (
	ActivityPlan        = "Plan"
	ActivityLoadBatch   = "LoadBatch"
	ActivityWriteLedger = "WriteLedger"
	ActivityFindBatch   = "FindBatch"
	ActivityFindRecord  = "FindRecord"
	ActivitySettle      = "Settle"
	ActivityShip        = "Ship"
	ActivityCollect     = "Collect"
	ActivityParse       = "Parse"
	ActivityDeliver     = "Deliver"
)

// Task queues. Each stage reads one queue, so that a slow stage fills its own queue and nothing else.
const (
	QueueWorkflows = "weir"
	QueuePlan      = "weir-plan"
	QueueParse     = "parse"
	QueueDeliver   = "deliver"

	queueCollectPrefix = "collect."
)

// QueueCollect is the activity queue of one source: the only queue on which requests against it are started.
func QueueCollect(source string) string { return queueCollectPrefix + source }

// Queries and signals.
const (
	// QueryStatus is answered by every workflow of weir but Ceilings.
	QueryStatus = "status"
	// SignalBatchProgress carries a batch's counts to its submission; its argument is a BatchProgress.
	SignalBatchProgress = "batch-progress"
)

// Search attributes, all of type Keyword.
const (
	AttributeCustomer = "WeirCustomer"
	AttributeSource   = "WeirSource"
	// AttributeReason is set once, when a record or a whole submission fails, so that
	// `WorkflowType="Record" AND ExecutionStatus="Failed" AND WeirReason="parse_empty"` lists dead letters.
	AttributeReason = "WeirReason"
)
