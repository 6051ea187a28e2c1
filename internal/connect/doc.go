// Package connect opens the two things that weir talks to, Temporal and the bucket, from a configuration: one way to dial
// for the workers, the starter and the command line. What is opened when it is first needed says then what it would have said.
//
// It resolves the configuration's secret references at that moment, and hands the values to nothing but the clients. The
// package must not know what is done with the connections.
package connect
