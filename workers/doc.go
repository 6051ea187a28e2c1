// Package workers runs weir: it wires the activities and the workflows to Temporal, S3 and the web, in one process.
//
// A process polls one queue for each of its roles: for workflows, for planning and settling, for parsing, for delivering, for
// the fleet; and with the role collect one queue for every source that it collects from. Each collect queue has a slot supplier
// of its own, which lets as many tasks start as the source has permits here, and a few more, so that the next is in hand when a
// request ends; the permit itself surrounds the request (see Permits).
//
// What an attempt met is counted here for the fleet, by source and by egress, and told with the next renewal of the lease.
//
// The package must not know what an attempt means for its record, which the activities decide; nor how many permits a source
// has, which its owner decides, the workflow Ceilings; nor how work is handed in, which is the starter's.
//
// Two of its parts serve the command line, outside of a worker: NewTryout, and LeaseSource.
package workers
