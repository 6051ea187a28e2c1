// Package workers wires the activities and workflows to Temporal, S3 and the web, and runs them in one process.
//
// A process polls a queue for the workflows, one for those of the fleet, one for planning and settling, one for parsing, one
// for delivering, and one collect queue for every source: all of them, or those of its roles. Each collect queue has a slot supplier of its own, which lets as many tasks start as
// the source has permits here, and a few more, so that the next is in hand when a request ends; the permit itself
// surrounds the request (see Permits).
//
// What an attempt met is counted here for the fleet, by source and by egress; what it means for the record, the activities
// decide.
package workers
