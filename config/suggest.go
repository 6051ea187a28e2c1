package config

import (
	"fmt"
	"strings"
)

// unknownKey says what to do about a key that does not exist: path is where it stands, siblings are the keys that could
// stand there.
func unknownKey(path, key string, siblings []string) string {
	if near := nearest(key, siblings); near != "" {
		return fmt.Sprintf("there is no such key: did you mean %s?", near)
	}
	// Perhaps it stands in the wrong section.
	for _, k := range knownKeys() {
		if strings.HasSuffix(k.path, "."+key) && k.path != path {
			return fmt.Sprintf("there is no such key: did you mean %s?", k.path)
		}
	}
	return "there is no such key: use one of " + strings.Join(siblings, ", ")
}

// nearest is the key that is spelled most like another, or nothing if none is like it.
func nearest(key string, candidates []string) string {
	return Nearest(strings.ReplaceAll(strings.ToLower(key), "-", "_"), candidates)
}

// Nearest is the candidate that is spelled most like a name, or nothing if none is like it.
func Nearest(name string, candidates []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(name, c); d < least && d < len(c) {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
