package collection

import "strings"

// secretWords are parts of names whose values are secrets, without case and punctuation.
var secretWords = []string{
	"authorization", "cookie", "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "authkey", "privatekey",
	"subscriptionkey", "credential", "signature",
}

// LooksSecret says whether a name, or a part of it, is one of those whose values are secrets. It rather takes too many for
// secrets than too few: it is for what may be hidden without harm.
func LooksSecret(name string) bool {
	plain := plainName(name)
	for _, word := range secretWords {
		if strings.Contains(plain, word) {
			return true
		}
	}
	return false
}

// harmlessNames end like those of secrets, and hold none: what keeps a browser's form apart from a stranger's, a place in a
// listing.
var harmlessNames = []string{"csrftoken", "xsrftoken", "atlassiantoken", "pagetoken", "nexttoken", "continuationtoken", "synctoken", "idempotencykey"}

// vagueNames are ends of names that hold secrets often, and often none.
var vagueNames = []string{"key", "auth", "sig", "appid"}

// NamesSecret says whether a header or a parameter of this name holds a secret. It is for what is refused, so a name that
// only holds such a word, as max_tokens and cookie_consent do, is none.
func NamesSecret(name string) bool {
	plain := plainName(name)
	return endsIn(plain, secretWords) && !endsIn(plain, harmlessNames)
}

// HoldsSecret says whether a value that stands under a name is a secret, as far as the two tell: by the name alone, or, where
// that is vague, by a value that no person has made up.
func HoldsSecret(name, value string) bool {
	if NamesSecret(name) {
		return true
	}
	plain := plainName(name)
	return endsIn(plain, vagueNames) && !endsIn(plain, harmlessNames) && looksGenerated(value)
}

// plainName is a name without case and punctuation.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r == '-' || r == '_' || r == '.' || r == ' ':
			return -1
		}
		return r
	}, name)
}

func endsIn(plain string, ends []string) bool {
	for _, end := range ends {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return false
}

// Bounds of what looks generated: words and numbers that people write change seldom from letters to digits and back.
const (
	generatedLength  = 16
	generatedChanges = 4
)

func looksGenerated(value string) bool {
	changes, last := 0, rune(0)
	for _, r := range value {
		kind := rune(0)
		switch {
		case '0' <= r && r <= '9':
			kind = '0'
		case 'a' <= r|0x20 && r|0x20 <= 'z':
			kind = 'a'
		case r <= ' ' || r > 0x7e:
			return false // a text
		}
		if kind == 0 {
			continue
		}
		if last != 0 && kind != last {
			changes++
		}
		last = kind
	}
	return len(value) >= generatedLength && changes >= generatedChanges
}
