// Package robots reads robots.txt and says whether a URL may be fetched: RFC 9309, and where the RFC is silent, what
// Google's published parser does. Each place where the two differ, and which one is followed, is in docs/robots.md.
//
//	From(status, body), Unreachable()  ──►  Verdict  ── For(agent) ──►  Rules  ── Match(url) ──►  Decision
//
// The package is pure: the answer goes in, the decision comes out. It must not know how a file is fetched, how long ago that
// was, or what a source or a record is. Keeping answers is the business of its sub-package guard.
package robots
