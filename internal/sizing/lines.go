package sizing

// waiting is one job in line.
type waiting struct {
	arrival, service int64
}

// line is the jobs of one customer for one source, first come first.
type line struct {
	jobs []waiting
	head int
}

func (l *line) empty() bool { return l.head == len(l.jobs) }

func (l *line) push(j waiting) {
	if l.head > 64 && l.head > len(l.jobs)/2 { // the memory of jobs long gone
		l.jobs = l.jobs[:copy(l.jobs, l.jobs[l.head:])]
		l.head = 0
	}
	l.jobs = append(l.jobs, j)
}

func (l *line) pop() waiting {
	l.head++
	return l.jobs[l.head-1]
}

// lines decide who is next: the customer who has had least of the fleet for its weight, and of its jobs the one that
// waits longest among those whose source is below its ceiling.
type lines struct {
	queues   [][]line // by customer, then source
	waiting  []int    // by source
	working  []int    // by source
	ceilings []int    // by source; 0 is none
	weights  []float64
	// used is how much each customer has had, in jobs over weight. A customer who comes back after a pause continues at
	// the level of the others, so that nobody saves up turns.
	used  []float64
	level float64
	queue int // jobs in all lines
}

func newLines(p Params) *lines {
	customers, sources := max(1, len(p.Customers)), max(1, len(p.Sources))
	l := &lines{
		queues: make([][]line, customers), waiting: make([]int, sources), working: make([]int, sources),
		ceilings: make([]int, sources), weights: make([]float64, customers), used: make([]float64, customers),
	}
	for c := range l.queues {
		l.queues[c] = make([]line, sources)
		l.weights[c] = 1
		if len(p.Customers) > 0 {
			l.weights[c] = p.Customers[c].Weight
		}
	}
	for s, source := range p.Sources {
		l.ceilings[s] = source.Ceiling
	}
	return l
}

func (l *lines) push(customer, source int, j waiting) {
	idle := true
	for s := range l.queues[customer] {
		idle = idle && l.queues[customer][s].empty()
	}
	if idle {
		l.used[customer] = max(l.used[customer], l.level)
	}
	l.queues[customer][source].push(j)
	l.waiting[source]++
	l.queue++
}

// open is how many more jobs of a source may be at work.
func (l *lines) open(source int) int {
	if l.ceilings[source] == 0 {
		return l.waiting[source]
	}
	return min(l.waiting[source], l.ceilings[source]-l.working[source])
}

// startable is how many of the waiting jobs a large enough fleet would start now.
func (l *lines) startable() int {
	n := 0
	for s := range l.waiting {
		n += l.open(s)
	}
	return n
}

// pop takes the next job, or none if every waiting job's source is at its ceiling.
func (l *lines) pop() (customer, source int, j waiting, ok bool) {
	if l.queue == 0 {
		return 0, 0, waiting{}, false
	}
	customer = -1
	for c := range l.queues {
		if customer >= 0 && l.used[c] >= l.used[customer] {
			continue
		}
		if s, found := l.oldest(c); found {
			customer, source = c, s
		}
	}
	if customer < 0 {
		return 0, 0, waiting{}, false
	}
	l.level = l.used[customer]
	l.used[customer] += 1 / l.weights[customer]
	l.waiting[source]--
	l.working[source]++
	l.queue--
	return customer, source, l.queues[customer][source].pop(), true
}

func (l *lines) oldest(customer int) (source int, found bool) {
	for s := range l.queues[customer] {
		q := &l.queues[customer][s]
		if q.empty() || l.open(s) <= 0 {
			continue
		}
		best := &l.queues[customer][source]
		if !found || q.jobs[q.head].arrival < best.jobs[best.head].arrival {
			source, found = s, true
		}
	}
	return source, found
}
