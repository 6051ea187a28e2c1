// Package guard asks robots.txt before every request: it keeps what each origin's file says, and has it fetched again when
// that has become old.
//
// However many records wait for one origin, its file is fetched once at a time, and only as long as somebody waits for it.
// The fetch itself, with its permit, is a function that the guard is given; the clock is another. The package must not know
// how a request is made, what a source is, or how a refusal is retried.
package guard
