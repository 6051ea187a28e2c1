// Package intake reads a submitted file row by row: CSV (RFC 4180) or JSON
// Lines, plain, gzip or zstd. It holds one row at a time, so its memory is
// bounded by the row limit and the decompressor's window, whatever the file.
//
// It must not know what a record, a source or a submission is, nor where the
// bytes come from: which columns matter is the caller's business. It starts no
// goroutine and reads no clock.
//
// # What happens to a bad row
//
// A malformed row fails alone: Next returns a *RowError with the line on
// which the row starts, and the call after it goes on. A row that cannot be
// parsed costs exactly its first physical line. This matters for a quote that
// is opened and never closed: the lines behind it are read as rows again, so
// one stray quote loses one row and not the rest of the file. The price is that
// the later lines of a broken multi-line row are judged as rows of their own;
// they too end as rows or as errors, and none is passed over in silence.
//
// # Decisions
//
//   - Text is UTF-8; a byte order mark at the start is dropped, UTF-16 with a
//     byte order mark is decoded. A row with other bytes is an error, never a
//     guess. So is half a surrogate pair, in UTF-16 and in JSON escapes.
//   - A NUL byte makes a row malformed: it is a sign of a binary file. Other
//     control characters are data and stay, and so does an escaped NUL in JSON.
//   - Blank lines are skipped and counted. In CSV a blank line is empty; in JSON
//     Lines it may hold white space.
//   - CSV values are never changed: no trimming, no numbers, line breaks inside
//     quotes as written. Column names are trimmed.
//   - A column name given twice spoils the file, since either value could be
//     meant. A column without a name may only hold empty values.
//   - JSON keys given twice in one object spoil the row. Numbers keep their text.
package intake
