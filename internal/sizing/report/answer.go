package report

import (
	"fmt"
	"strconv"

	"github.com/weir-collect/weir/internal/sizing"
)

// Answer is the fleet to plan for: the simulation's, or more where ceilings and customers take more, or the recorded arrivals.
type Answer struct {
	// Workers is 0 where no fleet keeps the promise: then Because names what keeps all of them from it.
	Workers int     `json:"workers"`
	Dollars float64 `json:"dollars_per_month"`
	// Because names the section that asks for so many.
	Because sizing.Because `json:"because"`
}

func answer(f sizing.Findings) Answer {
	workers, because := f.Answer()
	return Answer{Workers: workers, Dollars: f.Params.Dollars(workers), Because: because}
}

// fleet is the row of the answer; that of the simulation where there is no answer.
func (r Report) fleet() sizing.Point {
	if row := r.at(r.Answer.Workers); row != nil {
		return *row
	}
	return r.Simulated.Point
}

// plan is the answer in a sentence.
func (r Report) plan() string {
	a, s := r.Answer, r.Simulated
	simulated := fmt.Sprintf("the simulation alone says %d workers, %s a month", s.Workers, dollars(s.Dollars))
	switch {
	case a.Workers == 0:
		return fmt.Sprintf("No fleet keeps it %s; %s.", r.because(), simulated)
	case a.Because == sizing.BecauseSimulated:
		return fmt.Sprintf("Plan for %d workers, %s a month.", a.Workers, dollars(a.Dollars))
	case a.Because == sizing.BecauseShared: // of few runs
		return fmt.Sprintf("Plan for about %d workers, %s a month, %s; %s.", a.Workers, dollars(a.Dollars), r.because(), simulated)
	}
	return fmt.Sprintf("Plan for %d workers, %s a month, %s; %s.", a.Workers, dollars(a.Dollars), r.because(), simulated)
}

// because says under which conditions the answer is what it is.
func (r Report) because() string {
	if r.Answer.Because == sizing.BecauseReplay {
		return "for the arrivals as recorded"
	}
	switch {
	case len(r.Shared.Sources) == 0:
		return "with these customers"
	case len(r.Shared.Customers) == 0:
		return "with these ceilings"
	}
	return "with these ceilings and customers"
}

// lifted explains a strict fleet that is larger than its own votes.
func (r Report) lifted() string {
	if r.Strict.Alone == r.Strict.Workers {
		return ""
	}
	return fmt.Sprintf("; %d in half of the runs, but no fewer than recommended, which is with confidence", r.Strict.Alone)
}

// rest is the share that the promise lets be late, in percent.
func (r Report) rest() string {
	return strconv.FormatFloat(100*(1-r.Promise.Share), 'f', digits(r.Promise.Share), 64)
}

// warmUp mentions a warm-up that is longer than usual.
func warmUp(hours float64) string {
	if hours <= sizing.Default().WarmUpHours {
		return ""
	}
	return fmt.Sprintf(", after %s hours of warm-up", grouped(hours))
}

// partial says how many calendar months of a recording are not whole.
func partial(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " (one of them is not recorded whole)"
	}
	return fmt.Sprintf(" (%d of them are not recorded whole)", n)
}
