package config

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// checkEgresses checks the egresses, and gives the set of their names.
func checkEgresses(egresses []collection.Egress, p *problems) map[string]int {
	names := map[string]int{}
	for i, e := range egresses {
		path := fmt.Sprintf("egresses[%d]", i)
		if e.Name == collection.EgressDirect {
			p.add(path+".name", shown(e.Name), "this is the name of the egress without a proxy, which is always there: give the proxy another name")
		} else if message := checkItemName("egress", e.Name); message != "" {
			p.add(path+".name", "", message)
		} else if first, taken := names[e.Name]; taken {
			p.add(path+".name", shown(e.Name), fmt.Sprintf("egresses[%d] has the same name: give each its own", first))
		} else {
			names[e.Name] = i
		}
		checkEgress(e, path, p)
	}
	return names
}

func checkEgress(e collection.Egress, path string, p *problems) {
	if e.Type == "" {
		p.add(path+".type", "", "say what the proxy speaks: http, https or socks5")
	} else {
		checkOneOf(p, path+".type", e.Type, "http", "https", "socks5")
	}
	if message := proxyProblem(e); message != "" {
		value := ""
		if e.Address != "" && !strings.Contains(e.Address, "@") { // a password may stand before it
			value = shown(e.Address)
		}
		p.add(path+".address", value, message)
	}
	if (e.User == "") != (e.Password == "") {
		missing := "password"
		if e.User == "" {
			missing = "user"
		}
		p.add(path+"."+missing, "", "user and password belong together: set this one too, or neither")
	}
	for _, credential := range credentialsOf(e) {
		if err := CheckReference(credential.reference); err != nil {
			p.add(path+"."+credential.key, "", err.Error())
		}
	}
}

// credential is a key of an egress that holds a reference.
type credential struct{ key, reference string }

// credentialsOf are the credentials that are set.
func credentialsOf(e collection.Egress) []credential {
	all := []credential{{"user", e.User}, {"password", e.Password}}
	return slices.DeleteFunc(all, func(c credential) bool { return c.reference == "" })
}

// proxyProblem says what is wrong with the address of a proxy, or nothing. Where a name leads is for who dials it to see.
func proxyProblem(e collection.Egress) string {
	switch {
	case e.Address == "":
		return "write the proxy's host:port"
	case strings.Contains(e.Address, "@"):
		return "write host:port without user and password: they belong into user and password, as references"
	}
	if message := addressProblem(e.Address, 1); message != "" {
		return message
	}
	host, _, _ := net.SplitHostPort(e.Address)
	if host == "" {
		return "write host:port: there is no host before the port"
	}
	if !e.AllowPrivateAddress && isPrivateHost(host) {
		return "this address is a private one: set allow_private_address to true if the proxy is yours"
	}
	return ""
}

// isPrivateHost says whether a host is private as it is written.
func isPrivateHost(host string) bool {
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host == "localhost"
	}
	address = address.Unmap()
	return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast() || address.IsUnspecified()
}

// checkEgressUse checks by which egresses a source is asked; known are the names of all there are.
func checkEgressUse(use collection.EgressUse, path string, known map[string]int, p *problems) {
	path += ".egress"
	seen := map[string]bool{}
	for i, name := range use.Use {
		at := fmt.Sprintf("%s.use[%d]", path, i)
		_, exists := known[name]
		switch {
		case seen[name]:
			p.add(at, shown(name), "this egress is listed twice: keep one")
		case !exists && name != collection.EgressDirect:
			p.add(at, shown(name), unknownEgress(name, known))
		}
		seen[name] = true
	}
	if use.Sticky != "" {
		checkSticky(use, path, p)
	}
}

func unknownEgress(name string, known map[string]int) string {
	names := []string{collection.EgressDirect}
	for n := range known {
		names = append(names, n)
	}
	slices.Sort(names)
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("there is no egress of this name: did you mean %s?", near)
	}
	return "there is no egress of this name: use " + strings.Join(names, ", ")
}

func checkSticky(use collection.EgressUse, path string, p *problems) {
	at, value := path+".sticky", shown(use.Sticky)
	switch filled := collection.Placeholder.ReplaceAllString(use.Sticky, "x"); {
	case strings.ContainsAny(filled, "{}"):
		p.add(at, value, placeholderForm)
	case filled == use.Sticky:
		p.add(at, value, "this is the same for every record, which would all go out by one way: name a field, as in {account}")
	case len(use.Use) == 0:
		p.add(at, value, "without egresses in use, every record goes out directly: list some in use, or take sticky away")
	}
}
