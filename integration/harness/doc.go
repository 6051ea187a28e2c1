// Package harness runs weir for end-to-end tests, drills and benchmarks as it runs in earnest: the embedded stack, real
// worker processes that can be killed and frozen, real sites on loopback, and a client.
//
// A worker process is the test binary itself, started again with a variable that says so; a program that uses the package
// must call Child first in its main or TestMain.
package harness
