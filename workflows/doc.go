// Package workflows holds weir's workflow code: Submission, Batch and Record, one private struct each, whose exported
// function is three lines long.
//
//	Submission ── plan ──► one Batch after another per source, sources side by side ──► settle
//	Batch      ── load ──► one Record each, through a window ──► ledger part
//	Record     ── collect ──► parse ──► deliver
//
// Everything here is replayed: a change to the commands that a workflow issues breaks the workflows that are running when
// it is deployed, unless it is versioned or the recorded histories prove it harmless. The package must not know
// configuration, stores, the network or the clock; decisions that may change belong into activities.
package workflows
