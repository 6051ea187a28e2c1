package config

import (
	"maps"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// tokenPattern is RFC 9110's token, the form of methods and header names.
var tokenPattern = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// clientHeaderNames are headers that the HTTP client writes itself, from the request.
var clientHeaderNames = []string{"Connection", "Content-Length", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// headerName is a header's name as HTTP's libraries write it. viper puts the names into lower case; on the wire case means
// nothing, so this one form stands for all.
func headerName(name string) string { return textproto.CanonicalMIMEHeaderKey(name) }

// canonicalHeaders puts every name into its one form.
func canonicalHeaders(headers map[string]string) map[string]string {
	if len(headers) == 0 {
		return nil
	}
	canonical := make(map[string]string, len(headers))
	for name, value := range headers {
		canonical[headerName(name)] = value
	}
	return canonical
}

func canonicalRequest(r *collection.Request) {
	r.Headers, r.SecretHeaders = canonicalHeaders(r.Headers), canonicalHeaders(r.SecretHeaders)
}

func checkHeaders(r collection.Request, path string, p *problems) {
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		at := path + ".headers." + name
		value := r.Headers[name]
		if collection.HoldsSecret(name, value) {
			p.add(at, "", "this header holds a secret: move it to secret_headers and write a reference, env:NAME or file:PATH")
			continue
		}
		if message := headerNameProblem(name); message != "" {
			p.add(at, shown(value), message)
		} else if message := headerValueProblem(value); message != "" {
			p.add(at, shown(value), message)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.SecretHeaders)) {
		at := path + ".secret_headers." + name
		if message := headerNameProblem(name); message != "" {
			p.add(at, "", message)
		}
		if err := CheckReference(r.SecretHeaders[name]); err != nil {
			p.add(at, "", err.Error())
		}
		if _, twice := r.Headers[name]; twice {
			p.add(at, "", "this header stands in headers as well: keep one of them")
		}
	}
}

func headerNameProblem(name string) string {
	if !tokenPattern.MatchString(name) {
		return "write a header's name with letters, digits and hyphens"
	}
	if slices.Contains(clientHeaderNames, headerName(name)) {
		return "this header is written by the HTTP client itself: take it away"
	}
	return ""
}

// headerValueProblem says what is wrong with a header's value, or nothing. A line break in one would begin a header of its
// own.
func headerValueProblem(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return (r < ' ' && r != '\t') || r == 0x7f }) {
		return "write the value in one line, without control characters"
	}
	return ""
}
