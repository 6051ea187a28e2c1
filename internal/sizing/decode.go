package sizing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The standard decoder stops at the first value of a wrong type. These decoders go on, so that a person mends a file once.

// decoder reads one value; where names it in a problem.
type decoder func(d *decoding, where string, raw json.RawMessage)

type fields map[string]decoder

type decoding struct{ problems *Problems }

// object reads an object and returns which of its keys were given.
func (d *decoding) object(where string, raw json.RawMessage, known fields) map[string]bool {
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil || values == nil {
		name := where
		if name == "" {
			name = "the file"
		}
		d.refuse(name, raw, "write an object in braces")
		return nil
	}
	for _, key := range repeated(raw) {
		d.problems.add(strings.TrimPrefix(where+"."+key, "."), nil, "it stands more than once: leave one of them")
	}
	given := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := strings.TrimPrefix(where+"."+key, ".")
		read, ok := known[key]
		if !ok {
			d.problems.add(path, nil, "there is no such key: use %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			continue
		}
		given[key] = true
		read(d, path, values[key])
	}
	return given
}

// repeated are the keys that an object has more than once, each once, in order. The standard decoder takes the last value and
// says nothing.
func repeated(object json.RawMessage) []string {
	decoder, times := json.NewDecoder(bytes.NewReader(object)), map[string]int{}
	var twice []string
	_, err := decoder.Token() // the brace
	for err == nil && decoder.More() {
		var key json.Token
		if key, err = decoder.Token(); err == nil {
			var value json.RawMessage
			err = decoder.Decode(&value)
		}
		if name, ok := key.(string); ok {
			if times[name]++; times[name] == 2 {
				twice = append(twice, name)
			}
		}
	}
	return twice
}

// refuse reports a value that is no such thing, cut to what a person needs to find it.
func (d *decoding) refuse(where string, raw json.RawMessage, advice string) {
	given := []rune(string(raw))
	if len(given) > 40 {
		given = append(given[:40], '…')
	}
	d.problems.add(where, string(given), "%s", advice)
}

func part(known fields) decoder {
	return func(d *decoding, where string, raw json.RawMessage) { d.object(where, raw, known) }
}

// optional reads an object or null, which leaves it out.
func optional[T any](into **T, known func(*T) fields) decoder {
	return func(d *decoding, where string, raw json.RawMessage) {
		if string(raw) == "null" {
			*into = nil
			return
		}
		var value T
		if *into != nil {
			value = **into
		}
		d.object(where, raw, known(&value))
		*into = &value
	}
}

func list[T any](into *[]T, each func(*T) decoder) decoder {
	return func(d *decoding, where string, raw json.RawMessage) {
		var raws []json.RawMessage
		if json.Unmarshal(raw, &raws) != nil || raws == nil {
			d.refuse(where, raw, "write a list in brackets")
			return
		}
		*into = make([]T, len(raws))
		for i, one := range raws {
			each(&(*into)[i])(d, fmt.Sprintf("%s[%d]", where, i), one)
		}
	}
}

func number(into *float64) decoder {
	return func(d *decoding, where string, raw json.RawMessage) {
		scalar(d, where, raw, into, "write a number, no larger than a computer holds")
	}
}

func whole[T int | uint64](into *T) decoder {
	return func(d *decoding, where string, raw json.RawMessage) {
		scalar(d, where, raw, into, "write a whole number")
	}
}

func text(into *string) decoder {
	return func(d *decoding, where string, raw json.RawMessage) {
		scalar(d, where, raw, into, "write a text in quotes")
	}
}

// scalar reads a value of a basic type. Null is none: the standard decoder would leave the default and say nothing.
func scalar[T any](d *decoding, where string, raw json.RawMessage, into *T, advice string) {
	if string(raw) == "null" || json.Unmarshal(raw, into) != nil {
		d.refuse(where, raw, advice)
	}
}
