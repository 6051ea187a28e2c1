// Package doctor looks at everything that weir needs, from outside, and says how to mend what is not as it should be. What
// cannot be seen from outside it says so, with the name of the setting.
//
// It reaches Temporal and the bucket through what it is given. It must not know commands or how findings are shown.
package doctor
