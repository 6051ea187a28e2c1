// Package extract turns a captured response into the fields of a document, by rules that a configuration describes.
//
// Compile checks a source's rules when the process starts and reports every problem at once; Apply runs them over one
// body. The package must not know where bodies come from or where documents go: it takes bytes and gives values. It
// knows no clock, no environment and no network, and does no I/O, except that Compile looks up time zones. The same
// body under the same rules gives the same result, byte for byte, so that a document parsed twice has one checksum.
//
// # What a rule yields
//
// A field without a value is absent from the result; an empty text counts as no value. A list is always an array, and
// empty when nothing was found. A body in which no field finds anything is parse_empty; a required field without a
// value, or a value that is not what the field's type says, is parse_invalid. A list of objects leaves out elements in
// which nothing was found, with a warning. Numbers are json.Number and keep every digit that the response wrote.
//
// What a text could mean in two ways is refused, with the key that settles it: three digits behind a decimal separator that no rule
// names, digits that a page keeps apart, dates that two layouts read differently or that the clocks of the zone leave out or
// repeat. An address of type url is one of the web, and names its host.
//
// # Where a rule looks
//
// In HTML: css (text or attribute of an element), json_ld and microdata (jq over the page's items). In JSON: jq. In
// CSV: column. The fields of an object are read inside it, by the same kind of locator: css inside the selected
// element, where ":scope" is that element itself; a jq expression over the selected value. Without list, the first
// match counts, even where it is empty. With list, an array that a jq expression yields stands for its elements.
//
// A CSV document is one record. column takes the first row, or every row with list. An object in a CSV document has no
// locator: it stands for a row, and a list of objects for all rows.
//
// # Bounds
//
// The caller bounds the body. One that is gzip although nobody said so is unpacked, up to 10 MiB or its own size; beyond
// that it is a decode_error. A list holds at most 10,000 values, a jq expression gives at most 10,000 outputs and
// takes at most 10 million steps, and one document holds at most about 64 MiB of values; beyond that the record is
// parse_invalid, never cut short. All work on a document is counted, and ends as parse_invalid beyond some ten
// seconds' worth; siblings that a selector compares are counted each time. A page has at most 786,432 nodes, two attributes counting as one, and a JSON document as many values; a CSV document has at most 10,000
// columns; one attribute of a microdata item lists at most 1,000 words. Weight says what all this may take in memory. The
// caller may break off at any time, by Input.Still. Numbers have at most 1,000 characters and exponents of at most ±1,000. The HTML parser
// refuses pages that nest deeper than 512 elements; such a page is a decode_error. A panic of a library is not caught.
package extract
