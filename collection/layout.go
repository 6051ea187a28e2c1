package collection

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The formats of a delivery's parts.
const (
	FormatJSONLines = "jsonl"
	FormatCSV       = "csv"
	FormatParquet   = "parquet"
)

// Layout says how a customer's results are written. The zero Layout is JSON Lines in gzip, named DefaultPartName, in parts of
// weir's own size.
type Layout struct {
	// Format is FormatJSONLines (the default), FormatCSV or FormatParquet.
	Format string `mapstructure:"format" json:"format,omitempty"`
	// Columns are the columns of a table, in their order: names of fields, and of what every document has besides. Without
	// any a table has every field that some document has, in the order in which they are first seen.
	Columns []string `mapstructure:"columns" json:"columns,omitempty"`
	// Records and Bytes close a part, whichever comes first; bytes are those of the documents as JSON Lines before any
	// compression. Zero means weir's own bound.
	Records int   `mapstructure:"records" json:"records,omitempty"`
	Bytes   int64 `mapstructure:"bytes" json:"bytes,omitempty"`
	// Name is a template of a part's file name without extension: {part}, {submission}, {customer} and {date} of acceptance.
	Name string `mapstructure:"name" json:"name,omitempty"`
}

// IsZero says that a layout asks for nothing.
func (l Layout) IsZero() bool {
	return l.Format == "" && len(l.Columns) == 0 && l.Records == 0 && l.Bytes == 0 && l.Name == ""
}

// IsTable says whether the parts are tables, whose columns must be known before the first of them is written.
func (l Layout) IsTable() bool { return l.Format == FormatCSV || l.Format == FormatParquet }

// PlannedLayout is a layout as it was when a submission was planned.
type PlannedLayout struct {
	Layout
	// Types are the types that the parse rules of the submission's sources declare for their fields, as in Field; only those
	// that all of them agree on.
	Types map[string]string `json:"types,omitempty"`
}

// DefaultPartName is the template of a part's name where the layout has none.
const DefaultPartName = "results-{part}"

var (
	partNameText     = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)
	partPlaceholders = []string{"part", "submission", "customer", "date"}
)

// maxPartName bounds the template, so that names stay far below what file systems take.
const maxPartName = 80

// CheckPartName says what is wrong with a template of part names, or nothing.
func CheckPartName(template string) error {
	text := template
	for _, name := range partPlaceholders {
		text = strings.ReplaceAll(text, "{"+name+"}", "")
	}
	switch {
	case !strings.Contains(template, "{part}"):
		return errors.New("the name must hold {part}, or the parts would all be one file")
	case !partNameText.MatchString(text), strings.HasPrefix(template, "."), strings.HasPrefix(template, "-"):
		return errors.New("use letters, digits, '.', '_' and '-' with {part}, {submission}, {customer} and {date}, starting with none of '.' and '-'; the extension is added")
	case len(template) > maxPartName:
		return fmt.Errorf("use at most %d bytes", maxPartName)
	}
	return nil
}

// PartName is the file name of the n-th part (from 1) of a delivery.
func (l Layout) PartName(customer, submission string, acceptedAt time.Time, n int) string {
	template := l.Name
	if template == "" {
		template = DefaultPartName
	}
	return strings.NewReplacer(
		"{part}", fmt.Sprintf("%05d", n), "{submission}", submission, "{customer}", customer,
		"{date}", acceptedAt.UTC().Format(time.DateOnly),
	).Replace(template) + l.extension()
}

func (l Layout) extension() string {
	switch l.Format {
	case FormatCSV:
		return ".csv"
	case FormatParquet:
		return ".parquet"
	}
	return ".jsonl.gz"
}
