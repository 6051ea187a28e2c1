// Package percentile is the percentile by nearest rank: the smallest of some values that a share of them does not exceed. It
// is always one of the values, never a figure between two.
//
// The package is pure. It must not know what is counted, or in which unit.
package percentile

import "math"

// Rank is how many of n values make up a share of them, which is a part of one: at least one, even of none, and n for all.
// More than all is more than there are: Rank is then n+1, and so it is for a share that is no number.
func Rank(n int, share float64) int {
	if share > 1 || math.IsNaN(share) {
		return n + 1
	}
	// 0.07 of 100 is 7, not the 8 that the last bits of a product would make of it.
	const lastBits = 1e-14
	return max(int(math.Ceil(share*float64(n)*(1-lastBits))), 1)
}

// Of is the value that the share of n values does not exceed. sorted are the least of the n, ascending; the others are larger
// than any of these, as waits are that have not ended. It is not ok where the share reaches among the others, or over
// all, and for no values; the value is then zero.
func Of[T any](sorted []T, n int, share float64) (value T, ok bool) {
	if rank := Rank(n, share); rank <= min(n, len(sorted)) {
		return sorted[rank-1], true
	}
	return value, false
}
