package sizing

import "math/bits"

// Histogram counts waits so finely that a percentile read from it is off by less than 0.1 %, and coarsely enough that one
// fits a core's cache. Counts are whole numbers: histograms of many runs add up to the same whatever the order.
type Histogram struct {
	counts []uint32
	total  int64
}

// subBits is the logarithm of the number of bins for each doubling of the wait.
const subBits = 9

// bins is enough for waits up to never.
const bins = (neverBits-subBits)<<subBits + 1<<(subBits+1)

// NewHistogram is an empty histogram.
func NewHistogram() *Histogram { return &Histogram{counts: make([]uint32, bins)} }

// bin is the bin of a wait: the leading subBits+1 bits of it, and how far they were shifted.
func bin(micros int64) int {
	shift := max(0, bits.Len64(uint64(micros))-(subBits+1))
	return shift<<subBits + int(micros>>shift)
}

// bounds are the smallest wait of a bin and the width of the bin.
func bounds(i int) (low, width int64) {
	shift := max(0, i>>subBits-1)
	return int64(i-shift<<subBits) << shift, 1 << shift
}

func (h *Histogram) add(micros int64) {
	h.counts[bin(micros)]++
	h.total++
}

func (h *Histogram) reset() {
	clear(h.counts)
	h.total = 0
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
}

// Quantile is the wait in minutes that the given share of jobs does not exceed, or 0 for no jobs.
func (h *Histogram) Quantile(share float64) float64 {
	rank := share * float64(h.total)
	seen := 0.0
	for i, n := range h.counts {
		if n == 0 {
			continue
		}
		if seen+float64(n) >= rank {
			low, width := bounds(i)
			if width == 1 {
				return minutes(low)
			}
			inside := (rank - seen) / float64(n)
			return minutes(low) + inside*minutes(width)
		}
		seen += float64(n)
	}
	return 0
}

// Within is the share of jobs that waited at most the given minutes, to the accuracy of a bin; 1 for no jobs.
func (h *Histogram) Within(limit float64) float64 {
	if h.total == 0 {
		return 1
	}
	at := bin(min(micros(limit), never))
	seen := int64(0)
	for _, n := range h.counts[:at+1] {
		seen += int64(n)
	}
	return float64(seen) / float64(h.total)
}
