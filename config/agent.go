package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots"
)

const userAgentHeader = "User-Agent"

// errSecretAgent refuses a name that nobody may know: a robots.txt could not address it, and a trail could not say by which
// name a file was read.
var errSecretAgent = errors.New("robots.txt is obeyed, and it can only address a name that everybody may know: move this into headers")

// OwnAgent is the user agent that a request states of its own; empty where it goes by the name of all requests. It fails
// when that name is a secret.
func OwnAgent(r collection.Request) (string, error) {
	for name := range r.SecretHeaders {
		if headerName(name) == userAgentHeader {
			return "", errSecretAgent
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		if headerName(name) == userAgentHeader {
			return r.Headers[name], nil
		}
	}
	return "", nil
}

// checkOwnAgents holds every user agent that a source states of its own to robots.txt, while that is obeyed: a name that no
// file could address would bind it to nothing but what is for everybody.
func checkOwnAgents(s collection.Source, path string, p *problems) {
	if s.Robots == collection.RobotsIgnore {
		return
	}
	checkOwnAgent(s.Request, path, p)
	for i, m := range s.Methods {
		checkOwnAgent(m.Request, fmt.Sprintf("%s.methods[%d]", path, i), p)
	}
}

func checkOwnAgent(r collection.Request, path string, p *problems) {
	agent, err := OwnAgent(r)
	switch {
	case err != nil:
		p.add(path+".request.secret_headers."+userAgentHeader, "", err.Error())
		return
	case agent == "" || headerValueProblem(agent) != "":
		return // as all requests, or told already
	}
	if _, err := robots.Token(agent); err != nil {
		p.add(path+".request.headers."+userAgentHeader, shown(agent), "robots.txt is obeyed: begin with a name of letters, digits, - and _, "+
			"by which it can address this source, for instance example-bot/1.0 (+https://example.com/bot)")
	}
}
