package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/weir-collect/weir/collection"
)

// checkSecretQuery checks the parameters that are added to a URL when it is sent.
func checkSecretQuery(r collection.Request, path string, p *problems) {
	written := parametersOf(r.URL)
	for _, name := range slices.Sorted(maps.Keys(r.SecretQuery)) {
		at := path + ".secret_query." + name
		if name == "" || strings.IndexFunc(name, unicode.IsControl) >= 0 {
			p.add(at, "", "write the name of a parameter")
		}
		if err := CheckReference(r.SecretQuery[name]); err != nil {
			p.add(at, "", err.Error())
		}
		if slices.ContainsFunc(written, func(w parameter) bool { return w.name == name }) {
			p.add(at, "", "this parameter stands in url as well: keep one of them")
		}
	}
}

// parameter is one of a URL's query.
type parameter struct{ name, value string }

// parametersOf are the parameters of a URL template. What cannot be decoded is taken as it is written.
func parametersOf(template string) []parameter {
	template, _, _ = strings.Cut(template, "#")
	_, query, _ := strings.Cut(template, "?")
	var all []parameter
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		all = append(all, parameter{decoded(name), decoded(value)})
	}
	return all
}

func decoded(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// literalSecrets are the names of those parameters of a URL template whose secrets are written out. What a record brings is
// the record's.
func literalSecrets(template string) []string {
	var names []string
	for _, w := range parametersOf(template) {
		if w.value != "" && !collection.Placeholder.MatchString(w.value) && collection.HoldsSecret(w.name, w.value) {
			names = append(names, w.name)
		}
	}
	return names
}

// checkSecretOrigins checks where a request's secrets may go.
func checkSecretOrigins(s collection.Source, path string, p *problems) {
	path += ".secret_origins"
	if len(s.Request.SecretOrigins) > 0 && !s.Request.SendsSecrets() {
		p.add(path, "", "there are no secrets that could go there: set secret_headers or secret_query, or take this away")
		return
	}
	for i, text := range s.Request.SecretOrigins {
		at := fmt.Sprintf("%s[%d]", path, i)
		if slices.Contains(s.Request.SecretOrigins[:i], text) {
			p.add(at, shown(text), "this origin is listed twice: keep one")
		} else if message := originProblem(text, s.Hosts); message != "" {
			value := shown(text)
			if hasUserinfo(text) {
				value = ""
			}
			p.add(at, value, message)
		}
	}
}

// originProblem says what is wrong with an origin of a source with these hosts, or nothing.
func originProblem(text string, hosts []string) string {
	const form = "write scheme, host and port, for instance http://www.example.com:8080, without a path"
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != text {
		return form
	}
	if message := hostProblem(u.Hostname()); message != "" {
		return message
	}
	switch port := u.Port(); {
	case port == "" && strings.HasSuffix(u.Host, ":"):
		return form
	case u.Scheme == "https" && (port == "" || port == "443"):
		return "https on its own port needs no leave: take it away"
	case u.Scheme == "http" && port == "80":
		return "80 is the port of http: write http://" + strings.TrimSuffix(u.Host, ":80")
	case !slices.Contains(hosts, u.Hostname()) && !(collection.Source{Hosts: hosts}).Owns(strings.TrimPrefix(u.Hostname(), "*.")):
		return "the host is none of the source's hosts: list it there, or take it away"
	}
	return ""
}
