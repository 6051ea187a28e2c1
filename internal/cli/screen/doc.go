// Package screen writes for people: tables, lists of facts, progress that refreshes in place, and numbers, sizes and
// durations as one says them. It also knows how outcomes and states of a submission look.
//
// What it shows may come from strangers: control characters are made visible, so that a record's key cannot steer the
// terminal. The package must not know commands, configuration or connections; time is an argument.
package screen
