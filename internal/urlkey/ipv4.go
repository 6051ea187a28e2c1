package urlkey

import (
	"net/netip"
	"strconv"
	"strings"
)

// endsInNumber is the "ends in a number checker" of the WHATWG URL standard:
// such a host is an IPv4 address or nothing, never a name.
func endsInNumber(name string) bool {
	parts := ipv4Parts(name)
	last := parts[len(parts)-1]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := ipv4Number(last)
	return ok
}

// ipv4Parts splits at the dots, without the empty part after a final dot.
func ipv4Parts(name string) []string {
	parts := strings.Split(name, ".")
	if n := len(parts); n > 1 && parts[n-1] == "" {
		parts = parts[:n-1]
	}
	return parts
}

// normaliseIPv4 is the IPv4 parser of the WHATWG URL standard: one to four
// numbers, decimal, octal (0 before) or hexadecimal (0x before), the last one
// filling the bytes that are left.
func normaliseIPv4(host, name string) (string, error) {
	parts := ipv4Parts(name)
	if len(parts) > 4 {
		return "", refuse(BadHost, "the host %q ends in a number but is not an IPv4 address: more than four parts", excerpt(host))
	}
	var addr uint64
	for i, part := range parts {
		n, ok := ipv4Number(part)
		limit := uint64(1) << 8
		if i == len(parts)-1 {
			limit = 1 << (8 * (5 - len(parts)))
		}
		if !ok || n >= limit {
			return "", refuse(BadHost, "the host %q ends in a number but is not an IPv4 address: part %q does not fit", excerpt(host), excerpt(part))
		}
		if i < len(parts)-1 {
			n <<= 8 * (3 - i)
		}
		addr |= n
	}
	return netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)}).String(), nil
}

// ipv4Number is the "IPv4 number parser": ok is false for what is no number.
// A number beyond 64 bits comes out as the largest one, which fits nowhere.
func ipv4Number(s string) (n uint64, ok bool) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"):
		s, base = s[2:], 16
		if s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil && n == 0 {
		return 0, false
	}
	return n, true
}
