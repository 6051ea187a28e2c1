// Package quality says whether what was collected looks as it should: it holds the counts of a settled submission against
// a source's rules and its recent submissions.
//
// Chance alone raises no alarm. A share is in breach only if so many would be found in fewer than one of a hundred submissions
// whose true share is the allowed one: the test is the exact binomial one, so that this holds for small numbers too. What
// is too few to judge at all is said to be so.
//
// The package is pure. It must not know where counts come from and where results go, nor the configuration file.
package quality
