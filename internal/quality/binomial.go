package quality

import "math"

// tail is the probability of k or more among n, each with probability p.
func tail(k, n int, p float64) float64 {
	switch {
	case k > n:
		return 0
	case k <= 0, p >= 1:
		return 1
	case p <= 0:
		return 0
	case float64(k) <= float64(n)*p:
		// The other side is the short one: summing there loses no digits.
		return 1 - tail(n-k+1, n, 1-p)
	}
	term := math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	sum, odds := term, p/(1-p)
	for i := k; i < n; i++ {
		term *= float64(n-i) / float64(i+1) * odds
		sum += term
		if term < sum*1e-17 {
			break
		}
	}
	return min(sum, 1)
}

func logChoose(n, k int) float64 {
	logFactorial := func(m int) float64 {
		v, _ := math.Lgamma(float64(m) + 1)
		return v
	}
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

// exceeds says whether k of n are more than chance explains where the true share is the allowed one; alpha is how often that
// may be said in error.
func exceeds(k, n int, allowed, alpha float64) bool {
	return float64(k) > allowed*float64(n) && tail(k, n, allowed) < alpha
}

// mostShare is the largest share by which k or fewer of n are found with probability alpha: the upper bound of the true one
// (Clopper and Pearson).
func mostShare(k, n int, alpha float64) float64 {
	if k >= n {
		return 1
	}
	low, high := float64(k)/float64(n), 1.0
	for range 50 {
		middle := (low + high) / 2
		if 1-tail(k+1, n, middle) > alpha {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// spread is the standard deviation of some shares; zero for fewer than fewestForSpread.
func spread(shares []float64) float64 {
	if len(shares) < fewestForSpread {
		return 0
	}
	var mean, squares float64
	for _, s := range shares {
		mean += s / float64(len(shares))
	}
	for _, s := range shares {
		squares += (s - mean) * (s - mean)
	}
	return math.Sqrt(squares / float64(len(shares)-1))
}

// fewestForSpread is how many submissions it takes to say how much a share varies between them.
const fewestForSpread = 5
