package sizing

import "math"

// Batches is how many jobs arrive in one instant.
type Batches struct {
	// Shape is Geometric, Fixed, Empirical, Mixed, or Single for jobs that arrive one by one.
	Shape Shape `json:"shape"`
	// Mean is the mean size of Geometric, Fixed (a whole number) and Mixed, before Max cuts.
	Mean float64 `json:"mean,omitempty"`
	// Sizes are measured sizes, for Empirical: each is drawn equally often.
	Sizes []int `json:"sizes,omitempty"`
	// Max cuts every larger batch down to it; 0 cuts none. The load stays: batches then arrive more often.
	Max int `json:"max,omitempty"`
	// PaceMinutes spreads a batch: its jobs are handed in one every so many minutes, and the promise counts from there.
	// 0 hands them in at once.
	PaceMinutes float64 `json:"pace_minutes,omitempty"`
}

// A Mixed batch is large once in mixedEvery times, and then mixedTimes the size of the others on average; both kinds are
// geometric. It is the heavier tail of the sensitivity table: the mean is that of Geometric, the large ones are larger.
const (
	mixedEvery = 10
	mixedTimes = 5
)

func (b Batches) mixedMean() float64 {
	return b.Mean * mixedEvery / (mixedEvery - 1 + mixedTimes)
}

// MeanSize is the mean number of jobs in a batch, cut at Max.
func (b Batches) MeanSize() float64 {
	switch b.Shape {
	case Geometric:
		return cutGeometric(b.Mean, b.Max)
	case Mixed:
		usual := b.mixedMean()
		return ((mixedEvery-1)*cutGeometric(usual, b.Max) + cutGeometric(mixedTimes*usual, b.Max)) / mixedEvery
	case Empirical:
		sum := 0.0
		for _, size := range b.Sizes {
			sum += float64(b.cut(size))
		}
		return sum / float64(len(b.Sizes))
	case Fixed:
		return float64(b.cut(int(b.Mean)))
	default:
		return 1
	}
}

// cutGeometric is the mean of the smaller of a geometric number (from 1) and a limit: the limit takes its tail off.
func cutGeometric(mean float64, limit int) float64 {
	if limit == 0 {
		return mean
	}
	return mean * (1 - math.Pow(1-1/mean, float64(limit)))
}

func (b Batches) cut(size int) int {
	if b.Max > 0 {
		return min(size, b.Max)
	}
	return size
}

// draw is a function that gives the next batch size.
func (b Batches) draw(r *Random) func() int {
	switch b.Shape {
	case Geometric:
		next := geometric(r, b.Mean)
		return func() int { return b.cut(next()) }
	case Mixed:
		usual, large := geometric(r, b.mixedMean()), geometric(r, mixedTimes*b.mixedMean())
		return func() int {
			if r.Below(mixedEvery) == 0 {
				return b.cut(large())
			}
			return b.cut(usual())
		}
	case Empirical:
		return func() int { return b.cut(b.Sizes[r.Below(len(b.Sizes))]) }
	case Fixed:
		size := b.cut(int(b.Mean))
		return func() int { return size }
	default:
		return func() int { return 1 }
	}
}

// geometric draws whole numbers from 1 whose chance falls by the same factor from each to the next.
func geometric(r *Random, mean float64) func() int {
	if mean <= 1 {
		return func() int { return 1 }
	}
	rate := -math.Log1p(-1 / mean)
	return func() int { return 1 + int(r.Exponential()/rate) }
}
