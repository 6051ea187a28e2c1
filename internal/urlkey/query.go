package urlkey

import (
	"slices"
	"strings"
)

// normaliseQuery encodes the query (RFC 3986 section 3.4) and orders its
// parameters by name, because a form has no order of its own. Parameters of one
// name keep their relative order: servers read "a=1&a=2" as a list. Empty
// parameters, "a" and "a=", "+" and "%20" are all left as they are: a server
// can see the difference.
func normaliseQuery(query string) string {
	var b strings.Builder
	b.Grow(len(query) + 16)
	appendNormalised(&b, query, encodeInQuery)
	encoded := b.String()
	if strings.IndexByte(encoded, '&') < 0 {
		return encoded
	}
	params := strings.Split(encoded, "&")
	slices.SortStableFunc(params, func(a, b string) int {
		return strings.Compare(paramName(a), paramName(b))
	})
	return strings.Join(params, "&")
}

func paramName(param string) string {
	name, _, _ := strings.Cut(param, "=")
	return name
}
