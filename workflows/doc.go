// Package workflows holds weir's workflow code, one private struct per workflow, whose exported function is a few lines long.
//
//	Submission ── plan ──► one Batch after another per source, sources side by side ──► settle ──► ship
//	Batch      ── load ──► one Record each, through a window ──► ledger part
//	Record     ── collect ──► parse ──► deliver
//	Replay     ── select dead letters ──► Batches of them ──► settle ──► ship
//	Redeliver  ── ship, after settling again where something is lost
//
// Of the fleet there are Ceilings, which owns the permits of all sources, and Sweep and Janitor, which schedules start.
//
// Everything here is replayed: a change to the commands that a workflow issues breaks the workflows that are running when
// it is deployed, unless it is versioned or the recorded histories prove it harmless. The package must not know
// configuration, stores, the network or the clock; decisions that may change belong into activities.
package workflows
