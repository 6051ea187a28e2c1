package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func TestSourceForHost(t *testing.T) {
	t.Parallel()
	index := NewIndex([]collection.Source{
		{Name: "exact", Hosts: []string{"www.a.example", "127.0.0.1", "2001:db8::1", "localhost"}},
		{Name: "wide", Hosts: []string{"*.example"}},
		{Name: "long", Hosts: []string{"*.b.a.example"}},
		{Name: "short", Hosts: []string{"*.a.example"}},
	}, nil)
	tests := map[string]string{
		"www.a.example":   "exact",
		"WWW.A.Example.":  "exact",
		"x.www.a.example": "short",
		"x.a.example":     "short",
		"b.a.example":     "short",
		"x.b.a.example":   "long",
		"y.x.b.a.example": "long",
		"a.example":       "wide",
		"example":         "",
		"other.test":      "",
		"xa.example":      "wide",
		"127.0.0.1":       "exact",
		"127.0.0.2":       "",
		"2001:db8::1":     "exact",
		"[2001:DB8:0::1]": "exact",
		"localhost":       "exact",
		"":                "",
		".":               "",
		"...":             "",
	}
	for host, want := range tests {
		source, ok := index.SourceForHost(host)
		require.Equal(t, want != "", ok, host)
		require.Equal(t, want, source.Name, host)
	}
}

func TestConfigLookups(t *testing.T) {
	t.Parallel()
	loaded, err := loadText(minimal)
	require.NoError(t, err)
	require.Same(t, loaded.Index(), loaded.Index(), "Load builds the index once")
	for _, cfg := range []Config{loaded, {Sources: loaded.Sources, Customers: loaded.Customers}} {
		source, ok := cfg.Source("shop")
		require.True(t, ok)
		require.Equal(t, "shop", source.Name)
		_, ok = cfg.Source("Shop")
		require.False(t, ok)
		source, ok = cfg.SourceForHost("shop.example")
		require.True(t, ok)
		require.Equal(t, "shop", source.Name)
		customer, ok := cfg.Customer("acme")
		require.True(t, ok)
		require.Equal(t, 1.0, customer.Weight)
		_, ok = cfg.Customer("nobody")
		require.False(t, ok)
	}
}

// TestSourceForHostAgainstReference compares the index with a search through all sources.
func TestSourceForHostAgainstReference(t *testing.T) {
	t.Parallel()
	names := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 4).Draw(t, "labels"), ".")
	})
	patterns := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "*."}).Draw(t, "star") + names.Draw(t, "name")
	})
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOfNDistinct(patterns, 0, 6, rapid.ID[string]).Draw(t, "hosts")
		var sources []collection.Source
		for i, host := range hosts {
			sources = append(sources, collection.Source{Name: string(rune('a' + i)), Hosts: []string{host}})
		}
		host := names.Draw(t, "host")
		// The best owner is the exact one, and else the one with the longest pattern.
		owners := slices.DeleteFunc(slices.Clone(sources), func(s collection.Source) bool { return !s.Owns(host) })
		slices.SortFunc(owners, func(a, b collection.Source) int {
			rank := func(s collection.Source) int {
				if s.Hosts[0] == host {
					return 1000
				}
				return len(s.Hosts[0])
			}
			return rank(b) - rank(a)
		})
		got, ok := NewIndex(sources, nil).SourceForHost(host)
		if ok != (len(owners) > 0) || ok && got.Name != owners[0].Name {
			t.Fatalf("%s in %v: got %v %v, want %v", host, hosts, got.Name, ok, owners)
		}
	})
}
