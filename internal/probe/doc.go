// Package probe finds how many requests in flight a source can take: the knee, beyond which more of them bring slower
// answers, failures or a refusal instead of more records. It turns requests into steps, says after every step
// whether to go on, and recommends a ceiling.
//
// It is pure. It must not know how requests are made, where permits come from, or what time it is.
package probe
