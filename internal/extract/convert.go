package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// convert makes a match what the field's type says. A match without a value gives nil.
func (r *reader) convert(f *field, h hit) (any, error) {
	if f.isNumeric() {
		if err := r.checkJoined(f, h); err != nil {
			return nil, err
		}
	}
	if !h.plain {
		if f.kind == typeAny && f.match == nil {
			return h.value, nil
		}
		if done, value, err := native(f, h.value); done {
			return value, err
		}
	}
	text, before, err := f.text(h)
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	switch f.kind {
	case typeInteger, typeNumber:
		return r.numeral(f, h, text, before)
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

// numeral reads a number from what a match was cut to; before is what was cut off in front.
func (r *reader) numeral(f *field, h hit, text, before string) (any, error) {
	as := f.notation()
	if _, exact := h.value.(json.Number); exact {
		as.decimal, as.exact = '.', true
	}
	var err error
	if as.seams, err = r.seams(h); err != nil {
		return nil, err
	}
	as.seams = behind(as.seams, inkOf(before))
	if f.kind == typeInteger {
		return parseInteger(text, as)
	}
	return parseNumber(text, as)
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

// text is a match as text: cleaned, and cut to what the rule's regular expression matches. before is what was cut off in front.
func (f *field) text(h hit) (text, before string, err error) {
	text, err = h.words()
	if err != nil {
		return "", "", err
	}
	if f.trim {
		text = clean(text)
	}
	if f.match != nil {
		at := f.match.FindStringSubmatchIndex(text)
		if at == nil {
			return "", "", nil
		}
		if len(at) > 2 {
			at = at[2:]
		}
		if at[0] < 0 { // the group took no part in the match
			return "", "", nil
		}
		text, before = text[at[0]:at[1]], text[:at[0]]
		if f.trim {
			text = clean(text)
		}
	}
	return text, before, nil
}

// words is the text of a match as it was found.
func (h hit) words() (string, error) {
	if h.plain {
		return h.text, nil
	}
	switch v := h.value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return fmt.Sprint(v), nil
	default:
		return "", fmt.Errorf("the value is a %T, not a text", v)
	}
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
