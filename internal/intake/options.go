package intake

import (
	"fmt"
	"strings"
)

// The formats a file can have.
const (
	// FormatCSV is RFC 4180 with a header, separated by comma, semicolon, tab or bar.
	FormatCSV = "csv"
	// FormatJSONL is one JSON object per line.
	FormatJSONL = "jsonl"
)

// The limits that apply where Options leaves them at zero.
const (
	// DefaultMaxRow is the default of Options.MaxRow, in bytes.
	DefaultMaxRow int64 = 1 << 20
	// DefaultMaxDecoded is the default of Options.MaxDecoded, in bytes.
	DefaultMaxDecoded int64 = 8 << 30
)

// Options say how to read one file.
type Options struct {
	// Name is the file's name, for messages and, by its extension, for the format.
	Name string
	// Format is FormatCSV, FormatJSONL, or empty: then the extension of Name
	// decides, and without a known one the first character of the text.
	Format string
	// MaxRow is the most bytes one row may have once decompressed, without its
	// line end. Zero means DefaultMaxRow.
	MaxRow int64
	// MaxDecoded is the most bytes the file may have once decompressed. Zero
	// means DefaultMaxDecoded.
	MaxDecoded int64
}

func (o Options) withDefaults() (Options, error) {
	if o.Format != "" && o.Format != FormatCSV && o.Format != FormatJSONL {
		return o, fmt.Errorf("the format %q is not known: use %q or %q, or leave it out", o.Format, FormatCSV, FormatJSONL)
	}
	if o.MaxRow < 0 || o.MaxDecoded < 0 {
		return o, fmt.Errorf("the limits of a row (%d) and of the file (%d) must not be negative", o.MaxRow, o.MaxDecoded)
	}
	if o.MaxRow == 0 {
		o.MaxRow = DefaultMaxRow
	}
	if o.MaxDecoded == 0 {
		o.MaxDecoded = DefaultMaxDecoded
	}
	// A row cannot be longer than the file; this also keeps it within an int.
	o.MaxRow = min(o.MaxRow, o.MaxDecoded, 1<<30)
	if o.Format == "" {
		o.Format = formatByName(o.Name)
	}
	return o, nil
}

// formatByName looks at the extension, under that of a compression.
func formatByName(name string) string {
	name = strings.ToLower(name)
	for _, compression := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		if rest, ok := strings.CutSuffix(name, compression); ok {
			name = rest
			break
		}
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "csv", "tsv":
		return FormatCSV
	case "jsonl", "ndjson", "json":
		return FormatJSONL
	}
	return ""
}

// blankStart is how much white space may stand before the character that
// decides the format, in bytes.
const blankStart = 4096

// formatByText decides by the first character: a CSV header cannot usefully
// start with a bracket.
func formatByText(w *window) string {
	for i := range blankStart {
		switch b, ok := w.at(i); {
		case !ok:
			return FormatCSV
		case b == '{' || b == '[':
			return FormatJSONL
		case !strings.ContainsRune(" \t\r\n", rune(b)):
			return FormatCSV
		}
	}
	return FormatCSV
}
