//go:build !faultinjection

// Package faults lets a stage fail at one exact record, in drills alone: without the build tag faultinjection, which no
// release has, it does nothing and costs nothing.
//
// It must not know what a stage does.
package faults

// Strike does nothing.
func Strike(string, string) {}
