package workers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
)

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
