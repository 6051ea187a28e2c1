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
