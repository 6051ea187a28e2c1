// Package layout writes delivered documents as tables: CSV for spreadsheets and loaders, Parquet for warehouses.
//
// A table's columns are those of the whole delivery, so writing takes two passes: a Survey sees every document once and
// makes a Table, and the Table writes its parts, one at a time, to any io.Writer. The same documents always make the same
// bytes. No field's value is changed on the way: a column whose values agree on a type has it, and any other holds text.
//
// The package must not know where documents come from, where parts go to, or what a store, a clock or a workflow is.
package layout
