// Package activities holds the stages of the pipeline: plan, collect, parse, deliver, settle, ship, and the batches between
// them; what a replay selects and merges; and the fleet's own sweep and janitor. One small struct per set of dependencies; each exported method is one Temporal activity, whose name is the
// method's.
//
// An activity may run twice, at the same time, on two machines: objects have names that derive from what is stored,
// and writes are either conditional or write the same bytes again. An activity decides whether its failure is worth a
// retry; a fact about the target is a result, never an error, and an error is never turned into a fact.
//
// The package must not know workflows, workers, configuration files, S3 or HTTP: what it needs of them are the interfaces
// that it declares.
package activities
