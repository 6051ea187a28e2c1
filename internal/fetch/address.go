package fetch

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// reserved are the networks that are no part of the public internet, beyond those that netip knows by name.
var reserved = prefixes(
	"0.0.0.0/8",        // this network (RFC 1122); the kernel takes it for loopback
	"100.64.0.0/10",    // carrier-grade NAT (RFC 6598), and some clouds' metadata
	"168.63.129.16/32", // a cloud's host agent behind a public-looking address
	"192.0.0.0/24",     // protocol assignments (RFC 6890)
	"192.0.2.0/24",     // documentation (RFC 5737)
	"192.88.99.0/24",   // 6to4 relays, withdrawn (RFC 7526)
	"198.18.0.0/15",    // benchmarks (RFC 2544)
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"240.0.0.0/4",      // reserved, and broadcast
	"64:ff9b:1::/48",   // NAT64 for local use (RFC 8215): what is behind it is local
	"100::/64",         // discard (RFC 6666)
	"2001::/23",        // protocol assignments (RFC 2928), Teredo among them
	"2001:db8::/32",    // documentation (RFC 3849)
	"3fff::/20",        // documentation (RFC 9637)
	"5f00::/16",        // segment routing (RFC 9602)
	"fec0::/10",        // site-local, withdrawn (RFC 3879)
)

// embedding are the IPv6 networks whose addresses carry an IPv4 address, and at which byte it stands: a packet to them
// may come out at that address.
var embedding = []struct {
	network netip.Prefix
	at      int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64 (RFC 6052)
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // SIIT (RFC 2765)
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible, withdrawn (RFC 4291)
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4 (RFC 3056)
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// isPrivate says whether an address is anything but a unicast address of the public internet.
func isPrivate(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || a.IsUnspecified() || a.IsLoopback() || a.IsPrivate() || a.IsMulticast() || a.IsLinkLocalUnicast() {
		return true
	}
	if slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return true
	}
	for _, e := range embedding {
		if e.network.Contains(a) {
			bytes := a.As16()
			var inner [4]byte
			binary.BigEndian.PutUint32(inner[:], binary.BigEndian.Uint32(bytes[e.at:]))
			return isPrivate(netip.AddrFrom4(inner))
		}
	}
	return false
}
