package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/secretrefs"
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

// secrets reads every secret once. Neither its value nor its length is told.
func (x *exam) secrets(context.Context) []Finding {
	references := secretrefs.Of(x.Config)
	var found []Finding
	for _, r := range references {
		if _, err := x.Secret(r.Ref); err != nil {
			found = append(found, fail(fmt.Sprintf("%s: %v", r.Key, err), "make "+r.Ref+" readable for this process, and for every worker"))
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
