package sizing

import "math"

// ServiceTime is a measured service time.
type ServiceTime struct {
	Minutes float64
	// Jobs is for how many jobs it stands.
	Jobs float64
	// Group tells apart what was measured together, such as the jobs of one submission: they are not independent of each other.
	Group int
	// Free tells that its jobs ended before they took a worker: what is known of them is that they took no time, and that is no
	// measurement.
	Free bool
}

// timed is how many service times were measured.
func (h *History) timed() int {
	n := 0
	for _, t := range h.Services {
		if !t.Free {
			n++
		}
	}
	return n
}

// FreeShare is the share of jobs that took no worker, of those whose service times are known.
func (h *History) FreeShare() float64 {
	free, all := 0.0, 0.0
	for _, t := range h.Services {
		all += t.Jobs
		if t.Free {
			free += t.Jobs
		}
	}
	if !(all > 0) {
		return 0
	}
	return free / all
}

// MeanService is the mean measured time of a job in minutes, or the other one where none was measured.
func (h *History) MeanService(other float64) float64 {
	if len(h.Services) == 0 {
		return other
	}
	return h.service().Mean()
}

// service is the measured service times as a distribution.
func (h *History) service() Service {
	s := Service{Shape: Empirical}
	alike := true
	for _, t := range h.Services {
		s.Values, s.Weights = append(s.Values, t.Minutes), append(s.Weights, t.Jobs)
		alike = alike && t.Jobs == h.Services[0].Jobs
	}
	if alike {
		s.Weights = nil
	}
	return s
}

// serviceDoubt is how well the mean service time is known: by the spread of what was measured together around the mean. Jobs that
// took no worker make the mean smaller by a factor that is known far better.
func (h *History) serviceDoubt() Doubt {
	if len(h.Services) == 0 {
		return Doubt{} // it was assumed
	}
	mean := h.MeanService(0) / (1 - h.FreeShare())
	var groups []float64 // how far each is off, in minutes of all its jobs
	places, jobs := map[int]int{}, 0.0
	for _, t := range h.Services {
		if t.Free {
			continue
		}
		i, known := places[t.Group]
		if !known {
			i = len(groups)
			places[t.Group] = i
			groups = append(groups, 0)
		}
		groups[i] += t.Jobs * (t.Minutes - mean)
		jobs += t.Jobs
	}
	squares, fourths := 0.0, 0.0
	for _, off := range groups {
		squares += off * off
		fourths += off * off * off * off
	}
	n := float64(len(groups))
	if n < 2 || !(mean > 0) {
		return Doubt{Error: unknowable}
	}
	d := Doubt{Error: math.Sqrt(squares*n/(n-1)) / (jobs * mean), Freedom: n - 1}
	// A few long times, or a few large groups, make most of the error: then it is itself known by as few. This is the freedom
	// that a normal spread would have if its variance were known as badly.
	if spread := fourths - squares*squares/n; spread > 0 {
		d.Freedom = math.Min(d.Freedom, 2*squares*squares/spread)
	}
	return d
}
