package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds how deep a row may nest; the row itself is the first level.
const maxDepth = 64

// parseRow reads the one object that a line must hold. first says that no row
// has been read before: then a bracket means that the whole file is an array.
func parseRow(line []byte, first bool) (map[string]any, error) {
	if err := checkLine(line, first); err != nil {
		return nil, err
	}
	whole := json.NewDecoder(bytes.NewReader(line))
	var object json.RawMessage
	if err := whole.Decode(&object); err != nil {
		return nil, syntaxProblem(err)
	}
	if rest := trimJSON(line[whole.InputOffset():]); len(rest) == 1 && rest[0] == ',' {
		return nil, badRow("a comma follows the object: JSON Lines has no commas between rows")
	} else if len(rest) > 0 {
		return nil, badRow("something follows the object: write one object per line")
	}
	if at := loneSurrogate(object); at >= 0 {
		return nil, badRowf("half a surrogate pair is escaped at byte %d: it stands for no character", at+1)
	}
	// Tokens, because a map would keep the last of two equal keys without a word.
	tokens := json.NewDecoder(bytes.NewReader(object))
	tokens.UseNumber()
	value, err := readValue(tokens, 1)
	if err != nil {
		return nil, err
	}
	return value.(map[string]any), nil // checkLine saw its brace
}

// wholeArray is what a file is mistaken for whose first row begins with a bracket, however long that row is.
const wholeArray badRow = "the file looks like one JSON array: write one object per line, without brackets around and commas between them"

// checkLine refuses what cannot be an object, with the likeliest cause.
func checkLine(line []byte, first bool) error {
	switch {
	case bytes.HasPrefix(line, []byte(byteOrderMark)):
		return badRow("the line starts with a byte order mark: files were joined, remove the mark")
	case bytes.IndexByte(line, 0) >= 0:
		return badRow("the line has a NUL byte: the file is binary or damaged")
	case !utf8.Valid(line):
		return badRow("the line is not UTF-8: save the file as UTF-8")
	}
	switch start := trimJSON(line)[0]; {
	case start == '{':
		return nil
	case start == '[' && first:
		return wholeArray
	case start == '[':
		return badRow("a row must be a JSON object, this one is an array")
	}
	return badRow("a row must be a JSON object, starting with {")
}

func syntaxProblem(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return badRow("the object is not complete on its line: write each object on one line")
	case errors.As(err, &syntax):
		return badRowf("the line is not JSON at byte %d: %v", syntax.Offset, err)
	}
	return badRowf("the line is not JSON: %v", err)
}

// readValue builds the next value of text that is known to be valid JSON.
func readValue(tokens *json.Decoder, depth int) (any, error) {
	token, err := tokens.Token()
	if err != nil {
		return nil, syntaxProblem(err)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth > maxDepth {
		return nil, badRowf("the row nests deeper than %d levels", maxDepth)
	}
	if delim == '{' {
		return readObject(tokens, depth)
	}
	array := []any{}
	for tokens.More() {
		value, err := readValue(tokens, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err = tokens.Token()
	return array, err
}

func readObject(tokens *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for tokens.More() {
		token, err := tokens.Token()
		if err != nil {
			return nil, syntaxProblem(err)
		}
		key, _ := token.(string) // valid JSON has strings here
		if _, twice := object[key]; twice {
			return nil, badRowf("the key %q is given twice: either value could be meant", excerpt(key))
		}
		if object[key], err = readValue(tokens, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := tokens.Token()
	return object, err
}

// loneSurrogate finds an escape that is half a pair (RFC 8259 section 8.2) in
// valid JSON, or -1. encoding/json would put U+FFFD in its place.
func loneSurrogate(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // at the character that is escaped
		unit := escapedUnit(text[i:])
		if unit < 0xd800 || unit > 0xdfff {
			continue
		}
		const length = len(`\uxxxx`)
		second := i - 1 + length
		if unit >= 0xdc00 || text[second] != '\\' {
			return i - 1
		}
		if low := escapedUnit(text[second+1:]); low < 0xdc00 || low > 0xdfff {
			return i - 1
		}
		i = second + length - 1
	}
	return -1
}

// escapedUnit is the value of text that starts with u and four hex digits, or -1.
func escapedUnit(text []byte) int {
	if len(text) < 5 || text[0] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[1:5]), 16, 16)
	if err != nil {
		return -1
	}
	return int(unit)
}
