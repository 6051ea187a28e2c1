package sizing

import "container/heap"

// Shared is what one replication, or several added up, showed of a fleet with ceilings, customers or elastic capacity.
type Shared struct {
	Workers int
	// Waits are those of all jobs, Customers and Sources the same by customer and by source.
	Waits              *Histogram
	Customers, Sources []*Histogram
	// Jobs and Within count jobs, and those that started in time; PerCustomer the same by customer.
	Jobs, Within int64
	PerCustomer  []Count
	// PaidMinutes are the minutes for which workers were paid; Minutes are the counted minutes.
	PaidMinutes, Minutes float64
	// Peak is the largest number of workers paid at once.
	Peak int
}

// ReplicateShared plays one replication through one fleet event by event, with the ceilings, customers and elastic
// capacity of the parameters. Without any of them it gives what Replicate gives, more slowly.
func ReplicateShared(p Params, replication, workers int) Shared {
	y := newYard(p, replication, workers)
	stream := NewStream(p, replication)
	jobs := make([]Job, chunk)
	for {
		n := stream.Fill(jobs)
		for _, job := range jobs[:n] {
			y.until(job.Arrival)
			y.arrive(job)
		}
		if n < len(jobs) {
			break
		}
	}
	y.until(never)
	y.crew.pay(p.end())
	y.result.PaidMinutes = minutes(y.crew.wages)
	y.result.Minutes = minutes(p.end() - p.warmUp())
	y.result.Peak = y.crew.peak
	for i, days := range y.days {
		y.result.PerCustomer[i] = countDays(days, p.Promise)
	}
	return y.result
}

// Merge adds another replication of the same fleet.
func (s *Shared) Merge(other Shared) {
	s.Waits.Merge(other.Waits)
	for i := range s.Customers {
		s.Customers[i].Merge(other.Customers[i])
		s.PerCustomer[i].merge(other.PerCustomer[i])
	}
	for i := range s.Sources {
		s.Sources[i].Merge(other.Sources[i])
	}
	s.Jobs += other.Jobs
	s.Within += other.Within
	s.PaidMinutes += other.PaidMinutes
	s.Minutes += other.Minutes
	s.Peak = max(s.Peak, other.Peak)
}

// yard is the state of the event simulation.
type yard struct {
	params   Params
	owners   *Random
	batch    int32 // whose customer and source are the two below
	customer int
	source   int
	lines    *lines
	crew     *crew
	ends     completions
	promise  int64
	days     [][]Count // by customer, and by the day of the arrival
	result   Shared
}

func newYard(p Params, replication, workers int) *yard {
	y := &yard{
		params: p, owners: NewRandom(p.Seed, uint64(replication), forOwners), batch: -1,
		lines: newLines(p), crew: newCrew(p, workers), promise: micros(p.Promise.Minutes),
		result: Shared{Workers: workers, Waits: NewHistogram()},
	}
	for range p.Customers {
		y.result.Customers = append(y.result.Customers, NewHistogram())
	}
	y.result.PerCustomer, y.days = make([]Count, len(p.Customers)), make([][]Count, len(p.Customers))
	for range p.Sources {
		y.result.Sources = append(y.result.Sources, NewHistogram())
	}
	return y
}

// until plays all events up to and including a moment.
func (y *yard) until(moment int64) {
	for {
		next, starting := moment+1, false
		if len(y.ends) > 0 {
			next = y.ends[0].at
		}
		if len(y.crew.starting) > 0 && y.crew.starting[0] <= next {
			next, starting = y.crew.starting[0], true
		}
		if next > moment {
			y.crew.stop(moment)
			return
		}
		y.crew.stop(next)
		if starting {
			y.crew.arrive(next)
		} else {
			done := heap.Pop(&y.ends).(completion)
			y.lines.working[done.source]--
			y.crew.release(next)
		}
		y.dispatch(next)
	}
}

func (y *yard) arrive(job Job) {
	customer, source := y.owner(job.Batch)
	y.lines.push(customer, source, waiting{arrival: job.Arrival, service: job.Service})
	y.dispatch(job.Arrival)
}

// dispatch starts waiting jobs while there are idle workers and open sources, and asks for workers for what is left.
func (y *yard) dispatch(now int64) {
	for y.lines.queue > 0 && len(y.crew.idle) > 0 {
		customer, source, job, ok := y.lines.pop()
		if !ok {
			return
		}
		y.crew.work()
		heap.Push(&y.ends, completion{at: now + job.service, source: source})
		if job.arrival >= y.crew.from {
			y.count(customer, source, job.arrival, now-job.arrival)
		}
	}
	y.crew.want(now, y.lines.startable())
}

func (y *yard) count(customer, source int, arrival, wait int64) {
	y.result.Waits.add(wait)
	y.result.Jobs++
	inTime := int64(0)
	if wait <= y.promise {
		inTime = 1
	}
	y.result.Within += inTime
	if len(y.result.Customers) > 0 {
		y.result.Customers[customer].add(wait)
		day := int((arrival - y.crew.from) / aDay)
		for len(y.days[customer]) <= day {
			y.days[customer] = append(y.days[customer], Count{})
		}
		y.days[customer][day].Jobs++
		y.days[customer][day].Within += inTime
	}
	if len(y.result.Sources) > 0 {
		y.result.Sources[source].add(wait)
	}
}
