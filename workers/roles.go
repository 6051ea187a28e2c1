package workers

import (
	"fmt"
	"slices"
	"strings"
)

// Role is a part of the work that a process takes.
type Role string

// The roles. A process that is given none takes all.
const (
	RoleWorkflows Role = "workflows"
	RolePlan      Role = "plan"
	RoleCollect   Role = "collect"
	RoleParse     Role = "parse"
	RoleDeliver   Role = "deliver"
	// RoleFleet owns the ceilings; at least one process of a fleet must take it.
	RoleFleet Role = "fleet"
)

// Roles lists every role.
func Roles() []Role {
	return []Role{RoleWorkflows, RolePlan, RoleCollect, RoleParse, RoleDeliver, RoleFleet}
}

// ParseRoles reads role names; none means all.
func ParseRoles(names []string) ([]Role, error) {
	if len(names) == 0 {
		return Roles(), nil
	}
	var roles []Role
	for _, name := range names {
		r := Role(strings.TrimSpace(name))
		if !slices.Contains(Roles(), r) {
			return nil, fmt.Errorf("role %q: use %s", name, strings.Join(roleNames(), ", "))
		}
		if !slices.Contains(roles, r) {
			roles = append(roles, r)
		}
	}
	return roles, nil
}

func roleNames() []string {
	var names []string
	for _, r := range Roles() {
		names = append(names, string(r))
	}
	return names
}
