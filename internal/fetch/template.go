package fetch

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// fields are a record's fields by name, each as its JSON.
type fields map[string]json.RawMessage

func readFields(rec collection.Record) (fields, error) {
	f := fields{}
	if len(rec.Fields) > 0 {
		if err := json.Unmarshal(rec.Fields, &f); err != nil {
			return nil, inputError("the record's fields are not a JSON object: %v", err)
		}
	}
	if f == nil {
		f = fields{}
	}
	if _, own := f["url"]; !own && rec.URL != "" {
		text, err := json.Marshal(rec.URL)
		if err != nil {
			return nil, inputError("the record's URL is not text: %v", err)
		}
		f["url"] = text
	}
	return f, nil
}

// raw is a field's JSON; a field that is not there is the record's fault.
func (f fields) raw(name string) (json.RawMessage, error) {
	value, ok := f[name]
	if !ok {
		return nil, &InputError{Field: name, Detail: "the record has no field " + quoted(name) + ", which the source's request needs"}
	}
	return bytes.TrimSpace(value), nil
}

// text is a field's value as text: a string itself, a number or boolean as it is written.
func (f fields) text(name string) (string, error) {
	value, err := f.raw(name)
	if err != nil {
		return "", err
	}
	var s string
	switch {
	case len(value) == 0 || value[0] == '{' || value[0] == '[' || string(value) == "null":
		return "", &InputError{Field: name, Detail: "the record's field " + quoted(name) + " is " + kindOf(value) + ": the source's request needs a text, a number or a boolean"}
	case value[0] != '"':
		return string(value), nil
	}
	if err := json.Unmarshal(value, &s); err != nil {
		return "", &InputError{Field: name, Detail: "the record's field " + quoted(name) + " is not valid JSON"}
	}
	return s, nil
}

func kindOf(value json.RawMessage) string {
	switch {
	case len(value) > 0 && value[0] == '{':
		return "an object"
	case len(value) > 0 && value[0] == '[':
		return "a list"
	}
	return "empty"
}

// quoted is a name for a message, cut where it is long.
func quoted(name string) string {
	const most = 80
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	b, err := json.Marshal(name)
	if err != nil {
		return "?"
	}
	return string(b)
}

// expand replaces every placeholder by what value makes of its name; at is where the placeholder begins.
func expand(template string, value func(name string, at int) (string, error)) (string, error) {
	var b strings.Builder
	end := 0
	for _, m := range collection.Placeholder.FindAllStringSubmatchIndex(template, -1) {
		text, err := value(template[m[2]:m[3]], m[0])
		if err != nil {
			return "", err
		}
		b.WriteString(template[end:m[0]])
		b.WriteString(text)
		end = m[1]
	}
	b.WriteString(template[end:])
	return b.String(), nil
}

// expandURL fills a URL template; everything but RFC 3986's unreserved characters is percent-encoded, as RFC 6570 does.
// A value cannot change which path is asked for: one that is empty, "." or ".." is refused before the query.
func expandURL(template string, f fields) (string, error) {
	// "{url}" alone is the record's own URL, which is whole already.
	if template == "{url}" {
		return f.text("url")
	}
	query := strings.IndexByte(template, '?')
	return expand(template, func(name string, at int) (string, error) {
		text, err := f.text(name)
		if err != nil {
			return "", err
		}
		inPath := query < 0 || at < query
		if inPath && (text == "" || text == "." || text == "..") {
			return "", &InputError{Field: name, Detail: "the record's field " + quoted(name) + " is " + quoted(text) + ", which would make another URL of the source's template"}
		}
		return encodeReserved(text), nil
	})
}

// Expand fills a template with the record's fields, each as its text; {url} is the record's URL unless it has a field of
// that name. Its error is an *InputError.
func Expand(template string, rec collection.Record) (string, error) {
	f, err := readFields(rec)
	if err != nil {
		return "", err
	}
	return expandText(template, f)
}

func expandText(template string, f fields) (string, error) {
	return expand(template, func(name string, _ int) (string, error) { return f.text(name) })
}

// expandForm fills the template of a form body.
func expandForm(template string, f fields) (string, error) {
	return expand(template, func(name string, _ int) (string, error) {
		text, err := f.text(name)
		return url.QueryEscape(text), err
	})
}

// encodeReserved percent-encodes every byte but the unreserved ones.
func encodeReserved(s string) string {
	return encodeIllegal(strings.ReplaceAll(s, "%", "%25"), func(c byte) bool {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		return c != '%' && !letter && !('0' <= c && c <= '9') && strings.IndexByte("-._~", c) < 0
	})
}

// expandJSON fills the template of a JSON body: a placeholder becomes the field's JSON, or, inside a string, its text.
func expandJSON(template string, f fields) (string, error) {
	body, err := expand(template, func(name string, at int) (string, error) {
		if !insideString(template[:at]) {
			value, err := f.raw(name)
			return string(value), err
		}
		text, err := f.text(name)
		if err != nil {
			return "", err
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			return "", err
		}
		return string(quoted[1 : len(quoted)-1]), nil
	})
	if err == nil && !json.Valid([]byte(body)) {
		err = inputError("the source's body, filled with this record, is not JSON: correct the template")
	}
	return body, err
}

// insideString says whether a JSON string is open at the end of a piece of JSON.
func insideString(json string) bool {
	open := false
	for i := 0; i < len(json); i++ {
		switch {
		case open && json[i] == '\\':
			i++
		case json[i] == '"':
			open = !open
		}
	}
	return open
}
