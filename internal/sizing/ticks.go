package sizing

import "math"

const (
	minute = int64(60e6) // a minute in microseconds
	// neverBits is how many bits the latest moment has. Together with a worker's number it must fit 63 bits, see fleet.
	neverBits = 48
	// never is the latest moment that is told apart, nearly nine years after the start.
	never = int64(1)<<neverBits - 1
	// longest is the longest service time that is drawn: a year.
	longest = 365 * 24 * 60 * minute
)

// micros is a number of minutes in microseconds.
func micros(minutes float64) int64 {
	return int64(math.Round(math.Min(minutes, 1e9) * float64(minute)))
}

// minutes is a number of microseconds in minutes.
func minutes(micros int64) float64 { return float64(micros) / float64(minute) }
