package collection

import (
	"math"
	"strings"
)

// Owns says whether a host name, without port, is one of the source's, and of no other's that names it more exactly: requests
// to one host must not be divided between two ceilings.
func (s Source) Owns(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	own := exactness(s.Hosts, host)
	return own > 0 && own >= exactness(s.Elsewhere, host)
}

// Spells says whether the configuration writes a host out: as an entry of Hosts that is no wildcard, or in the URL template of
// its requests. What is wrong with such a name is the source's trouble, and not that of a record which has brought it.
func (s Source) Spells(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return exactness(s.Hosts, host) == math.MaxInt || host != "" && host == SpeltHost(s.Request.URL)
}

// SpeltHost is the host that a URL template writes out, without its port; empty where it, or the scheme, is filled in, or there
// is no template.
func SpeltHost(template string) string {
	scheme, rest, found := strings.Cut(template, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if !found || strings.ContainsAny(scheme+rest, "{}") {
		return ""
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if inside, _, bracketed := strings.Cut(strings.TrimPrefix(rest, "["), "]"); bracketed {
		return strings.ToLower(inside)
	}
	host, _, _ := strings.Cut(rest, ":")
	return strings.ToLower(host)
}

// exactness says how exactly some patterns name a host: an exact name beats every wildcard, a longer wildcard a shorter one.
// Zero means not at all.
func exactness(patterns []string, host string) int {
	most := 0
	for _, pattern := range patterns {
		suffix, wild := strings.CutPrefix(pattern, "*")
		switch {
		case !wild && host == pattern:
			return math.MaxInt
		case wild && strings.HasSuffix(host, suffix):
			most = max(most, len(suffix))
		}
	}
	return most
}
