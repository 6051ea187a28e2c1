//go:build !race

package harness

// sdkPatience is nothing without the race detector: workers run as they do in earnest.
var sdkPatience []string
