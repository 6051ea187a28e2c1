package sizing

// Sample is what one replication showed of one fleet.
type Sample struct {
	Workers int
	Jobs    int64
	// Within counts jobs that started in time.
	Within int64
	// WaitMinutes and BusyMinutes are summed over jobs and over workers, inside the counted months.
	WaitMinutes, BusyMinutes float64
	// Months has one entry a month.
	Months []MonthSample
	// Waits are the waits of all counted jobs.
	Waits *Histogram
}

// MonthSample is one month of one replication.
type MonthSample struct {
	Jobs, Within int64
	// Wait is the wait in minutes that the promised share did not exceed.
	Wait float64
}

// Arrivals is what one replication handed in, the same for every fleet. Batches are counted with the warm-up.
type Arrivals struct {
	Jobs       int64
	BatchSizes map[int]int
}

// chunk is how many jobs are drawn at a time: enough to keep one fleet's numbers in a core's cache, and no more memory
// for a stream of a hundred million jobs than for a short one.
const chunk = 8192

// Replicate plays one replication through every one of the fleets. All of them get the same jobs, so a larger fleet is
// better by what it does and not by luck. Fleets that are not Steady must not be asked for.
func Replicate(p Params, replication int, fleets []int) (Arrivals, []Sample) {
	stream := NewStream(p, replication)
	trials := make([]*trial, len(fleets))
	for i, workers := range fleets {
		trials[i] = newTrial(p, workers)
	}
	arrivals := Arrivals{BatchSizes: stream.BatchSizes()}
	jobs, from := make([]Job, chunk), p.warmUp()
	for {
		n := stream.Fill(jobs)
		for _, t := range trials {
			t.play(jobs[:n])
		}
		for _, job := range jobs[:n] {
			if job.Arrival >= from {
				arrivals.Jobs++
			}
		}
		if n < len(jobs) {
			break
		}
	}
	samples := make([]Sample, len(trials))
	for i, t := range trials {
		samples[i] = t.sample()
	}
	return arrivals, samples
}

// trial is one fleet under one replication, and what has been counted so far.
type trial struct {
	params   Params
	fleet    *Fleet
	promise  int64
	from     int64 // the counted months begin
	end      int64 // and end
	monthEnd int64 // the current month, or the warm-up, ends
	result   Sample
	current  *Histogram // the waits of the current month
	within   int64      // of the current month
	waited   int64      // microseconds, of the current month
	busy     int64      // microseconds inside the counted months
}

func newTrial(p Params, workers int) *trial {
	return &trial{
		params: p, fleet: NewFleet(workers), promise: micros(p.Promise.Minutes),
		from: p.warmUp(), end: p.end(), monthEnd: p.warmUp(),
		result: Sample{Workers: workers, Waits: NewHistogram()}, current: NewHistogram(),
	}
}

func (t *trial) play(jobs []Job) {
	for _, job := range jobs {
		for job.Arrival >= t.monthEnd {
			t.closeMonth()
		}
		start := t.fleet.Start(job)
		wait := start - job.Arrival
		t.current.add(min(wait, never))
		t.waited += wait
		if wait <= t.promise {
			t.within++
		}
		if until := start + job.Service; until > t.from {
			t.busy += max(0, min(until, t.end)-max(start, t.from))
		}
	}
}

// closeMonth books what has been counted since the last call, unless it was the warm-up.
func (t *trial) closeMonth() {
	if t.monthEnd > t.from {
		m := MonthSample{Jobs: t.current.total, Within: t.within, Wait: t.current.Quantile(t.params.Promise.Share)}
		t.result.Months = append(t.result.Months, m)
		t.result.Jobs += m.Jobs
		t.result.Within += m.Within
		t.result.WaitMinutes += minutes(t.waited)
		t.result.Waits.Merge(t.current)
	}
	t.current.reset()
	t.within, t.waited = 0, 0
	t.monthEnd += t.params.month()
}

func (t *trial) sample() Sample {
	for t.monthEnd <= t.end {
		t.closeMonth()
	}
	t.result.BusyMinutes = minutes(t.busy)
	return t.result
}
