// Package secretrefs lists the secrets that a configuration refers to: which key does, and who needs the value. It reads none of
// them, and must not know how they are read.
package secretrefs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
)

// Reference is a secret that a configuration refers to.
type Reference struct {
	// Key says, for people, what in the configuration refers to it; Ref is the reference, such as "env:NAME".
	Key, Ref string
	// Role is whose workers need it; empty where every process does.
	Role collection.Role
}

// Of are all references of a configuration, in its order.
func Of(cfg config.Config) []Reference {
	var all []Reference
	add := func(role collection.Role, key, ref string) {
		if ref != "" {
			all = append(all, Reference{Key: key, Ref: ref, Role: role})
		}
	}
	add("", "temporal.api_key", cfg.Temporal.APIKey.String())
	add("", "s3.access_key", cfg.S3.AccessKey.String())
	add("", "s3.secret_key", cfg.S3.SecretKey.String())
	for _, e := range cfg.Egresses {
		add(collection.RoleCollect, "user of egress "+e.Name, e.User)
		add(collection.RoleCollect, "password of egress "+e.Name, e.Password)
	}
	for _, c := range cfg.Customers {
		add(collection.RolePlan, "destination.access_key of customer "+c.Name, c.Destination.AccessKey)
		add(collection.RolePlan, "destination.secret_key of customer "+c.Name, c.Destination.SecretKey)
	}
	ofRequest := func(whose string, r collection.Request) {
		for _, header := range slices.Sorted(maps.Keys(r.SecretHeaders)) {
			add(collection.RoleCollect, fmt.Sprintf("header %s of %s", header, whose), r.SecretHeaders[header])
		}
		for _, name := range slices.Sorted(maps.Keys(r.SecretQuery)) {
			add(collection.RoleCollect, fmt.Sprintf("query parameter %s of %s", name, whose), r.SecretQuery[name])
		}
	}
	for _, s := range cfg.Sources {
		ofRequest("source "+s.Name, s.Request)
		for _, m := range s.Methods {
			ofRequest(fmt.Sprintf("source %s, method %s", s.Name, m.Name), m.Request)
		}
	}
	return all
}
