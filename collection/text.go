package collection

import "unicode/utf8"

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

// Shown is the line that labels a record where people look at it.
func (r Record) Shown() string {
	if r.URL != "" {
		return Clip(r.URL, MaxKeyShown)
	}
	return Clip(r.Key, MaxKeyShown)
}
