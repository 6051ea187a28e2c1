package sizing

import (
	"math"
	"sort"
)

// Shape names how the values of a distribution spread.
type Shape string

// The shapes of service times and of batch sizes. They are wire values of the parameter file.
const (
	Exponential Shape = "exponential"
	Fixed       Shape = "fixed"
	LogNormal   Shape = "log-normal"
	Empirical   Shape = "empirical"
	Geometric   Shape = "geometric"
	Single      Shape = "single"
	Mixed       Shape = "mixed"
)

// Service is how long jobs occupy a worker.
type Service struct {
	// Shape is Exponential, Fixed, LogNormal or Empirical.
	Shape Shape `json:"shape"`
	// MeanMinutes is the mean of every shape but Empirical.
	MeanMinutes float64 `json:"mean_minutes,omitempty"`
	// Variation is the deviation divided by the mean, for LogNormal.
	Variation float64 `json:"variation,omitempty"`
	// Values are measured times in minutes, for Empirical.
	Values []float64 `json:"values,omitempty"`
	// Weights say for how many jobs each of Values stands, and so how often it is drawn; none means equally often.
	Weights []float64 `json:"weights,omitempty"`
}

// Mean is the mean service time in minutes.
func (s Service) Mean() float64 {
	if s.Shape == Empirical {
		return weightedMean(s.Values, s.Weights)
	}
	return s.MeanMinutes
}

// draw is a function that gives the next service time in microseconds, at most longest.
func (s Service) draw(r *Random) func() int64 {
	mean := s.MeanMinutes * float64(minute)
	switch s.Shape {
	case Fixed:
		return func() int64 { return int64(mean) }
	case LogNormal:
		spread := math.Log1p(s.Variation * s.Variation)
		centre, deviation := math.Log(mean)-spread/2, math.Sqrt(spread)
		return func() int64 { return clip(math.Exp(centre + deviation*r.Normal())) }
	case Empirical:
		pick := s.pick(r)
		return func() int64 { return clip(s.Values[pick()] * float64(minute)) }
	default:
		return func() int64 { return clip(mean * r.Exponential()) }
	}
}

// pick is a function that gives the place of the next of Values.
func (s Service) pick(r *Random) func() int {
	if len(s.Weights) == 0 {
		return func() int { return r.Below(len(s.Values)) }
	}
	reached, total := make([]float64, len(s.Weights)), 0.0
	for i, weight := range s.Weights {
		total += weight
		reached[i] = total
	}
	return func() int { return min(sort.SearchFloat64s(reached, r.Float()*total), len(reached)-1) }
}

func clip(micros float64) int64 {
	if micros < float64(longest) {
		return int64(micros)
	}
	return longest
}

func meanOf[T int | float64](values []T) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}

// weightedMean is the mean of values of which each stands for so many; no weights are one each.
func weightedMean(values, weights []float64) float64 {
	if len(weights) == 0 {
		return meanOf(values)
	}
	sum, total := 0.0, 0.0
	for i, v := range values {
		sum += weights[i] * v
		total += weights[i]
	}
	return sum / total
}
