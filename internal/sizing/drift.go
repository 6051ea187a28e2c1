package sizing

import "math"

// A figure has shifted when it is so many times what was assumed, and so sure that chance does not explain it. The factor of
// dispersion is larger: it moves the answer less than the others.
const (
	shiftFactor      = 1.25
	dispersionFactor = 1.5
	shiftErrors      = 3
	// unknowable is a relative error under which no figure says anything.
	unknowable = 1e6
)

// Trend says where a figure, or all of them together, went. It is a word in the answer for programs.
type Trend string

// The trends.
const (
	Steady Trend = "steady"
	Grown  Trend = "grown"
	Shrunk Trend = "shrunk"
)

// Shift compares one figure with what was assumed.
type Shift struct {
	Figure   string  `json:"figure"`
	Assumed  float64 `json:"assumed"`
	Measured float64 `json:"measured"`
	// Ratio is Measured divided by Assumed.
	Ratio float64 `json:"ratio"`
	// RelativeError is the standard error of Ratio, as a share of it, estimated by leaving out one day at a time.
	RelativeError float64 `json:"relative_error"`
	Trend         Trend   `json:"trend"`
}

// Drift is how far measured arrivals are from what a fleet was sized for (J15).
type Drift struct {
	Extent   Extent  `json:"measured_over"`
	Assumed  Burst   `json:"assumed"`
	Measured Burst   `json:"measured"`
	Shifts   []Shift `json:"shifts"`
	// Trend is Grown as soon as one figure has grown: then the fleet may be too small.
	Trend Trend `json:"trend"`
}

// The figures that are compared, by their names. The variation of batches is not among them: a job sees its mean and its
// variation as one.
var figures = []struct {
	name   string
	of     func(Burst) float64
	factor float64
}{
	{"offered load", func(b Burst) float64 { return b.Load }, shiftFactor},
	{"mean batch", func(b Burst) float64 { return b.BatchMean }, shiftFactor},
	{"batch as a job sees it", func(b Burst) float64 { return b.BatchSeen }, shiftFactor},
	{"dispersion of arrivals", func(b Burst) float64 { return b.Dispersion }, dispersionFactor},
}

// Drift compares a recording with what was assumed. The error is that of Check: a short recording tells nothing.
func (h *History) Drift(assumed Burst) (Drift, error) {
	if err := h.Check(); err != nil {
		return Drift{}, err
	}
	days := h.days()
	all, service := sum(days), h.MeanService(assumed.ServiceMinutes)
	d := Drift{Extent: h.Extent(), Assumed: assumed, Measured: all.burst(service), Trend: Steady}
	for _, f := range figures {
		s := Shift{Figure: f.name, Assumed: f.of(assumed), Measured: f.of(d.Measured), Trend: Steady}
		s.RelativeError = leftOut(days, func(t tally) float64 { return f.of(t.burst(service)) })
		if s.Assumed > 0 && s.Measured > 0 {
			s.Ratio = s.Measured / s.Assumed
			s.Trend = trend(math.Log(s.Ratio), math.Log(f.factor), s.RelativeError*sureness(len(days)))
		}
		d.Shifts = append(d.Shifts, s)
		if s.Trend == Grown || s.Trend == Shrunk && d.Trend == Steady {
			d.Trend = s.Trend
		}
	}
	return d, nil
}

func trend(moved, factor, chance float64) Trend {
	switch {
	case math.Abs(moved) <= max(factor, chance):
		return Steady
	case moved > 0:
		return Grown
	}
	return Shrunk
}

// sureness is how many standard errors are beyond chance. An error that is itself estimated from a week needs more of them:
// this stays above Student's quantile for one false alarm in about 700.
func sureness(days int) float64 { return shiftErrors * (1 + 4/math.Max(1, float64(days-1))) }

// leftOut is the standard error of the logarithm of a figure, by the jackknife over days: hours of a day, and days of a
// customer who comes every morning, are not independent of each other.
func leftOut(days []tally, figure func(tally) float64) float64 {
	all, logs, mean := sum(days), make([]float64, 0, len(days)), 0.0
	for _, day := range days {
		rest := figure(all.without(day))
		if !(rest > 0) {
			return unknowable // one day carries everything
		}
		logs = append(logs, math.Log(rest))
		mean += math.Log(rest) / float64(len(days))
	}
	squares := 0.0
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares * float64(len(days)-1) / float64(len(days)))
}
