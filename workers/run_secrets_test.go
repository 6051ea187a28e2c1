package workers

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
)

// TestWarnOfSecrets: each secret that cannot be read is a warning of its own where a role needs it, and no value is told.
func TestWarnOfSecrets(t *testing.T) {
	t.Parallel()
	cfg := config.Config{
		Sources:   []collection.Source{{Name: "books", Request: collection.Request{SecretHeaders: map[string]string{"Authorization": "env:TOKEN", "X-Key": "env:THERE"}}}},
		Customers: []collection.Customer{{Name: "acme", Destination: collection.Destination{AccessKey: "file:/nowhere"}}},
	}
	read := func(ref string) (string, error) {
		if ref == "env:THERE" {
			return "hush", nil
		}
		return "hush", errors.New("secret " + ref + " is not there")
	}
	for name, c := range map[string]struct {
		roles []collection.Role
		says  []string
	}{
		"all":       {collection.Roles(), []string{`key="header Authorization of source books"`, `reference=env:TOKEN`, "destination.access_key of customer acme"}},
		"collector": {[]collection.Role{collection.RoleCollect}, []string{"reference=env:TOKEN"}},
		"planner":   {[]collection.Role{collection.RolePlan}, []string{"reference=file:/nowhere"}},
		"parser":    {[]collection.Role{collection.RoleParse}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			warnOfSecrets(cfg, c.roles, read, slog.New(slog.NewTextHandler(&out, nil)))
			for _, s := range c.says {
				require.Contains(t, out.String(), s)
			}
			require.Equal(t, len(c.says) > 0, strings.Contains(out.String(), "level=WARN"))
			require.NotContains(t, out.String(), "hush")
			require.NotContains(t, out.String(), "env:THERE")
		})
	}
}
