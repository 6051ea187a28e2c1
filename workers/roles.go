package workers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// ParseRoles reads role names; none means all.
func ParseRoles(names []string) ([]collection.Role, error) {
	if len(names) == 0 {
		return collection.Roles(), nil
	}
	var roles []collection.Role
	for _, name := range names {
		r := collection.Role(strings.TrimSpace(name))
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
func rolesText(roles []collection.Role, separator string) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	return strings.Join(names, separator)
}
