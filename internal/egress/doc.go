// Package egress chooses the egress of a request among those that its source may use.
//
// It is pure: what is known of the egresses, and whose turn it is, come in as arguments. It knows nothing of proxies, of
// connections, of leases' time, or of why an egress is retired; and it never adds one that the source does not list.
package egress
