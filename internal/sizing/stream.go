package sizing

// Job is one job of a simulated or recorded stream, moments in microseconds since its beginning.
type Job struct {
	// Arrival is when the job was handed in.
	Arrival int64
	// Service is how long it occupies a worker.
	Service int64
	// Batch counts batches from 0.
	Batch int32
}

// The purposes of the random streams of one seed. The numbers are part of what a seed means: never renumber.
const (
	forArrivals uint64 = iota + 1
	forSizes
	forServices
	forOwners
)

// Stream is the jobs of one replication in order of arrival.
type Stream struct {
	arrivals *Random
	size     func() int
	service  func() int64

	gap     float64 // mean microseconds between batches
	pace    int64   // microseconds between the jobs of a batch
	end     int64   // no job arrives from here on
	next    float64 // when the next batch arrives
	batches int32
	current pending
	paced   pacedBatches
	sizes   map[int]int
}

// pending are the jobs of one batch that have not arrived yet.
type pending struct {
	at    int64
	left  int
	batch int32
}

// NewStream is the stream of a replication, counted from 0. It depends on nothing but the parameters and that number.
func NewStream(p Params, replication int) *Stream {
	random := func(purpose uint64) *Random { return NewRandom(p.Seed, uint64(replication), purpose) }
	s := &Stream{
		arrivals: random(forArrivals),
		size:     p.Batches.draw(random(forSizes)),
		service:  p.Service.draw(random(forServices)),
		gap:      60 * float64(minute) * p.Batches.MeanSize() / p.JobsPerHour,
		pace:     micros(p.Batches.PaceMinutes),
		end:      p.end(),
		sizes:    map[int]int{},
	}
	s.next = s.gap * s.arrivals.Exponential()
	return s
}

// Fill writes the next jobs and returns how many: fewer than there is room for at the end of the stream only.
func (s *Stream) Fill(jobs []Job) int {
	if s.pace > 0 {
		return s.fillPaced(jobs)
	}
	for i := range jobs {
		if s.current.left == 0 && !s.open() {
			return i
		}
		s.current.left--
		jobs[i] = Job{Arrival: s.current.at, Service: s.service(), Batch: s.current.batch}
	}
	return len(jobs)
}

// open draws the next batch, unless it arrives after the end.
func (s *Stream) open() bool {
	at := int64(s.next)
	if at >= s.end {
		return false
	}
	s.next += s.gap * s.arrivals.Exponential()
	s.current = pending{at: at, left: s.size(), batch: s.batches}
	s.sizes[s.current.left]++
	s.batches++
	return true
}

// BatchSizes counts the batches drawn so far by their size.
func (s *Stream) BatchSizes() map[int]int { return s.sizes }
