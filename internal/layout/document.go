package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The columns that every document has besides its fields.
const (
	columnRecord    = "record"
	columnKey       = "key"
	columnSource    = "source"
	columnURL       = "url"
	columnFetchedAt = "fetched_at"
)

// own are these columns in the order of a table.
var own = []string{columnRecord, columnKey, columnSource, columnURL, columnFetchedAt}

// Document is one line of a delivery, with its fields in their order and values as they are written.
type Document struct {
	Record, Key, Source, URL string
	FetchedAt                time.Time
	names                    []string
	values                   map[string]json.RawMessage
}

// Decode reads a document from its line. The error says what is wrong with the line; it does not hold it.
func Decode(line []byte) (Document, error) {
	var whole struct {
		Record    string          `json:"record"`
		Key       string          `json:"key"`
		Source    string          `json:"source"`
		URL       string          `json:"url"`
		FetchedAt time.Time       `json:"fetched_at"`
		Fields    json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(line, &whole); err != nil {
		return Document{}, fmt.Errorf("the line is not a document: %w", err)
	}
	if whole.Record == "" {
		return Document{}, errors.New("the line is not a document: it names no record")
	}
	d := Document{
		Record: whole.Record, Key: whole.Key, Source: whole.Source, URL: whole.URL, FetchedAt: whole.FetchedAt.UTC(),
		values: map[string]json.RawMessage{},
	}
	return d, d.readFields(whole.Fields)
}

// readFields keeps what decoding into a map would lose: the order of the fields, and how a number is written.
func (d *Document) readFields(object json.RawMessage) error {
	if len(object) == 0 || string(object) == "null" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return errors.New("the line is not a document: its fields are no object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return fmt.Errorf("the document's fields cannot be read: %w", err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return fmt.Errorf("the document's field %q cannot be read: %w", name, err)
		}
		text := name.(string)
		if _, twice := d.values[text]; !twice {
			d.names = append(d.names, text)
		}
		d.values[text] = value
	}
	return nil
}

// kind is what a JSON value is.
type kind int

const (
	kindNull kind = iota
	kindString
	kindBool
	// kindInteger fits an int64 and a float64, kindWide only an int64, kindNumber only a float64, and kindExact neither: they
	// would change it.
	kindInteger
	kindWide
	kindNumber
	kindExact
	kindNested
)

func kindOf(value json.RawMessage) kind {
	if len(value) == 0 {
		return kindNull
	}
	switch value[0] {
	case 'n':
		return kindNull
	case '"':
		return kindString
	case 't', 'f':
		return kindBool
	case '{', '[':
		return kindNested
	}
	return kindOfNumber(string(value))
}

// text is a value as a table shows it: strings as they are, nothing for null, and JSON for the rest.
func text(value json.RawMessage) string {
	switch kindOf(value) {
	case kindNull:
		return ""
	case kindString:
		var s string
		if json.Unmarshal(value, &s) == nil {
			return s
		}
	case kindNested:
		var b bytes.Buffer
		if json.Compact(&b, value) == nil {
			return b.String()
		}
	}
	return string(value)
}
