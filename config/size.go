package config

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var sizePattern = regexp.MustCompile(`^([0-9]+) ?([A-Za-z]*)$`)

// units of sizes, in bytes. "M" alone is not one: it means either.
var units = map[string]int64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

// parseSize reads a number of bytes: "10MiB", "512KB", "1048576".
func parseSize(text string) (int64, error) {
	if m := sizePattern.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if unit, ok := units[strings.ToLower(m[2])]; ok && err == nil && n <= math.MaxInt64/unit {
			return n * unit, nil
		}
	}
	return 0, errors.New("write a size as a whole number of bytes or with KB, MB, GB, KiB, MiB or GiB, for instance 10MiB")
}

// sizeText is a size as a person would write it; parseSize reads it back.
func sizeText(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
