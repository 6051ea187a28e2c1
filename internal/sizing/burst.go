package sizing

import (
	"math"
	"time"
)

// Burst is how much arrives and how it bunches: what a fleet's size depends on, in a few figures that can be compared.
type Burst struct {
	// Load is the offered load in erlangs, of so many jobs an hour and so many minutes each.
	Load           float64 `json:"load_erlangs"`
	JobsPerHour    float64 `json:"jobs_per_hour"`
	ServiceMinutes float64 `json:"service_minutes"`
	// BatchMean is the mean number of jobs in a batch, and BatchVariation their deviation divided by that mean.
	BatchMean      float64 `json:"batch_mean"`
	BatchVariation float64 `json:"batch_variation"`
	// BatchSeen is the mean size of a batch as its jobs see it: a job deep in a large batch is what a promise breaks on.
	// It is BatchMean times 1 + BatchVariation².
	BatchSeen float64 `json:"batch_seen"`
	// Dispersion is the variance of the number of batches in an hour divided by its mean: 1 where batches come
	// independently of each other, more where customers come together.
	Dispersion float64 `json:"dispersion"`
}

// Burst is what the parameters assume. Drawn batches come independently of each other.
func (p Params) Burst() Burst {
	mean, square := p.Batches.MeanSize(), p.Batches.meanSquare()
	return Burst{
		Load: p.Load(), JobsPerHour: p.JobsPerHour, ServiceMinutes: p.Service.Mean(),
		BatchMean: mean, BatchSeen: square / mean, BatchVariation: variation(mean, square), Dispersion: 1,
	}
}

// Burst is what was recorded. service is the mean time of a job in minutes.
func (h *History) Burst(service float64) Burst { return sum(h.days()).burst(service) }

// variation is the deviation divided by the mean. A difference of nearly equal numbers may fall below zero.
func variation(mean, square float64) float64 {
	return math.Sqrt(math.Max(0, square/(mean*mean)-1))
}

// meanSquare is the mean of the squared sizes, cut at Max.
func (b Batches) meanSquare() float64 {
	switch b.Shape {
	case Geometric:
		return squareGeometric(b.Mean, b.Max)
	case Mixed:
		usual := b.mixedMean()
		return ((mixedEvery-1)*squareGeometric(usual, b.Max) + squareGeometric(mixedTimes*usual, b.Max)) / mixedEvery
	case Empirical:
		sum := 0.0
		for _, size := range b.Sizes {
			cut := float64(b.cut(size))
			sum += cut * cut
		}
		return sum / float64(len(b.Sizes))
	default:
		mean := b.MeanSize()
		return mean * mean
	}
}

// squareGeometric is the mean square of the smaller of a geometric number (from 1) and a limit; 0 is no limit.
func squareGeometric(mean float64, limit int) float64 {
	if limit == 0 {
		return 2*mean*mean - mean
	}
	// The sum over k of (2k-1) times the chance to reach k.
	square, reach := 0.0, 1.0
	for k := 1; k <= limit && reach > negligible; k++ {
		square += float64(2*k-1) * reach
		reach *= 1 - 1/mean
	}
	return square
}

// tally is what a stretch of a recording adds up to: of these sums all figures are made.
type tally struct {
	batches, jobs, squares float64
	// Whole hours, the batches in them, and the squares of those counts.
	hours, counted, countSquares float64
}

func (t *tally) add(other tally) { t.join(other, 1) }

func (t *tally) join(other tally, sign float64) {
	t.batches += sign * other.batches
	t.jobs += sign * other.jobs
	t.squares += sign * other.squares
	t.hours += sign * other.hours
	t.counted += sign * other.counted
	t.countSquares += sign * other.countSquares
}

// without is the rest when a part is left out.
func (t tally) without(part tally) tally {
	t.join(part, -1)
	return t
}

func sum(parts []tally) tally {
	var all tally
	for _, part := range parts {
		all.add(part)
	}
	return all
}

func (t tally) burst(service float64) Burst {
	b := Burst{ServiceMinutes: service}
	if t.batches == 0 || t.hours == 0 {
		return b
	}
	b.JobsPerHour = t.jobs / t.hours
	b.Load = b.JobsPerHour / 60 * service
	b.BatchMean, b.BatchSeen = t.jobs/t.batches, t.squares/t.jobs
	b.BatchVariation = variation(b.BatchMean, t.squares/t.batches)
	if mean := t.counted / t.hours; mean > 0 && t.hours > 1 {
		b.Dispersion = (t.countSquares/t.hours - mean*mean) / mean * t.hours / (t.hours - 1)
	}
	return b
}

// days cuts the recording into its days, counted from the first batch; hours that it does not cover wholly are left out,
// and so are the batches in them.
func (h *History) days() []tally {
	hours := int(h.Span() / time.Hour)
	if len(h.Batches) == 0 || hours == 0 {
		return nil
	}
	counts := make([]float64, hours)
	days := make([]tally, (hours+23)/24)
	for _, b := range h.Batches {
		hour := int(b.At.Sub(h.Batches[0].At) / time.Hour)
		if hour >= hours {
			continue
		}
		size := float64(b.Jobs)
		counts[hour]++
		days[hour/24].add(tally{batches: 1, jobs: size, squares: size * size})
	}
	for hour, n := range counts {
		days[hour/24].add(tally{hours: 1, counted: n, countSquares: n * n})
	}
	return days
}
