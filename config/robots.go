package config

import (
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots"
)

func checkUserAgent(agent string, p *problems) {
	const form = "for instance example-bot/1.0 (+https://example.com/bot)"
	message := headerValueProblem(agent)
	switch {
	case message != "":
	case strings.TrimSpace(agent) == "":
		message = "name yourself and a contact, " + form
	default:
		if _, err := robots.Token(agent); err != nil {
			message = "begin with a name of letters, digits, - and _, by which a robots.txt can address you, " + form
		}
	}
	if message != "" {
		p.add("user_agent", shown(agent), message)
	}
}

// fewestReasonWords is how many words a reason has at least: "ok" is none that anybody could defend.
const fewestReasonWords = 3

func checkRobots(s collection.Source, path string, p *problems) {
	checkOneOf(p, path+".robots", s.Robots, collection.RobotsObey, collection.RobotsIgnore)
	checkOwnAgents(s, path, p)
	words := len(strings.Fields(s.RobotsReason))
	switch {
	case s.Robots == collection.RobotsIgnore && words < fewestReasonWords:
		value := ""
		if words > 0 {
			value = shown(s.RobotsReason)
		}
		p.add(path+".robots_reason", value, "robots.txt is ignored: write who has allowed it and why, in a few words, or set robots to obey")
	case s.Robots == collection.RobotsObey && words > 0:
		p.add(path+".robots_reason", shown(s.RobotsReason), "robots.txt is obeyed, which needs no reason: take it away, or set robots to ignore")
	}
}
