package fetch

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
)

// checkLiteral refuses a private address that stands in the URL itself, before anything is dialled. The host has been
// normalised, so 0x7f.1 is 127.0.0.1 by now.
func checkLiteral(src collection.Source, u *url.URL) error {
	if src.AllowPrivateAddresses {
		return nil
	}
	address, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil // a name; the dialer checks where it leads
	}
	if isPrivate(address) {
		return &privateAddressError{address: address}
	}
	return nil
}

// nameTimeout bounds the lookup of a name that a proxy is going to look up for itself.
const nameTimeout = 2 * time.Second

// checkName refuses a name that leads to a private address as far as this machine can tell. The proxy resolves the name for
// itself and may come to another answer, which nobody here can see; and a name that cannot be looked up here is no fault,
// since the proxy may well know it.
func (d dialer) checkName(ctx context.Context, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || d.private {
		return err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil // a literal address has been checked
	}
	resolver := d.resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	ctx, cancel := context.WithTimeout(ctx, nameTimeout)
	defer cancel()
	found, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, a := range found {
		if isPrivate(a) {
			return &privateAddressError{address: a}
		}
	}
	return nil
}

// checkMayHoldCredentials refuses to send a source's credentials to a host that a record has chosen: only the source's own
// hosts get them, and the host that its URL template spells out.
func checkMayHoldCredentials(src collection.Source, u *url.URL) error {
	if src.Owns(u.Hostname()) || literalHost(src.Request.URL) {
		return nil
	}
	return inputError("host %q is not one of source %q, so the source's credentials must not be sent to it: add the host to the source, or name another source", u.Hostname(), src.Name)
}

// literalHost says whether a URL template has its host written out.
func literalHost(template string) bool {
	_, rest, found := strings.Cut(template, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return found && !strings.ContainsAny(template[:len(template)-len(rest)+end], "{}")
}
