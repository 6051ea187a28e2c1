// Package site is the source site of `weir demo`: a shop of HTML pages and a stock API of JSON, on loopback, under two host
// names, so that they are two sources. Most of it behaves; some of it is slow, missing, throttled, empty or broken for a
// while, on purpose and in a known way. It counts the requests of every path and the most at once of every host.
//
// Everything in it is invented. The package must not know weir: it is what weir meets.
package site
