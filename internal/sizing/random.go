package sizing

import "math"

// Random is a seeded source of random numbers (SplitMix64). It is the package's own because the numbers of a seed must not
// change with the release of a standard library: somebody's budget was computed from them.
type Random struct{ state uint64 }

// NewRandom is the stream of a seed for one purpose. Streams of different purposes are independent of each other, so that
// drawing more batch sizes does not shift the service times.
func NewRandom(seed uint64, purpose ...uint64) *Random {
	state := mix(seed + golden)
	for _, p := range purpose {
		state = mix(state ^ mix(p+golden))
	}
	return &Random{state: state}
}

// golden is 2^64 divided by the golden ratio, odd: the step that visits every state once.
const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 is the next 64 random bits.
func (r *Random) Uint64() uint64 {
	r.state += golden
	return mix(r.state)
}

// Float is the next number strictly between 0 and 1.
func (r *Random) Float() float64 {
	return (float64(r.Uint64()>>11) + 0.5) * 0x1p-53
}

// Below is the next whole number from 0 to n-1. For any n met here the bias of the multiplication is under 2^-32.
func (r *Random) Below(n int) int {
	return min(int(r.Float()*float64(n)), n-1)
}

// Exponential is the next exponentially distributed number with mean 1.
func (r *Random) Exponential() float64 { return -math.Log(r.Float()) }

// Normal is the next normally distributed number with mean 0 and deviation 1.
func (r *Random) Normal() float64 {
	// The second number of the pair is not kept: a stream is then a function of how often it was asked, and nothing else.
	radius := math.Sqrt(2 * r.Exponential())
	return radius * math.Cos(2*math.Pi*r.Float())
}
