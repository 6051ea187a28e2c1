package config

import (
	"net/netip"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// Index finds sources and customers. It is built once and never changes, so any number of goroutines may use it.
type Index struct {
	sources   map[string]collection.Source
	customers map[string]collection.Customer
	// hosts and wildcards lead to the name of a source; a wildcard is kept without its "*.".
	hosts     map[string]string
	wildcards map[string]string
}

// NewIndex builds an index of what a valid configuration holds.
func NewIndex(sources []collection.Source, customers []collection.Customer) *Index {
	x := &Index{
		sources:   make(map[string]collection.Source, len(sources)),
		customers: make(map[string]collection.Customer, len(customers)),
		hosts:     map[string]string{},
		wildcards: map[string]string{},
	}
	for _, s := range sources {
		x.sources[s.Name] = s
		for _, host := range s.Hosts {
			if suffix, ok := strings.CutPrefix(host, "*."); ok {
				x.wildcards[suffix] = s.Name
			} else {
				x.hosts[host] = s.Name
			}
		}
	}
	for _, c := range customers {
		x.customers[c.Name] = c
	}
	return x
}

// Source is the source of that name.
func (x *Index) Source(name string) (collection.Source, bool) {
	s, ok := x.sources[name]
	return s, ok
}

// Customer is the customer of that name.
func (x *Index) Customer(name string) (collection.Customer, bool) {
	c, ok := x.customers[name]
	return c, ok
}

// SourceForHost is the source to which a host belongs, as url.URL.Hostname writes it: without port, an IPv6 address with
// or without brackets. An exact host beats a wildcard, and a longer wildcard a shorter one.
func (x *Index) SourceForHost(host string) (collection.Source, bool) {
	host = canonicalHost(host)
	if name, ok := x.hosts[host]; ok {
		return x.Source(name)
	}
	for {
		_, suffix, more := strings.Cut(host, ".")
		if !more {
			return collection.Source{}, false
		}
		if name, ok := x.wildcards[suffix]; ok {
			return x.Source(name)
		}
		host = suffix
	}
}

// canonicalHost is a host in the form in which the configuration holds it.
func canonicalHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String()
	}
	return host
}

// Index finds the configuration's sources and customers.
func (c Config) Index() *Index {
	if c.index != nil {
		return c.index
	}
	return NewIndex(c.Sources, c.Customers)
}

// Source is the source of that name.
func (c Config) Source(name string) (collection.Source, bool) { return c.Index().Source(name) }

// SourceForHost is the source to which a host belongs; see Index.SourceForHost.
func (c Config) SourceForHost(host string) (collection.Source, bool) {
	return c.Index().SourceForHost(host)
}

// Customer is the customer of that name.
func (c Config) Customer(name string) (collection.Customer, bool) { return c.Index().Customer(name) }
