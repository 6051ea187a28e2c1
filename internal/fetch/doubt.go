package fetch

import (
	"net/netip"
	"strings"

	"github.com/weir-collect/weir/internal/failure"
)

// doubt says of a name that leads nowhere, or to where nobody may go, how much that tells: resolvers have outages in which
// they say so of every name. An address that stands in the URL itself is what it is.
func (x *exchange) doubt() {
	switch x.observed.Transport {
	case failure.TransportDNSNotFound, failure.TransportPrivateAddress:
		host := x.req.URL.Hostname()
		x.observed.Certain = x.observed.Transport == failure.TransportPrivateAddress && needsNoLookup(host)
		x.observed.OfSource = !x.observed.Certain && x.src.Spells(host)
	}
}

// needsNoLookup says whether no resolver has a say in where a host is: an address, or a name of this machine (RFC 6761).
func needsNoLookup(host string) bool {
	host = strings.TrimSuffix(host, ".")
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
