package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// checkHosts checks every host of every source, and that none belongs to two of them: requests against a host of two
// sources would go past the ceiling of each.
func checkHosts(sources []collection.Source, p *problems) {
	owners := map[string]int{}
	for i, s := range sources {
		for j, host := range s.Hosts {
			path := fmt.Sprintf("sources[%d].hosts[%d]", i, j)
			if message := hostProblem(host); message != "" {
				value := shown(host)
				if strings.Contains(host, "@") {
					value = "" // a password may stand before it
				}
				p.add(path, value, message)
				continue
			}
			owner, taken := owners[host]
			switch {
			case !taken:
				owners[host] = i
			case owner == i:
				p.add(path, shown(host), "this host is listed twice: keep one")
			default:
				p.add(path, shown(host), fmt.Sprintf("this host already belongs to sources[%d] (%s): keep it in one source",
					owner, sources[owner].Name))
			}
		}
	}
}

var (
	labelPattern   = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)
	numericPattern = regexp.MustCompile(`^[0-9]+$`)
)

// hostProblem says what is wrong with a host of a source, or nothing.
func hostProblem(host string) string {
	if scheme, rest, ok := strings.Cut(host, "://"); ok {
		return fmt.Sprintf("write the host alone, without %s:// and without a path%s", scheme, suggestHost(rest))
	}
	if rest, _, ok := strings.Cut(host, "/"); ok {
		return "write the host alone, without a path" + suggestHost(rest)
	}
	if strings.Contains(host, "@") {
		return "write the host alone, without a user"
	}
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addressFormProblem(host, address)
	}
	if rest, _, ok := strings.Cut(host, ":"); ok {
		return "write the host without a port: a source has its host on every port" + suggestHost(rest)
	}
	if strings.ToLower(host) != host {
		return "write the host in lower case: " + strings.ToLower(host)
	}
	return hostNameProblem(host)
}

// suggestHost adds the host that was probably meant.
func suggestHost(rest string) string {
	if end := strings.IndexAny(rest, "/:?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = strings.ToLower(rest)
	if hostNameProblem(rest) != "" {
		return ""
	}
	return ": " + rest
}

func addressFormProblem(host string, address netip.Addr) string {
	switch {
	case address.Zone() != "":
		return "write the address without a zone"
	case strings.ContainsAny(host, "[]"):
		return "write the address without brackets: " + address.String()
	case host != address.String():
		return "write the address in its short form: " + address.String()
	}
	return ""
}

// hostNameProblem says what is wrong with a name in lower case, or nothing.
func hostNameProblem(host string) string {
	const form = "write a host name such as www.example.com, or *.example.com for every name below example.com"
	name := strings.TrimPrefix(host, "*.")
	switch {
	case strings.Contains(name, "*"):
		return "a * can only stand for everything before the first dot: " + form
	case strings.HasSuffix(name, "."):
		return "write the host without a dot at its end"
	case strings.ContainsFunc(name, func(r rune) bool { return r > 127 }):
		return "write the name in its ASCII form, which begins with xn--"
	case len(name) > 253:
		return "a host name has at most 253 characters"
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if !labelPattern.MatchString(label) {
			return form
		}
	}
	if numericPattern.MatchString(labels[len(labels)-1]) {
		return "a name that ends in a number is taken for an address: write a whole address such as 192.0.2.1, or a name"
	}
	return ""
}
