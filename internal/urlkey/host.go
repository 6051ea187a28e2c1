package urlkey

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// lookup is the IDNA lookup profile run the way browsers run it (WHATWG URL,
// "domain to ASCII", not strict): hosts with an underscore or with hyphens in
// the third and fourth place exist and are served, so neither rule of the
// stock profile applies. What may stand in a host is tested afterwards.
var lookup = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.CheckHyphens(false),
	idna.StrictDomainName(false),
)

// normaliseHost follows the host parser of the WHATWG URL standard (section
// 3.5), which fills what RFC 3986 section 3.2.2 leaves to the resolver.
func normaliseHost(host string) (string, error) {
	if strings.HasPrefix(host, "[") {
		return normaliseIPv6(host)
	}
	name, err := toASCII(host)
	if err != nil {
		return "", err
	}
	if endsInNumber(name) {
		return normaliseIPv4(host, name)
	}
	return name, checkName(host, name)
}

// toASCII decodes percent triplets (RFC 3986 section 3.2.2 allows them in a
// name), folds case and applies IDNA.
func toASCII(host string) (string, error) {
	name := percentDecode(host)
	if !utf8.ValidString(name) {
		return "", refuse(BadHost, "the host %q is not UTF-8", excerpt(host))
	}
	lower := strings.ToLower(name)
	if isASCII(name) && !strings.Contains(lower, "xn--") {
		return lower, nil
	}
	ascii, err := lookup.ToASCII(name)
	if err != nil {
		return "", refuse(BadHost, "the host %q is not a valid internationalised name: %s", excerpt(host), strings.TrimPrefix(err.Error(), "idna: "))
	}
	// A name whose mapping is not its own mapping would make two keys of one host.
	if again, err := lookup.ToASCII(ascii); err != nil || again != ascii {
		return "", refuse(BadHost, "the host %q is not a valid internationalised name: its mapping is not stable", excerpt(host))
	}
	return ascii, nil
}

// Limits of RFC 1035 section 2.3.4, without the dot of the root.
const (
	maxLabel = 63
	maxName  = 253
)

// checkName refuses what no resolver can answer. The WHATWG parser lets some
// punctuation and empty labels through; nothing can be contacted there.
func checkName(host, name string) error {
	// One final dot is the root and stays: a server sees it in its Host header.
	bare := strings.TrimSuffix(name, ".")
	if len(bare) > maxName {
		return refuse(BadHost, "the host %q is longer than %d characters", excerpt(host), maxName)
	}
	for label := range strings.SplitSeq(bare, ".") {
		if label == "" {
			return refuse(BadHost, "the host %q has an empty part between dots", excerpt(host))
		}
		if len(label) > maxLabel {
			return refuse(BadHost, "the host %q has a part longer than %d characters", excerpt(host), maxLabel)
		}
		for i := range len(label) {
			if c := label[i]; !isAlnum(c) && c != '-' && c != '_' {
				return refuse(BadHost, "the host %q has a character that cannot be in a host name: %q", excerpt(host), rune(c))
			}
		}
	}
	return nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
