package config

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
)

// Secret is a reference to a secret: "env:NAME" or "file:PATH". It never holds the secret itself, so printing it in
// whatever way shows the reference only. The zero Secret is one that was not set.
type Secret struct{ ref string }

// errReference says nothing of the value that it is about: what is not a reference may be the secret itself.
var errReference = errors.New("write a reference, not the secret itself: env:NAME for an environment variable, file:PATH for a file")

var envNamePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckReference says whether ref is a reference to a secret. The error does not hold ref.
func CheckReference(ref string) error {
	if name, ok := strings.CutPrefix(ref, "env:"); ok && envNamePattern.MatchString(name) {
		return nil
	}
	if path, ok := strings.CutPrefix(ref, "file:"); ok && path != "" && !strings.ContainsAny(path, "\x00\r\n") {
		return nil
	}
	return errReference
}

// ParseSecret makes a Secret of a reference. It refuses anything else, without repeating it in the error.
func ParseSecret(ref string) (Secret, error) {
	if err := CheckReference(ref); err != nil {
		return Secret{}, err
	}
	return Secret{ref: ref}, nil
}

// IsZero says that no secret was set.
func (s Secret) IsZero() bool { return s.ref == "" }

// Resolve reads the secret, now: a rotated file is seen by the next call. One trailing newline of a file is cut, as
// editors add it. A secret that was not set is empty; one that is set must not be. Errors name the reference.
func (s Secret) Resolve(env func(string) (string, bool), readFile func(string) ([]byte, error)) (string, error) {
	if s.IsZero() {
		return "", nil
	}
	if name, ok := strings.CutPrefix(s.ref, "env:"); ok {
		value, _ := env(name)
		if value == "" {
			return "", fmt.Errorf("secret %s: set the environment variable %s; it is missing or empty", s.ref, name)
		}
		return value, nil
	}
	content, err := readFile(strings.TrimPrefix(s.ref, "file:"))
	if err != nil {
		return "", fmt.Errorf("secret %s: make the file readable for this process: %w", s.ref, err)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	if value == "" {
		return "", fmt.Errorf("secret %s: put the secret into the file; it is empty", s.ref)
	}
	return value, nil
}

// String is the reference.
func (s Secret) String() string { return s.ref }

// Format writes the reference for every verb, also where the Secret is a field of what is printed.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.ref
	if verb == 'q' || f.Flag('#') {
		text = strconv.Quote(text)
	}
	_, _ = f.Write([]byte(text))
}

// LogValue is the reference.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.ref) }

// MarshalText writes the reference, for JSON and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.ref), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Secret) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = Secret{}
		return nil
	}
	parsed, err := ParseSecret(string(text))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}
