package workers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
)

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
