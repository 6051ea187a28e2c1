package collection

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpells: a host is the configuration's own where it stands there in full, and a record's wherever anything is filled in.
func TestSpells(t *testing.T) {
	t.Parallel()
	src := Source{Hosts: []string{"www.a.example", "*.b.example"}}
	for host, want := range map[string]bool{
		"www.a.example": true, "WWW.A.example.": true, "a.example": false, "x.b.example": false, "*.b.example": false, "": false,
	} {
		require.Equal(t, want, src.Spells(host), host)
	}
	for template, want := range map[string]bool{
		"https://api.b.example/{x}": true, "https://API.b.example:8443?q={x}": true, "https://user@api.b.example/": true,
		"https://{x}.b.example/": false, "{url}": false, "": false, "https://other.example/{x}": false, "api.b.example/x": false,
	} {
		src.Request.URL = template
		require.Equal(t, want, src.Spells("api.b.example"), template)
	}
	src.Request.URL = "http://[::1]:8080/"
	require.True(t, src.Spells("::1"))
}
