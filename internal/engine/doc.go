// Package engine is Temporal's API in weir's words, for those who ask it something: what it has never heard of, the runs that a
// search finds, the last result of a workflow that runs again and again, who polls a queue, how a schedule stands, and who has
// asked a run to stop; and for those who want a run to stop. Each function takes as much of a client as it calls.
//
// It must not know workflows, activities or the store: names of workflow types, queues and schedules come from the caller.
package engine
