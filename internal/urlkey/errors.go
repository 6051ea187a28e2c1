package urlkey

import "fmt"

// Problem says which part of a URL is at fault. The values are stable.
type Problem string

// The problems a URL can have.
const (
	// NoScheme: the text does not start with a scheme, or "//" does not follow it.
	NoScheme Problem = "no_scheme"
	// UnsupportedScheme: the scheme is neither http nor https.
	UnsupportedScheme Problem = "unsupported_scheme"
	// NoHost: there is nothing between "//" and the path.
	NoHost Problem = "no_host"
	// Userinfo: a user name or password stands before the host.
	Userinfo Problem = "userinfo"
	// BadHost: the host is not a name or an address that can be contacted.
	BadHost Problem = "bad_host"
	// BadPort: the port is not a number from 0 to 65535.
	BadPort Problem = "bad_port"
)

// Error is the refusal of a URL. Its text is one sentence and never contains
// the whole URL, because a URL may carry a credential.
type Error struct {
	// Problem names the part at fault.
	Problem Problem
	// Detail is the sentence for a person.
	Detail string
}

// Error implements error.
func (e *Error) Error() string { return e.Detail }

func refuse(p Problem, format string, args ...any) *Error {
	return &Error{Problem: p, Detail: fmt.Sprintf(format, args...)}
}

// excerptMax keeps messages readable when a cell holds a whole page.
const excerptMax = 80

// excerpt shortens s for a message, on a byte boundary: %q escapes a cut rune.
func excerpt(s string) string {
	if len(s) <= excerptMax {
		return s
	}
	return s[:excerptMax] + "..."
}
