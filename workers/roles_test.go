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

func TestParseRoles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		names []string
		roles []collection.Role
		err   string
	}{
		"none is all":     {nil, collection.Roles(), ""},
		"some":            {[]string{"parse", "collect"}, []collection.Role{collection.RoleParse, collection.RoleCollect}, ""},
		"twice":           {[]string{"plan", " plan "}, []collection.Role{collection.RolePlan}, ""},
		"not a role":      {[]string{"parse", "fetch"}, nil, `role "fetch": use workflows, plan, collect, parse, deliver, fleet`},
		"an empty name":   {[]string{""}, nil, `role ""`},
		"the wrong case":  {[]string{"Parse"}, nil, `role "Parse"`},
		"every one of it": {[]string{"workflows", "plan", "collect", "parse", "deliver", "fleet"}, collection.Roles(), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			roles, err := ParseRoles(test.names)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.roles, roles)
		})
	}
}

// TestCheckNeeds: a process takes no work that it must spoil.
func TestCheckNeeds(t *testing.T) {
	t.Parallel()
	sources, customers := []collection.Source{{Name: "books"}}, []collection.Customer{{Name: "acme"}}
	for name, c := range map[string]struct {
		cfg   config.Config
		roles []collection.Role
		says  string
	}{
		"everything": {config.Config{Sources: sources, Customers: customers}, nil, ""},
		"nothing": {config.Config{}, nil, "there are no customers and no sources in the configuration, and the roles plan, collect, parse cannot work without: " +
			"configure them, or take only the roles workflows, deliver, fleet"},
		"nothing that is needed": {config.Config{}, []collection.Role{collection.RoleWorkflows, collection.RoleDeliver, collection.RoleFleet}, ""},
		"no customers": {config.Config{Sources: sources}, nil,
			"there are no customers in the configuration, and the role plan cannot work without: configure them, or take only the roles workflows, collect, parse, deliver, fleet"},
		"no customers for collecting": {config.Config{Sources: sources}, []collection.Role{collection.RoleCollect, collection.RoleParse}, ""},
		"no sources": {config.Config{Customers: customers}, []collection.Role{collection.RolePlan, collection.RoleFleet},
			"there are no sources in the configuration, and the role plan cannot work without: configure them, or take only the role fleet"},
		"nothing else": {config.Config{}, []collection.Role{collection.RoleParse}, "there are no sources in the configuration, and the role parse cannot work without: configure them"},
	} {
		err := CheckNeeds(c.cfg, c.roles)
		if c.says == "" {
			require.NoError(t, err, name)
			continue
		}
		var missing *NotConfiguredError
		require.ErrorAs(t, err, &missing, name)
		require.EqualError(t, err, c.says, name)
	}
}

// TestRunWithoutConfiguration: nothing is asked for work.
func TestRunWithoutConfiguration(t *testing.T) {
	t.Parallel()
	cfg := load(t, nil)
	cfg.Customers = nil
	var missing *NotConfiguredError
	require.ErrorAs(t, Run(t.Context(), someOptions(cfg, nil)), &missing)
}

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
