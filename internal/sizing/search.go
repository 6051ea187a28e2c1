package sizing

// Smallest is the smallest fleet from low to high that will do, or 0 where none does. Will must stay true once it is
// true: more workers never make a job wait longer. It is asked about a dozen times, and first about small fleets, which
// are cheap to play.
func Smallest(low, high int, will func(workers int) bool) int {
	below, step, try := low-1, 1, min(low, high)
	for !will(try) {
		if try >= high {
			return 0
		}
		below = try
		try = min(try+step, high)
		step *= 2
	}
	for try-below > 1 {
		if middle := below + (try-below)/2; will(middle) {
			try = middle
		} else {
			below = middle
		}
	}
	return try
}

// wholeTable is up to how many fleet sizes a table has a row for each.
const wholeTable = 60

// Fleets are the fleet sizes of the table, ascending: those asked for, and always those around the answer. Where there
// are more than can be read, they stand further apart away from it.
func (p Params) Fleets(answer int) []int {
	from, to := p.Workers.From, p.Workers.To
	if to == 0 {
		from = max(from, int(p.Load()))
		to = min(answer+max(6, answer/4), MaxWorkers)
	}
	step := 1 + (to-from)/wholeTable
	near := func(n int) bool { return n >= answer-2 && n <= answer+4 }
	var fleets []int
	for n := max(1, min(from, answer-2)); n <= min(max(to, answer+4), MaxWorkers); n++ {
		if near(n) || n >= from && n <= to && (n-from)%step == 0 {
			fleets = append(fleets, n)
		}
	}
	return fleets
}

// Recommend is the smallest fleet of the points that keeps the promise with confidence: the lower end of the interval
// around the share in time is still the promised share. 0 where none does.
func Recommend(points []Point, promise Promise) int {
	for _, point := range points {
		if point.Steady && point.Within.Lower() >= promise.Share {
			return point.Workers
		}
	}
	return 0
}

// Strict is the smallest fleet of the points that keeps the promise in every single month, in at least half of the
// replications. 0 where none does.
func Strict(points []Point, seeds int) int {
	for _, point := range points {
		if point.Steady && 2*point.StrictRuns >= seeds {
			return point.Workers
		}
	}
	return 0
}

// Votes is for how many replications a fleet of the table was the smallest that kept the promise.
type Votes struct {
	Workers int `json:"workers"`
	Runs    int `json:"runs"`
	// Above is the largest fleet of the table that was too small for them, or 0. Where rows stand apart, fleets between it and
	// Workers may do as well.
	Above int `json:"above"`
}

// VotesOf reads the votes out of points with ascending fleets. A fleet that keeps a replication's promise makes every
// larger one keep it, so the difference from fleet to fleet is the replications that it decides. Replications that no
// fleet keeps are counted for 0 workers.
func VotesOf(points []Point, seeds int, kept func(Point) int) []Votes {
	var votes []Votes
	before, above := 0, 0
	for _, point := range points {
		if n := kept(point); point.Steady && n > before {
			votes = append(votes, Votes{Workers: point.Workers, Runs: n - before, Above: above})
			before = n
		}
		above = point.Workers
	}
	if before < seeds {
		votes = append(votes, Votes{Runs: seeds - before, Above: above})
	}
	return votes
}
