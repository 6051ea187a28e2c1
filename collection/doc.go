// Package collection is weir's vocabulary: what a submission, a record, a source and an outcome are, under which names
// they travel, and where they are stored.
//
// Everything here that has a JSON tag or is a name constant is part of a promise to running workflows: it is written into
// Temporal histories and into objects in S3 that outlive this binary. Fields are added, never renamed or given another
// meaning; golden tests hold the promise.
//
// The package knows no Temporal SDK and does no I/O.
package collection
