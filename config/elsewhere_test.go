package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func TestHostsElsewhere(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(`
sources:
  - {name: wide, hosts: ["*.example.com", plain.example.org], parse: {type: html, fields: [{name: title, css: h1}]}}
  - {name: www, hosts: [www.example.com, "*.shop.example.com"], parse: {type: html, fields: [{name: title, css: h1}]}}
`)
	require.NoError(t, err)
	wide, ok := cfg.Source("wide")
	require.True(t, ok)
	for host, owned := range map[string]bool{
		"a.example.com": true, "plain.example.org": true, "WWW.example.com.": false, "x.www.example.com": true,
		"shop.example.com": true, "a.shop.example.com": false, "example.com": false,
	} {
		require.Equal(t, owned, wide.Owns(host), host)
	}
}

// TestOneOwner: whoever asks, a host has the same owner.
func TestOneOwner(t *testing.T) {
	t.Parallel()
	names := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 1, 4).Draw(t, "labels"), ".")
	})
	patterns := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "*."}).Draw(t, "star") + names.Draw(t, "name")
	})
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOfNDistinct(patterns, 0, 6, rapid.ID[string]).Draw(t, "hosts")
		sources := make([]collection.Source, 3)
		for i := range sources {
			sources[i].Name = string(rune('a' + i))
		}
		for _, h := range hosts {
			i := rapid.IntRange(0, 2).Draw(t, "owner")
			sources[i].Hosts = append(sources[i].Hosts, h)
		}
		divideHosts(sources)
		host := names.Draw(t, "host")
		owner, found := NewIndex(sources, nil).SourceForHost(host)
		for _, s := range sources {
			require.Equal(t, found && s.Name == owner.Name, s.Owns(host), "%s of %v, owner %q", host, sources, owner.Name)
		}
	})
}
