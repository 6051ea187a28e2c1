package sizing

import "math"

// Doubt is how little a figure is known.
type Doubt struct {
	// Error is the standard error of the figure's logarithm: as long as it is small, its standard error as a share of it.
	Error float64 `json:"relative_error"`
	// Freedom is the degrees of freedom that Error itself is estimated with.
	Freedom float64 `json:"degrees_of_freedom"`
}

// unknowable is a relative error under which no figure says anything.
const unknowable = 1e6

// plus is the doubt of a product or a quotient of two figures that are independent of each other; its freedom is that of
// Welch and Satterthwaite.
func (d Doubt) plus(other Doubt) Doubt {
	switch {
	case other.Error == 0:
		return d
	case d.Error == 0:
		return other
	}
	one, two := d.Error*d.Error, other.Error*other.Error
	freedom := (one + two) * (one + two) / (one*one/math.Max(1, d.Freedom) + two*two/math.Max(1, other.Freedom))
	return Doubt{Error: math.Sqrt(one + two), Freedom: freedom}
}

// chance is how far the logarithm of the figure may be off without saying anything. An error that is itself estimated from a
// week needs more standard errors than one from a year: so many stay above Student's quantile for one false alarm in about 700.
func (d Doubt) chance() float64 {
	const errors = 3
	return errors * (1 + 4/math.Max(1, d.Freedom)) * d.Error
}

// Doubts are how well the figures of the recording are known, by the keys that Burst has for them.
func (h *History) Doubts() map[string]Doubt {
	days, doubts := h.days(), map[string]Doubt{}
	for _, f := range figures {
		// The mean service time is a factor here, and no day changes it; what it is known by comes on top.
		d := Doubt{
			Error:   leftOut(days, func(t tally) float64 { return f.value(t.burst(1)) }),
			Freedom: math.Max(1, float64(len(days)-1)),
		}
		if f.timed {
			d = d.plus(h.serviceDoubt())
		}
		doubts[f.key] = d
	}
	return doubts
}

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
