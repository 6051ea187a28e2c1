// Package retention decides which objects are kept no longer: the one rule that the janitor, the dry run and the lifecycle
// rules of a store go by.
//
// It is pure: the age of an object and what is open are arguments. It must not know how objects are listed or deleted, nor
// how somebody finds out that a submission is open.
package retention
