package collection

import (
	"fmt"
	"unicode/utf8"
)

// Clip bounds a text to n bytes, at a rune's border, and marks the cut with an ellipsis. Invalid UTF-8 is kept as it is;
// JSON replaces it.
func Clip(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	cut := max(n-len(mark), 0)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}

// Plural is a number of things: "1 row", "2 rows", "0 rows".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Shown is the line that labels a record where people look at it.
func (r Record) Shown() string {
	if r.URL != "" {
		return Clip(r.URL, MaxKeyShown)
	}
	return Clip(r.Key, MaxKeyShown)
}
