package urlkey

import "strings"

// normalisePath encodes the path and then removes dot segments (RFC 3986
// sections 6.2.2.3 and 5.2.4), in this order because "%2e" is a dot. An empty
// path is "/" (6.2.3). Case, doubled slashes and the slash at the end stay: a
// server can see them.
func normalisePath(path string) string {
	if path == "" {
		return "/"
	}
	var b strings.Builder
	b.Grow(len(path) + 16)
	appendNormalised(&b, path, encodeInPath)
	encoded := b.String()
	if !strings.Contains(encoded, "/.") {
		return encoded
	}
	return removeDotSegments(encoded)
}

// removeDotSegments works on whole segments, which is the same as the loop of
// RFC 3986 section 5.2.4 for a path that starts with a slash.
func removeDotSegments(path string) string {
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case "..":
			if len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
		case ".":
		default:
			kept = append(kept, segment)
			continue
		}
		if last {
			// "/a/." and "/a/.." name a directory: the slash stays.
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}
