package config

import (
	"strings"

	"github.com/weir-collect/weir/collection"
)

// divideHosts tells each source with a wildcard which hosts below it are another source's.
func divideHosts(sources []collection.Source) {
	for i := range sources {
		sources[i].Elsewhere = nil
		for _, pattern := range sources[i].Hosts {
			if suffix, wild := strings.CutPrefix(pattern, "*"); wild {
				sources[i].Elsewhere = append(sources[i].Elsewhere, below(suffix, sources, i)...)
			}
		}
	}
}

// below are the hosts of all sources but one that end with a suffix.
func below(suffix string, sources []collection.Source, but int) []string {
	var found []string
	for j, other := range sources {
		if j == but {
			continue
		}
		for _, host := range other.Hosts {
			if strings.HasSuffix(host, suffix) {
				found = append(found, host)
			}
		}
	}
	return found
}
