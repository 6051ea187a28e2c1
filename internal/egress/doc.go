// Package egress chooses the way out of a request among those that its source may use.
//
// It is pure: what is known of the ways out, and whose turn it is, come in as arguments. It knows nothing of proxies, of
// connections, of leases' time, or of why a way out is retired; and it never adds one that the source does not list.
package egress
