package layout

import (
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"
)

// Parquet writes one part as a Parquet file of one row group, packed with Snappy, which every reader knows. Columns of
// fields may be null: where a field is missing or null. A column whose values have no type in common holds text, objects and
// lists as JSON. fetched_at is a timestamp in UTC, cut to microseconds.
func (t *Table) Parquet(w io.Writer, documents []Document) error {
	schema := parquet.NewSchema("document", t.root())
	// The creator is written into the file: without a version, so that the same documents stay the same bytes.
	out := parquet.NewWriter(w, schema, parquet.CreatedBy("weir", "", ""), parquet.MaxRowsPerRowGroup(int64(len(documents))+1))
	row := make(parquet.Row, len(t.columns))
	for _, d := range documents {
		for i, c := range t.columns {
			row[i] = c.value(d).Level(0, c.level(d), i)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return fmt.Errorf("write a part as Parquet: record %s: %w", d.Record, err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write a part as Parquet: %w", err)
	}
	return nil
}

// root is the schema's root: a group whose columns keep their order, where the library's own sorts them.
func (t *Table) root() parquet.Node {
	g := orderedGroup{Group: parquet.Group{}}
	for _, c := range t.columns {
		node := parquet.Compressed(c.node(), &snappy.Codec{})
		g.Group[c.title] = node
		g.fields = append(g.fields, orderedField{Node: node, name: c.title})
	}
	return g
}

type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

// Fields are the columns in the order of the table.
func (g orderedGroup) Fields() []parquet.Field { return g.fields }

type orderedField struct {
	parquet.Node
	name string
}

// Name is the column's.
func (f orderedField) Name() string { return f.name }

// Value is of no use here: rows are written as they are, and not taken out of a Go value.
func (f orderedField) Value(reflect.Value) reflect.Value { return reflect.Value{} }

func (c column) node() parquet.Node {
	if c.field == "" {
		if c.typ == typeTime {
			return parquet.Timestamp(parquet.Microsecond)
		}
		return parquet.String()
	}
	switch c.typ {
	case typeBool:
		return parquet.Optional(parquet.Leaf(parquet.BooleanType))
	case typeInteger:
		return parquet.Optional(parquet.Int(64))
	case typeNumber:
		return parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
	return parquet.Optional(parquet.String())
}

// level is 1 where an optional column has a value.
func (c column) level(d Document) int {
	if c.field == "" || kindOf(d.values[c.field]) == kindNull {
		return 0
	}
	return 1
}

// value is a document's value of the column. The column's type was chosen so that it holds every one.
func (c column) value(d Document) parquet.Value {
	if c.field == "" {
		if c.typ == typeTime {
			return parquet.Int64Value(d.FetchedAt.UnixMicro())
		}
		return parquet.ByteArrayValue([]byte(d.own(c.title)))
	}
	value := d.values[c.field]
	if kindOf(value) == kindNull {
		return parquet.NullValue()
	}
	switch c.typ {
	case typeBool:
		return parquet.BooleanValue(value[0] == 't')
	case typeInteger:
		n, _ := strconv.ParseInt(string(value), 10, 64)
		return parquet.Int64Value(n)
	case typeNumber:
		f, _ := strconv.ParseFloat(string(value), 64)
		return parquet.DoubleValue(f)
	}
	return parquet.ByteArrayValue([]byte(text(value)))
}
