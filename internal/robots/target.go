package robots

import "strings"

// target is what patterns are matched with: the path and the query of a URL in normal form.
type target struct{ plain, folded string }

// newTarget takes any text for a URL, with or without scheme and host.
func newTarget(url string) target {
	path, query, hasQuery := strings.Cut(normalise(pathAndQuery(url)), "?")
	t := target{plain: resolveDots(path)}
	if hasQuery {
		t.plain += "?" + query
	}
	t.folded, _ = foldQuery(t.plain, false)
	return t
}

// pathAndQuery is the URL without scheme, host and fragment. It starts with a slash.
func pathAndQuery(url string) string {
	// What every client drops before it sends a URL must not hide a path from its rule.
	url = strings.TrimFunc(url, func(r rune) bool { return r <= ' ' })
	url = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(url)
	url, _, _ = strings.Cut(url, "#")
	url = strings.TrimPrefix(url, "//")
	if scheme, rest, found := strings.Cut(url, "://"); found && !strings.ContainsAny(scheme, "/?;") {
		url = rest
	}
	start := strings.IndexAny(url, "/?;")
	if start < 0 {
		return "/"
	}
	if url[start] != '/' {
		return "/" + url[start:]
	}
	return url[start:]
}

// resolveDots removes "." and ".." from a path (RFC 3986, section 5.2.4), since servers do: else "/open/../closed" would
// pass by the rule of "/closed".
func resolveDots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		switch segment {
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		case ".":
		default:
			kept = append(kept, segment)
			continue
		}
		if i == len(segments)-1 {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}
