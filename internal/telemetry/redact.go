package telemetry

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/weir-collect/weir/collection"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// secretsInText finds secrets inside longer texts: what makes a signed URL valid, and the password of an address.
var secretsInText = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`(?i)(X-Amz-(?:Signature|Credential|Security-Token)(?:=|%3D))[^&\s"'\\]+`), "${1}" + redacted},
	{regexp.MustCompile(`(://[^/\s:@"]*):[^/\s@"]+@`), "${1}:" + redacted + "@"},
	{regexp.MustCompile(`(?i)\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}`), "${1}" + redacted},
}

// redact is the last defence against secrets in logs: the first is not to log them. It drops values whose name, or
// the name of a group around them, says that they are secret, and cuts secrets out of texts.
func redact(groups []string, a slog.Attr) slog.Attr {
	if collection.LooksSecret(a.Key) || anySecretName(groups) {
		return slog.Attr{Key: a.Key, Value: redactValue(a.Value)}
	}
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(scrub(a.Value.String()))
	case slog.KindAny:
		a.Value = scrubAny(a.Value)
	}
	return a
}

func anySecretName(names []string) bool {
	for _, name := range names {
		if collection.LooksSecret(name) {
			return true
		}
	}
	return false
}

// redactValue keeps values that cannot be a secret: a count of tokens, or whether there is a password.
func redactValue(v slog.Value) slog.Value {
	switch v.Kind() {
	case slog.KindString, slog.KindAny, slog.KindGroup, slog.KindLogValuer:
		return slog.StringValue(redacted)
	}
	return v
}

// scrub cuts secrets out of a text.
func scrub(text string) string {
	for _, s := range secretsInText {
		text = s.pattern.ReplaceAllString(text, s.replacement)
	}
	return text
}

// scrubAny looks into errors, and into what is logged as a structure: headers, inputs.
func scrubAny(v slog.Value) (clean slog.Value) {
	// A method of the value may panic, for instance on a nil pointer; that must not take down whoever logs.
	defer func() {
		if p := recover(); p != nil {
			clean = slog.StringValue(fmt.Sprintf("[cannot be written: %v]", p))
		}
	}()
	switch x := v.Any().(type) {
	case error:
		return slog.StringValue(scrub(x.Error()))
	case fmt.Stringer:
		return slog.StringValue(scrub(x.String()))
	}
	encoded, err := json.Marshal(v.Any())
	if err != nil {
		return slog.StringValue(scrub(fmt.Sprintf("%+v", v.Any())))
	}
	var tree any
	if err := json.Unmarshal(encoded, &tree); err != nil {
		return slog.StringValue(scrub(string(encoded)))
	}
	if tree, changed := scrubTree(tree); changed {
		return slog.AnyValue(tree)
	}
	return v
}

// scrubTree cleans decoded JSON in place and says whether anything had to be cleaned.
func scrubTree(node any) (clean any, changed bool) {
	switch x := node.(type) {
	case string:
		text := scrub(x)
		return text, text != x
	case []any:
		for i := range x {
			item, c := scrubTree(x[i])
			x[i], changed = item, changed || c
		}
	case map[string]any:
		for name, value := range x {
			if collection.LooksSecret(name) && value != nil {
				x[name], changed = redacted, true
				continue
			}
			item, c := scrubTree(value)
			x[name], changed = item, changed || c
		}
	}
	return node, changed
}
