package sizing

import "math"

// Trend says where a figure, or all of them together, went. It is a word in the answer for programs.
type Trend string

// The trends. A figure that differs by less than its factor is Steady. One that differs by more, but not by more than chance
// explains, is Unclear: it may have moved or not.
const (
	Steady  Trend = "steady"
	Grown   Trend = "grown"
	Shrunk  Trend = "shrunk"
	Unclear Trend = "unclear"
)

// Shift compares one figure with what was assumed.
type Shift struct {
	Figure   string  `json:"figure"`
	Assumed  float64 `json:"assumed"`
	Measured float64 `json:"measured"`
	// Ratio is Measured divided by Assumed. A dispersion counts as at least leastDispersion in it; 0 is a figure that is not known.
	Ratio float64 `json:"ratio"`
	// RelativeError is the standard error of Ratio, as a share of it: what is not known of the measured figure and what was not
	// known of the assumed one.
	RelativeError float64 `json:"relative_error"`
	Trend         Trend   `json:"trend"`
}

// Drift is how far measured arrivals are from what a fleet was sized for.
type Drift struct {
	Extent   Extent  `json:"measured_over"`
	Assumed  Burst   `json:"assumed"`
	Measured Burst   `json:"measured"`
	Shifts   []Shift `json:"shifts"`
	// Trend is Grown as soon as one figure has grown: then the fleet may be too small. It is Shrunk if figures have shrunk, and
	// none has grown or may have.
	Trend Trend `json:"trend"`
}

// A figure matters when it is so many times what was assumed. The factor of dispersion is larger: it moves the answer less
// than the others.
const (
	ShiftFactor      = 1.25
	DispersionFactor = 1.5
	// leastDispersion is what less dispersion counts as. Arrivals by the clock have none at all, and whether it is a tenth or a
	// hundredth of that of chance moves no fleet.
	leastDispersion = 0.1
)

// measure is a figure that is compared.
type measure struct {
	name string
	// key is what it is called in the JSON of Burst.
	key    string
	of     func(Burst) float64
	factor float64
	least  float64
	// timed tells that the mean service time is a factor of it.
	timed bool
}

// The variation of batches is not among the figures: a job sees its mean and its variation as one.
var figures = []measure{
	{name: "offered load", key: "load_erlangs", of: func(b Burst) float64 { return b.Load }, factor: ShiftFactor, timed: true},
	{name: "mean batch", key: "batch_mean", of: func(b Burst) float64 { return b.BatchMean }, factor: ShiftFactor},
	{name: "batch as a job sees it", key: "batch_seen", of: func(b Burst) float64 { return b.BatchSeen }, factor: ShiftFactor},
	{name: "dispersion of arrivals", key: "dispersion", of: func(b Burst) float64 { return b.Dispersion },
		factor: DispersionFactor, least: leastDispersion},
}

func (m measure) value(b Burst) float64 { return math.Max(m.of(b), m.least) }

// Drift compares a recording with what was assumed. The error is that of Check: a short recording tells nothing.
func (h *History) Drift(assumed Assumed) (Drift, error) {
	if err := h.Check(); err != nil {
		return Drift{}, err
	}
	measured := h.Burst(h.MeanService(assumed.Burst.ServiceMinutes))
	d := Drift{Extent: h.Extent(), Assumed: assumed.Burst, Measured: measured, Trend: Steady}
	doubts, heaviest := h.Doubts(), 0
	for _, f := range figures {
		s := f.shift(assumed.Burst, measured, doubts[f.key].plus(assumed.doubt(f.key, doubts[f.key])))
		d.Shifts = append(d.Shifts, s)
		if weight := s.weight(); weight > heaviest {
			d.Trend, heaviest = s.Trend, weight
		}
	}
	return d, nil
}

// shift compares two values of a figure, of which so much is not known.
func (m measure) shift(assumed, measured Burst, doubt Doubt) Shift {
	s := Shift{Figure: m.name, Assumed: m.of(assumed), Measured: m.of(measured), RelativeError: doubt.Error, Trend: Unclear}
	before, now := m.value(assumed), m.value(measured)
	if !(before > 0 && now > 0) {
		return s
	}
	s.Ratio = now / before
	switch moved := math.Log(s.Ratio); {
	case math.Abs(moved) <= math.Log(m.factor):
		s.Trend = Steady
	case math.Abs(moved) <= doubt.chance():
		s.Trend = Unclear
	case moved > 0:
		s.Trend = Grown
	default:
		s.Trend = Shrunk
	}
	return s
}

// weight orders trends by what must be said first: a fleet that is too small, one that may be, one that is too large.
func (s Shift) weight() int {
	switch {
	case s.Trend == Grown:
		return 4
	case s.Trend == Unclear && !(s.Ratio > 0 && s.Ratio < 1):
		return 3
	case s.Trend == Shrunk:
		return 2
	case s.Trend == Unclear:
		return 1
	}
	return 0
}
