// Package failure knows what can go wrong and what follows from it.
//
// An attempt leaves an Observation, a plain value. Classify turns it into a reason; the reason's Row in one table says who
// is at fault, whether another try can help, how to wait, and how the record ends; Decide applies a source's Policy to
// that row and to what the record has met so far. The table is the only place where a reason gets its meaning:
// docs/reasons.md is rendered from it.
//
// The package knows no HTTP client, no Temporal SDK and no clock: times and random numbers are arguments, so that a stored
// observation can be classified again later, with the same result.
package failure
