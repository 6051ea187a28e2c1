// Package promise says from what is on record whether a promise was kept: that a share of records starts within some time
// of its submission's acceptance.
//
// A record starts with its first request. The clock is the contract's: it begins when the submission was accepted, not when
// a worker was free. Records that never started count as late, since a figure over those that did would be the better the
// more were given up on; what cannot be decided is left out and counted apart. Percentiles are by nearest rank.
//
// The package is pure. It must not know where ledgers are kept, the clock, the command line, or how busy a fleet was:
// utilisation says nothing about a promise and belongs to package sizing.
package promise
