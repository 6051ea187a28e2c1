package workers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// Role is a part of the work that a process takes.
type Role = collection.Role

// The roles. A process that is given none takes all.
const (
	RoleWorkflows = collection.RoleWorkflows
	RolePlan      = collection.RolePlan
	RoleCollect   = collection.RoleCollect
	RoleParse     = collection.RoleParse
	RoleDeliver   = collection.RoleDeliver
	RoleFleet     = collection.RoleFleet
)

// ParseRoles reads role names; none means all.
func ParseRoles(names []string) ([]Role, error) {
	if len(names) == 0 {
		return collection.Roles(), nil
	}
	var roles []Role
	for _, name := range names {
		r := Role(strings.TrimSpace(name))
		if !slices.Contains(collection.Roles(), r) {
			return nil, fmt.Errorf("role %q: use %s", name, rolesText(collection.Roles(), ", "))
		}
		if !slices.Contains(roles, r) {
			roles = append(roles, r)
		}
	}
	return roles, nil
}

// rolesText is the names of roles.
func rolesText(roles []Role, separator string) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	return strings.Join(names, separator)
}
