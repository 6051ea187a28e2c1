package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// convert makes a match what the field's type says. A match without a value gives nil.
func (r *reader) convert(f *field, h hit) (any, error) {
	if !h.plain {
		if f.kind == typeAny && f.match == nil {
			return h.value, nil
		}
		if done, value, err := native(f, h.value); done {
			return value, err
		}
	}
	text, err := f.text(h)
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	switch f.kind {
	case typeInteger:
		return parseInteger(text, f.decimal)
	case typeNumber:
		return parseNumber(text, f.decimal)
	case typeBoolean:
		return parseBoolean(text)
	case typeDate, typeDatetime:
		if _, isNumber := h.value.(json.Number); isNumber {
			return nil, fmt.Errorf("%s is a number, not a date; turn it into one in jq, for instance with todate", text)
		}
		return parseMoment(text, f)
	case typeURL:
		return resolve(text, r.base)
	default:
		return text, nil
	}
}

// native takes JSON values that need no detour over text.
func native(f *field, value any) (done bool, out any, err error) {
	switch v := value.(type) {
	case nil:
		return true, nil, nil
	case []any:
		return true, nil, errors.New("the value is an array; set list: true, or take one element in jq")
	case map[string]any:
		return true, nil, errors.New("the value is an object; take a part of it in jq, or set type: object or any")
	case bool:
		if f.kind == typeBoolean && f.match == nil {
			return true, v, nil
		}
	case json.Number:
		if f.match != nil {
			return false, nil, nil
		}
		switch f.kind {
		case typeNumber:
			return true, v, nil
		case typeInteger:
			out, err = wholeNumber(v)
			if err != nil {
				return true, nil, err
			}
			return true, out, nil
		}
	}
	return false, nil, nil
}

// text is a match as text: cleaned, and cut to what the rule's regular expression matches.
func (f *field) text(h hit) (string, error) {
	text := h.text
	if !h.plain {
		switch v := h.value.(type) {
		case string:
			text = v
		case json.Number:
			text = v.String()
		case bool:
			text = fmt.Sprint(v)
		default:
			return "", fmt.Errorf("the value is a %T, not a text", v)
		}
	}
	if f.trim {
		text = clean(text)
	}
	if f.match != nil {
		groups := f.match.FindStringSubmatch(text)
		if groups == nil {
			return "", nil
		}
		text = groups[0]
		if len(groups) > 1 {
			text = groups[1]
		}
		if f.trim {
			text = clean(text)
		}
	}
	return text, nil
}

var booleans = map[string]bool{
	"true": true, "yes": true, "y": true, "on": true, "1": true, "t": true,
	"false": false, "no": false, "n": false, "off": false, "0": false, "f": false,
}

func parseBoolean(text string) (any, error) {
	value, ok := booleans[strings.ToLower(clean(text))]
	if !ok {
		return nil, fmt.Errorf("%s is not a boolean; it must be true or false, yes or no, on or off, 1 or 0", quote(text))
	}
	return value, nil
}
