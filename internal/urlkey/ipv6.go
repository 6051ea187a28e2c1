package urlkey

import (
	"net/netip"
	"strconv"
	"strings"
)

// normaliseIPv6 parses a bracketed address and writes it as the IPv6
// serialiser of the WHATWG URL standard does (RFC 5952, but without dotted
// decimals). A zone has no meaning outside this machine and is refused.
func normaliseIPv6(host string) (string, error) {
	text := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	addr, err := netip.ParseAddr(text)
	if err != nil || !addr.Is6() || addr.Zone() != "" {
		return "", refuse(BadHost, "the host %q is not an IPv6 address", excerpt(host))
	}
	bytes := addr.As16()
	var pieces [8]uint16
	for i := range pieces {
		pieces[i] = uint16(bytes[2*i])<<8 | uint16(bytes[2*i+1])
	}
	from, to := longestZeros(pieces)
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; i < len(pieces); i++ {
		if i == from {
			b.WriteString("::")
			i = to - 1
			continue
		}
		if i > 0 && i != to {
			b.WriteByte(':')
		}
		b.WriteString(strconv.FormatUint(uint64(pieces[i]), 16))
	}
	b.WriteByte(']')
	return b.String(), nil
}

// longestZeros finds the first longest run of at least two zero pieces, as
// [from, to), or -1, -1.
func longestZeros(pieces [8]uint16) (from, to int) {
	from, to = -1, -1
	for i := 0; i < len(pieces); i++ {
		j := i
		for j < len(pieces) && pieces[j] == 0 {
			j++
		}
		if j-i >= 2 && j-i > to-from {
			from, to = i, j
		}
		i = j
	}
	return from, to
}
