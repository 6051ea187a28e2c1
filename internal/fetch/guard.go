package fetch

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
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
		return &privateAddressError{address: address, written: true}
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

// checkMayHoldCredentials refuses to send a source's credentials where a record leads them: to a host that is none of the
// source's, or over a scheme and a port that the operator has not allowed, where anybody on the way, or whoever listens there,
// would read them. What the source's URL template spells out is the operator's choice.
func checkMayHoldCredentials(src collection.Source, u *url.URL) error {
	if !holdsCredentials(src.Request) || literalHost(src.Request.URL) {
		return nil
	}
	if !src.Owns(u.Hostname()) {
		return inputError("host %q is not one of source %q, so the source's credentials must not be sent to it: add the host to the source, or name another source", u.Hostname(), src.Name)
	}
	if u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") || mayHoldSecrets(src.Request.SecretOrigins, u) {
		return nil
	}
	return inputError("the record's URL leads to %s, and the secrets of source %q go to https on its own port only: correct the URL, or list this origin in the request's secret_origins", origin(u), src.Name)
}

// holdsCredentials says whether a request carries anything that must not reach everybody.
func holdsCredentials(r collection.Request) bool {
	if r.SendsSecrets() {
		return true
	}
	for name := range r.Headers {
		if collection.NamesSecret(name) {
			return true
		}
	}
	return false
}

// mayHoldSecrets says whether one of some origins is that of a URL. The host of an origin may be a wildcard, as a source's.
func mayHoldSecrets(origins []string, u *url.URL) bool {
	return slices.ContainsFunc(origins, func(text string) bool {
		o, err := url.Parse(text)
		return err == nil && o.Scheme == u.Scheme && o.Port() == u.Port() &&
			collection.Source{Hosts: []string{o.Hostname()}}.Owns(u.Hostname())
	})
}

// literalHost says whether a URL template has its host written out.
func literalHost(template string) bool { return collection.SpeltHost(template) != "" }
