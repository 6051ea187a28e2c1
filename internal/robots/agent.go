package robots

import (
	"fmt"
	"strings"
)

// everybody is the name of the group for agents that have none of their own.
const everybody = "*"

// Token is the product token of a user agent, which robots.txt files address it by (RFC 9309, section 2.2.1): the name that
// it starts with, "example-collector" in "example-collector/1.0 (+https://example.com/bot)". Of a user agent that poses as a
// browser, "Mozilla/5.0 (compatible; example-bot/1.0)", it is the name after "compatible;". The error says what to write.
func Token(userAgent string) (string, error) {
	rest := strings.TrimSpace(userAgent)
	token := leadingName(rest)
	if strings.EqualFold(token, "Mozilla") {
		_, named, _ := strings.Cut(rest, "compatible;")
		rest = strings.TrimSpace(named)
		token = leadingName(rest)
	}
	if token == "" || !endsName(rest[len(token):]) || strings.Trim(token, "0123456789") == "" {
		return "", fmt.Errorf("the user agent %q has no product token that a robots.txt could name: start it with a name of letters, digits, - and _, for instance example-bot/1.0 (+https://example.com/bot)", excerpt(userAgent))
	}
	return token, nil
}

// endsName says whether a name may end before rest.
func endsName(rest string) bool {
	return rest == "" || strings.IndexByte("/ \t;()", rest[0]) >= 0
}

// leadingName is the name that s starts with. The RFC's names are of letters, hyphens and underscores; digits are taken
// too, since many names have them.
func leadingName(s string) string {
	end := 0
	for end < len(s) && isNameByte(s[end]) {
		end++
	}
	return s[:end]
}

func isNameByte(c byte) bool {
	return isAlnum(c) || c == '-' || c == '_'
}

// nameIn reads the value of a user-agent line: a name, up to the first character that cannot be part of one, or "*". It is
// empty for a line that names nobody.
func nameIn(value string) string {
	if value == everybody || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return everybody
	}
	return strings.ToLower(leadingName(value))
}

// names says whether a name from a file addresses an agent, both in lower case. A name with digits also addresses the agent
// whose name ends before them, as it does for parsers that keep to the RFC's letters.
func names(name, agent string) bool {
	return name == agent || name[:letters(name)] == agent
}

// letters is how long the part of a name before its first digit is.
func letters(name string) int {
	if digit := strings.IndexAny(name, "0123456789"); digit >= 0 {
		return digit
	}
	return len(name)
}
