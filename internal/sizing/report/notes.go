package report

import (
	"fmt"
	"strings"

	"github.com/weir-collect/weir/internal/sizing"
)

func (r Report) notes(f sizing.Findings) []string {
	notes := []string{r.confidence()}
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if missing := f.Params.Missing(r.Simulated.Point); missing > 0 {
		add("The load keeps %s workers busy, but the simulation only %s: jobs take so long that its months began before the fleet was full. Waits are longer than it says, and the answer is too small: give more warm_up_hours than %s, or longer months.",
			plain(r.Load), plain(r.Load-missing), plain(r.Inputs.WarmUpHours))
	}
	if late := f.Params.LateBatches(); late < sizing.FewLate {
		add("The promise lets about %s batches be late, as jobs see them, in all runs together. So few say little: use more seeds or months.", plain(late))
	}
	if unsteady := r.unsteady(); unsteady != "" {
		add("%s never catch up with the load: their waits grow for as long as one looks, so they have no row.", unsteady)
	}
	if r.Strict.Workers == 0 {
		add("No fleet of the table keeps the promise in every single month in half of the runs: raise workers.to to find the one that does.")
	}
	if r.Formula.Workers > r.Simulated.Workers {
		add("The formula asks for more workers than the simulation: service times vary less here than it assumes.")
	}
	if s := r.Shared; s != nil {
		switch {
		case s.Workers == 0:
			add("With these ceilings and customers no fleet keeps the promise %s: jobs wait for %s, and more workers do not help.", r.keptFor(), r.waitsFor())
		case s.Workers > r.Simulated.Workers:
			add("With these ceilings and customers it takes about %d workers, by %s, to keep the promise %s.", s.Workers, runs(s.Seeds), r.keptFor())
		}
	}
	if e := r.Elastic; e != nil && e.Workers == 0 {
		add("Elastic workers that take %s min to start keep the promise in no number searched: they arrive too late for it.", plain(e.StartDelayMinutes))
	}
	if p := r.Replay; p != nil && p.Smallest.Workers == 0 {
		add("Under the arrivals as recorded no fleet keeps the promise: promise less, or let customers pace their batches.")
	}
	if p := r.Replay; p != nil && p.Smallest.Workers != 0 && p.Smallest.Workers > r.Simulated.Workers {
		plan := ""
		if r.Answer.Because == sizing.BecauseReplay {
			plan = fmt.Sprintf(" Plan for %d.", p.Smallest.Workers)
		}
		add("The recorded arrivals themselves took %d workers: they cluster beyond single submissions.%s", p.Smallest.Workers, plan)
	}
	if p := r.Replay; p != nil && p.Older > 0 {
		add("The recording is very large: its newest %s jobs are replayed, and %s older %s not.", grouped(float64(p.Jobs)), grouped(float64(p.Older)), submissionsAre(p.Older))
	}
	if f.NotReplayed {
		add("The recording is not replayed: batches.max cuts its submissions, and nobody knows when customers would have handed in the rest.")
	}
	return notes
}

func submissionsAre(n int) string {
	if n == 1 {
		return "submission is"
	}
	return "submissions are"
}

// keptFor is for whom a fleet with ceilings and customers must keep the promise.
func (r Report) keptFor() string {
	if len(r.Shared.Customers) > 0 {
		return "for every customer"
	}
	return "over all jobs"
}

// waitsFor is what jobs wait for in a fleet that is large enough.
func (r Report) waitsFor() string {
	if len(r.Shared.Sources) == 0 {
		return "their customer's turn"
	}
	return "ceilings"
}

// confidence says how sure the recommended fleet is.
func (r Report) confidence() string {
	s := r.Simulated
	if s.Runs == 1 {
		return fmt.Sprintf("%d workers is the answer of one run of %s. How sure that is cannot be said from one run: use more seeds.",
			s.Workers, months(r.Inputs.Months))
	}
	return fmt.Sprintf("%d workers keep the promise over all runs together (%s %% in time, 95 %% confidence) and in %d of %d runs of %s by themselves. Run by run the smallest fleet is %s.",
		s.Workers, r.finely(s.Within), s.KeptRuns, s.Runs, months(r.Inputs.Months), r.votes(s.Votes))
}

// votes reads "31 in 17, 32 in 3", or "29 to 31 in 17" where the table has no rows between.
func (r Report) votes(list []sizing.Votes) string {
	parts := make([]string, len(list))
	for i, v := range list {
		who := fmt.Sprint(v.Workers)
		switch least := max(v.Above, int(r.Load)) + 1; {
		case v.Workers == 0:
			who = "beyond the table"
		case least < v.Workers:
			who = fmt.Sprintf("%d to %d", least, v.Workers)
		}
		parts[i] = fmt.Sprintf("%s in %d", who, v.Runs)
	}
	return strings.Join(parts, ", ")
}

// unsteady names the fleets of the table that never catch up.
func (r Report) unsteady() string {
	first, last := 0, 0
	for _, p := range r.Fleets {
		if !p.Steady {
			if first == 0 {
				first = p.Workers
			}
			last = p.Workers
		}
	}
	switch first {
	case 0:
		return ""
	case last:
		return fmt.Sprintf("Fleets of %d", last)
	}
	return fmt.Sprintf("Fleets of %d to %d", first, last)
}
