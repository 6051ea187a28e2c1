package sizing

import "math"

// Batched is the exact solution of one batched fleet: batches of geometric size arrive independently, service times are
// exponential (the M^X/M/c queue). It covers fewer shapes than the simulation and is what the simulation is checked against.
type Batched struct {
	// Load is the offered load in erlangs.
	Load float64
	// MeanMinutes is the mean service time.
	MeanMinutes float64
	// MeanBatch is the mean number of jobs in a batch, at least 1.
	MeanBatch float64
}

// negligible is the probability below which the tail of a distribution is cut off.
const negligible = 1e-13

// Within is the share of jobs that start at most the given minutes after they arrived; 0 where the fleet never catches up.
func (b Batched) Within(workers int, minutes float64) float64 {
	if b.Load >= float64(workers) {
		return 0
	}
	places := b.places(workers)
	share := 0.0
	for place := 1; place < len(places) && place <= workers; place++ {
		share += places[place]
	}
	// The job at place workers+m starts with the m-th completion from now on; completions of a busy fleet are a Poisson process.
	due := float64(workers) * minutes / b.MeanMinutes
	term := math.Exp(-due)
	done := term
	for place := workers + 1; place < len(places); place++ {
		share += places[place] * math.Max(0, 1-done)
		term *= due / float64(place-workers)
		done += term
	}
	return share
}

// places is the distribution of the place in line, counted from 1, at which a job joins: the jobs that its batch finds in
// the fleet plus its own depth in the batch.
func (b Batched) places(workers int) []float64 {
	more := 1 - 1/b.MeanBatch // the chance that a batch has yet another job
	// Cut equations: the rate at which batches lift the fleet over n jobs is the rate at which completions bring it back.
	present := []float64{1}
	lifted, total := 0.0, 1.0
	for n := 0; ; n++ {
		lifted = more*lifted + present[n]
		next := b.Load / b.MeanBatch * lifted / float64(min(n+1, workers))
		present = append(present, next)
		total += next
		if n > workers && next < total*negligible {
			break
		}
	}
	places := make([]float64, len(present)+1)
	joined := 0.0
	for n, p := range present {
		joined = more*joined + p/total*(1-more)
		places[n+1] = joined
	}
	for joined > negligible { // the deep end of the last batches
		joined *= more
		places = append(places, joined)
	}
	return places
}
