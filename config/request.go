package config

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/weir-collect/weir/collection"
)

const placeholderForm = "a placeholder is {name}, the name of a field"

func checkRequest(s collection.Source, path string, index *Index, p *problems) {
	path += ".request"
	r := s.Request
	if r.URL != "" && r.URL != collection.RecordURL {
		checkURL(s, path+".url", index, p)
	}
	switch {
	case r.Method == "":
	case !tokenPattern.MatchString(r.Method):
		p.add(path+".method", shown(r.Method), "write an HTTP method such as GET or POST")
	case strings.ToUpper(r.Method) != r.Method:
		p.add(path+".method", shown(r.Method), "methods are case-sensitive: write "+strings.ToUpper(r.Method))
	case r.Method == "CONNECT":
		p.add(path+".method", shown(r.Method), "a tunnel collects nothing: write another method, such as GET or POST")
	}
	checkHeaders(r, path, p)
	checkSecretQuery(r, path, p)
	checkSecretOrigins(s, path, p)
	checkBody(r, path, p)
}

func checkURL(s collection.Source, path string, index *Index, p *problems) {
	template := s.Request.URL
	if hasUserinfo(template) {
		p.add(path, "", "write the URL without user and password: send them with secret_headers")
		return
	}
	if names := literalSecrets(template); len(names) > 0 {
		p.add(path, "", "the parameter "+names[0]+" holds a secret, which every result, history and log would show: "+
			"move it to secret_query and write a reference, env:NAME or file:PATH")
		return
	}
	value := shown(template)
	filled := collection.Placeholder.ReplaceAllString(template, "x")
	if strings.ContainsAny(filled, "{}") {
		p.add(path, value, placeholderForm+": write other braces as %7B and %7D")
		return
	}
	u, err := url.Parse(filled)
	switch {
	case err != nil:
		p.add(path, value, "write a URL such as https://api.example.com/items/{id}")
	case u.Scheme != "http" && u.Scheme != "https":
		p.add(path, value, "write a whole URL that begins with https:// or http://")
	case u.Hostname() == "":
		p.add(path, value, "write a URL with a host")
	case collection.Placeholder.MatchString(authority(template)):
		p.add(path, value, "write the host without a placeholder: a record must not choose whose ceiling it uses")
	case u.Fragment != "":
		p.add(path, value, "take away the # and what follows: it is never sent")
	default:
		checkURLOwner(s, path, u.Hostname(), index, p)
	}
}

// checkURLOwner refuses a URL on another source's host: its requests would go past that source's ceiling.
func checkURLOwner(s collection.Source, path, host string, index *Index, p *problems) {
	if owner, ok := index.SourceForHost(host); ok && owner.Name != s.Name {
		p.add(path, shown(s.Request.URL), "the host belongs to source "+owner.Name+
			", whose ceiling these requests would go past: use that source, or list the exact host in this one only")
	}
}

// authority is scheme, user, host and port: what stands before the path.
func authority(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest
}

func checkBody(r collection.Request, path string, p *problems) {
	if r.BodyType != "" {
		checkOneOf(p, path+".body_type", r.BodyType, "json", "form")
		if r.Body == "" {
			p.add(path+".body", "", "body_type is set, but there is no body: write one, or take body_type away")
		}
		if _, twice := r.Headers["Content-Type"]; twice {
			p.add(path+".headers.Content-Type", "", "body_type sets this header: take it away")
		}
	}
	if r.Body == "" {
		return
	}
	switch r.BodyType {
	case "":
		p.add(path+".body_type", "", "say how the body is written: json or form")
	case "json":
		// null is JSON by itself and text within quotes, as the field that stands there will be.
		if !json.Valid([]byte(collection.Placeholder.ReplaceAllString(r.Body, "null"))) {
			p.add(path+".body", shown(r.Body), "write valid JSON, where {name} stands for a whole value, or within quotes for text")
		}
	case "form":
		filled := collection.Placeholder.ReplaceAllString(r.Body, "x")
		if _, err := url.ParseQuery(filled); err != nil || strings.ContainsAny(filled, "{} \t\r\n") {
			p.add(path+".body", shown(r.Body), "write a form as a={name}&b=text in one line, other characters encoded: "+placeholderForm)
		}
	}
}
