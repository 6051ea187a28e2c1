package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/robots"
)

// config looks at a configuration that has been loaded, and so is valid.
func (x *exam) config(context.Context) []Finding {
	sources, customers := len(x.Config.Sources), len(x.Config.Customers)
	found := []Finding{fine("valid, with %s and %s", collection.Plural(sources, "source"), collection.Plural(customers, "customer"))}
	if sources == 0 {
		found = append(found, warn("no source is configured", "describe the sites under sources, as weir.example.yaml shows; who only submits needs none"))
	}
	if customers == 0 {
		found = append(found, warn("no customer is configured", "name who submits under customers; who only operates needs none"))
	}
	return found
}

// reference is a secret that the configuration refers to, and the key that does.
type reference struct{ key, ref string }

func (x *exam) references() []reference {
	var all []reference
	add := func(key, ref string) {
		if ref != "" {
			all = append(all, reference{key, ref})
		}
	}
	add("temporal.api_key", x.Config.Temporal.APIKey.String())
	add("s3.access_key", x.Config.S3.AccessKey.String())
	add("s3.secret_key", x.Config.S3.SecretKey.String())
	for _, e := range x.Config.Egresses {
		add("user of egress "+e.Name, e.User)
		add("password of egress "+e.Name, e.Password)
	}
	for _, c := range x.Config.Customers {
		add("destination.access_key of customer "+c.Name, c.Destination.AccessKey)
		add("destination.secret_key of customer "+c.Name, c.Destination.SecretKey)
	}
	ofRequest := func(whose string, r collection.Request) {
		for _, header := range slices.Sorted(maps.Keys(r.SecretHeaders)) {
			add(fmt.Sprintf("header %s of %s", header, whose), r.SecretHeaders[header])
		}
	}
	for _, s := range x.Config.Sources {
		ofRequest("source "+s.Name, s.Request)
		for _, m := range s.Methods {
			ofRequest(fmt.Sprintf("source %s, method %s", s.Name, m.Name), m.Request)
		}
	}
	return all
}

// secrets reads every secret once. Neither its value nor its length is told.
func (x *exam) secrets(context.Context) []Finding {
	references := x.references()
	var found []Finding
	for _, r := range references {
		if _, err := x.Secret(r.ref); err != nil {
			found = append(found, fail(fmt.Sprintf("%s: %v", r.key, err), "make "+r.ref+" readable for this process, and for every worker"))
		}
	}
	if len(found) > 0 {
		return found
	}
	if len(references) == 0 {
		return []Finding{fine("none is referred to")}
	}
	return []Finding{fine("all %d can be read", len(references))}
}

// userAgent looks at how sites are told who asks. A source, or any of its methods, may state a user agent of its own.
func (x *exam) userAgent(context.Context) []Finding {
	found := agentFindings("user_agent", x.Config.UserAgent)
	for _, s := range x.Config.Sources {
		found = append(found, ownAgent("source "+s.Name, s.Request)...)
		for _, m := range s.Methods {
			found = append(found, ownAgent(fmt.Sprintf("source %s, method %s", s.Name, m.Name), m.Request)...)
		}
	}
	if len(found) == 0 {
		found = append(found, fine("%s, with a contact", x.Config.UserAgent))
	}
	return found
}

// ownAgent looks at the user agent that a request states of its own, if it does. One that is a secret cannot be looked at.
func ownAgent(whose string, r collection.Request) []Finding {
	agent, err := config.OwnAgent(r)
	if err != nil || agent == "" {
		return nil
	}
	return agentFindings("the user agent of "+whose, agent)
}

// project is what the default user agent holds in place of a contact.
const project = "github.com/weir-collect/weir"

const agentForm = "write it like example-bot/1.0 (+https://example.com/bot)"

func agentFindings(key, agent string) []Finding {
	var found []Finding
	if _, err := robots.Token(agent); err != nil {
		found = append(found, fail(fmt.Sprintf("%s: %v", key, err), agentForm+", so that a robots.txt can address it"))
	}
	switch {
	case strings.Contains(agent, project):
		found = append(found, warn(fmt.Sprintf("%s is %q, which names the program and not whoever runs it", key, agent),
			agentForm+", so that a site's owner can ask before blocking"))
	case !strings.Contains(agent, "://") && !strings.Contains(agent, "@"):
		found = append(found, warn(fmt.Sprintf("%s is %q, which holds no contact", key, agent),
			agentForm+", so that a site's owner can ask before blocking"))
	}
	return found
}
