package workers

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/secretrefs"
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

// NotConfiguredError says that a configuration lacks what roles work on. A process with such a role would take work that is
// others' and spoil it: no customer would be known to its plans, and every row would be invalid.
type NotConfiguredError struct {
	// Missing are sections of the configuration: "customers", "sources".
	Missing []string
	// Roles need them; Others, of those that were wanted, need nothing.
	Roles, Others []collection.Role
}

// Error names the sections and the roles.
func (e *NotConfiguredError) Error() string {
	text := fmt.Sprintf("there are no %s in the configuration, and %s cannot work without: configure them",
		strings.Join(e.Missing, " and no "), plural("the role", e.Roles))
	if len(e.Others) > 0 {
		text += ", or take only " + plural("the role", e.Others)
	}
	return text
}

func plural(what string, roles []collection.Role) string {
	if len(roles) > 1 {
		what += "s"
	}
	return what + " " + rolesText(roles, ", ")
}

// CheckNeeds reports, as a *NotConfiguredError, what roles need that the configuration does not have; none means all roles.
func CheckNeeds(cfg config.Config, roles []collection.Role) error {
	if len(roles) == 0 {
		roles = collection.Roles()
	}
	e := &NotConfiguredError{}
	lacks := func(section string, missing bool, who ...collection.Role) {
		concerned := slices.DeleteFunc(who, func(r collection.Role) bool { return !slices.Contains(roles, r) })
		if !missing || len(concerned) == 0 {
			return
		}
		e.Missing = append(e.Missing, section)
		e.Roles = append(e.Roles, concerned...)
	}
	lacks("customers", len(cfg.Customers) == 0, collection.RolePlan)
	lacks("sources", len(cfg.Sources) == 0, collection.RolePlan, collection.RoleCollect, collection.RoleParse)
	if len(e.Missing) == 0 {
		return nil
	}
	needy := e.Roles
	e.Roles = nil
	for _, r := range roles {
		if slices.Contains(needy, r) {
			e.Roles = append(e.Roles, r)
		} else {
			e.Others = append(e.Others, r)
		}
	}
	return e
}

// warnOfSecrets reads every secret that some roles need, once, and logs those that cannot be read: else it is found out record by
// record, and each waits for hours. The process works all the same: a secret may come later, and most sources need none. No value
// is logged.
func warnOfSecrets(cfg config.Config, roles []collection.Role, read func(ref string) (string, error), logger *slog.Logger) {
	for _, r := range secretrefs.Of(cfg) {
		if r.Role != "" && !slices.Contains(roles, r.Role) {
			continue
		}
		if _, err := read(r.Ref); err != nil {
			logger.Warn("a secret cannot be read: what needs it waits until it can be", "key", r.Key, "reference", r.Ref, "error", err)
		}
	}
}
