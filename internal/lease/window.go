package lease

import (
	"slices"
	"time"
)

// Bucket is what was seen in one slice of a sliding window.
type Bucket struct {
	At time.Time `json:"at"`
	// Requests ended in all; Answered are those that say something about who is watched; Faults are its faults.
	Requests int `json:"requests,omitempty"`
	Answered int `json:"answered,omitempty"`
	Faults   int `json:"faults,omitempty"`
}

// slices of a window: enough that it slides, few enough to keep in a history.
const windowSlices = 6

// record adds a report to a source's window.
func record(window []Bucket, now time.Time, length time.Duration, r Report) []Bucket {
	faults := r.TargetFaults + r.Throttled
	return slide(window, now, length, Bucket{At: now, Requests: r.Requests, Answered: r.Successes + faults, Faults: faults})
}

// slide adds to the window, and drops what is older than its length.
func slide(window []Bucket, now time.Time, length time.Duration, add Bucket) []Bucket {
	window = slices.DeleteFunc(window, func(b Bucket) bool { return now.Sub(b.At) >= length })
	if len(window) == 0 {
		window = nil // as it is after a way through JSON
	}
	if add.Requests == 0 && add.Answered == 0 {
		return window
	}
	if n := len(window); n > 0 && now.Sub(window[n-1].At) < length/windowSlices {
		last := &window[n-1]
		last.Requests += add.Requests
		last.Answered += add.Answered
		last.Faults += add.Faults
		return window
	}
	return append(window, add)
}

// total is the sum over a window.
func total(window []Bucket) Bucket {
	var sum Bucket
	for _, b := range window {
		sum.Requests += b.Requests
		sum.Answered += b.Answered
		sum.Faults += b.Faults
	}
	return sum
}
