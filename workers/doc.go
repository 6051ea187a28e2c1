// Package workers wires the activities and workflows to Temporal, S3 and the web, and runs them in one process.
//
// A process polls a queue for the workflows, one for planning and settling, one for parsing, one for delivering, and one
// collect queue for every source. Each collect queue has a slot supplier of its own, which lets as many tasks start as
// the source has permits here, and a few more, so that the next is in hand when a request ends; the permit itself
// surrounds the request (see Permits).
//
// Nothing here decides what an attempt's failure means or how a record ends.
package workers
