package sizing

import "math"

// A simulation begins with an empty fleet, and its months must not. A fleet fills as jobs come to their end: after the mean
// residual service time, which is the mean times (1 + cv²) / 2, a good part of the work that it holds in the long run is there.
// After so many of them months of exponential and log-normal times show no difference from the exact solution.
const residuals = 8

// What is missing is looked at only if it is this share of the load; of one run, whose spread is unknown, if it is a larger one.
const (
	leastMissing  = 0.03
	oneRunMissing = 0.15
)

// spread is the squared deviation of the service times, divided by the squared mean.
func (s Service) spread() float64 {
	switch s.Shape {
	case Fixed:
		return 0
	case LogNormal:
		return s.Variation * s.Variation
	case Empirical:
		squares := make([]float64, len(s.Values))
		for i, v := range s.Values {
			squares[i] = v * v
		}
		mean := s.Mean()
		return math.Max(0, weightedMean(squares, s.Weights)/(mean*mean)-1)
	default:
		return 1
	}
}

// filling is how many hours of warm-up the service times ask for.
func (s Service) filling() float64 {
	return math.Ceil(residuals * s.Mean() / 60 * (1 + s.spread()) / 2)
}

// warmedUp are the parameters with a warm-up that fills the fleet, as far as so long a time can be simulated. It is never
// shortened.
func (p Params) warmedUp() Params {
	room := maxSimulatedHours - float64(p.Months)*p.HoursPerMonth
	if hours := math.Min(p.Service.filling(), room); hours > p.WarmUpHours {
		p.WarmUpHours = hours
	}
	return p
}

// Missing is how many of the workers that the load keeps busy are idle in the simulation of a fleet, or 0 where chance explains
// it. Over a long time a fleet is as busy as the load whatever its size, so a fleet that is less busy has begun its months too
// empty, or its jobs end after them; it then looks better than it is.
func (p Params) Missing(point Point) float64 {
	load, workers := p.Load(), float64(point.Workers)
	missing, chance := load-point.Utilisation.Value*workers, point.Utilisation.HalfWidth*workers
	if p.Seeds == 1 {
		chance = oneRunMissing * load
	}
	if !point.Steady || missing <= math.Max(chance, leastMissing*load) {
		return 0
	}
	return missing
}
