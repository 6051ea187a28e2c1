// Package cli is weir's command line: it turns arguments into calls of starter, workers, stack and demo, and answers into
// text or JSON, and errors into exit codes.
//
// Everything that it may know of the process around it is in a World, so that a test can stand in for a terminal. Answers
// go to stdout, and nothing else does; what is said to a person meanwhile goes to stderr. The package must not know
// workflow code; of activities it knows what a probe lends a worker's parts to.
package cli
