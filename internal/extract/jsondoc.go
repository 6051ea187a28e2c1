package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDepth is how deep JSON may nest: well below where encoding/json gives up reading what wraps the document.
const maxDepth = 1000

// duplicates says what to do with a key that stands twice in one object.
type duplicates int

const (
	refuseDuplicates duplicates = iota
	keepLast
)

// openJSON decodes a JSON document. RFC 8259 leaves the meaning of duplicate keys open, so they are refused: whichever
// value was taken, another reader of the same response would see another.
func openJSON(in Input, rd *reader) (any, error) {
	text, err := decodeData(in)
	if err != nil {
		return nil, err
	}
	value, err := readJSON(text, refuseDuplicates, rd)
	if err != nil {
		return nil, decodeError("the body is not JSON: %v", err)
	}
	return value, nil
}

// parseJSON reads one JSON value that no stranger wrote. Numbers stay as they are written.
func parseJSON(text string, d duplicates) (any, error) { return readJSON(text, d, &reader{}) }

// readJSON reads one JSON value, and counts what it holds against what one document may.
func readJSON(text string, d duplicates, rd *reader) (any, error) {
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%w at byte %d", err, syntax.Offset)
		}
		return nil, err
	}
	p := &jsonParser{tokens: json.NewDecoder(bytes.NewReader(whole)), duplicates: d, rd: rd}
	p.tokens.UseNumber()
	return p.value(0)
}

type jsonParser struct {
	tokens     *json.Decoder
	duplicates duplicates
	rd         *reader
}

// objectNodes is what an object weighs besides its members: a map is large even when it is empty.
const objectNodes = 3

func (p *jsonParser) value(depth int) (any, error) {
	token, err := p.tokens.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("it nests deeper than %d", maxDepth)
	}
	if err := p.count(token); err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		if err := checkNumber(t.String()); err != nil {
			return nil, fmt.Errorf("%w at byte %d", err, p.tokens.InputOffset())
		}
		return t, nil
	case json.Delim:
		if t == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	default:
		return t, nil
	}
}

// count takes in a value, and looks whether the caller still waits.
func (p *jsonParser) count(token json.Token) error {
	nodes, size := 1, 1
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			nodes += objectNodes
		}
	case string:
		size += len(t)
	}
	if err := p.rd.strive(size); err != nil {
		return err
	}
	return p.rd.grow(nodes)
}

func (p *jsonParser) array(depth int) (any, error) {
	out := []any{}
	for p.tokens.More() {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := p.tokens.Token()
	return out, err
}

func (p *jsonParser) object(depth int) (any, error) {
	out := map[string]any{}
	for p.tokens.More() {
		token, err := p.tokens.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // the syntax was checked as a whole
		if _, twice := out[key]; twice && p.duplicates == refuseDuplicates {
			return nil, fmt.Errorf("the key %s stands twice in one object, at byte %d", quote(key), p.tokens.InputOffset())
		}
		if out[key], err = p.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, err := p.tokens.Token()
	return out, err
}

// blank says that a text holds nothing but white space.
func blank(text string) bool { return strings.TrimSpace(text) == "" }
