package report

import (
	"fmt"

	"github.com/weir-collect/weir/internal/sizing"
)

func (r Report) why(p *page) {
	if r.Inputs.BatchMean <= 1 {
		return
	}
	p.title("Why")
	p.line("%s %% of jobs stand %d deep or deeper in their own batch: the promise lets %s %% be late, so the fleet must start a job that deep.",
		fmt.Sprintf("%.*f", max(1, digits(r.Promise.Share)), 100*r.Deep.Share), r.Deep.Depth, r.rest())
	p.line("A job sees a batch of %s on average, since large batches have more jobs to see them.", plain(r.Inputs.BatchSeen))
	if exact := r.Simulated.Exact; exact != nil {
		p.line("The exact solution for these shapes says %s %% in time at %d workers; the simulation %s.",
			r.cut(*exact, max(1, digits(r.Promise.Share))+1), r.Simulated.Workers, r.finely(r.Simulated.Within))
	}
}

func (r Report) priceList(p *page) {
	p.title("Prices, a month")
	p.line("The promise under these arrivals: %s more than the formula's fleet.", dollars(r.Prices.Promise))
	if r.Prices.Beyond > 0 {
		p.line("The answer, %s: %s more than the simulation's %d workers, with which all of this section compares.", r.because(),
			dollars(r.Prices.Beyond), r.Simulated.Workers)
	}
	if r.Strict.Workers > 0 {
		p.line("The strict reading, every single month: %s more.", dollars(r.Prices.Strict))
	}
	rows := [][]string{{"smaller fleet", "saves", "in time %", "more late jobs", "late jobs a dollar", ""}}
	for _, t := range r.Prices.Smaller {
		if r.shown(t.Workers) {
			rows = append(rows, []string{fmt.Sprint(t.Workers), dollars(t.Saves), r.inTime(t.Within),
				grouped(t.MoreLate), plain(t.LatePerDollar), ""})
		}
	}
	if len(rows) > 1 {
		p.line("")
		p.rows(rows)
	}
	rows = [][]string{{"if customers paced their batches", "workers", "a month", "saves", ""}}
	for _, pace := range r.Prices.Pacing {
		rows = append(rows, []string{pace.Name, r.about(pace.Workers), dollars(pace.Dollars), dollars(pace.Saves), ""})
	}
	if len(rows) > 1 {
		p.line("")
		p.named(rows)
	}
}

// costs is the only section that explains utilisation: it says what is paid, not how jobs fare.
func (r Report) costs(p *page) {
	p.title("Costs")
	fleet := r.fleet()
	busy := fleet.Utilisation.Value * float64(fleet.Workers)
	p.line("Of %d workers about %.0f are busy and %.0f idle (%s %%). The idle ones are what the promise is kept with.",
		fleet.Workers, busy, float64(fleet.Workers)-busy, percent(fleet.Utilisation.Value))
	beyond := ""
	if r.Prices.Beyond > 0 {
		beyond = fmt.Sprintf(", %s %s", cents(r.PerJob.Beyond), r.because())
	}
	p.line("A job costs %s: %s for the load, %s for the promise%s.", cents(r.PerJob.Total), cents(r.PerJob.Load), cents(r.PerJob.Promise), beyond)
	for _, piece := range r.PerJob.Pieces {
		p.line("  of it %s for %s", cents(piece.Dollars), piece.Name)
	}
	if len(r.PerJob.Pieces) == 0 {
		p.line("That is workers alone; list job_costs for what is paid by the piece.")
	}
	if e := r.Elastic; e != nil && e.Workers > 0 {
		p.line("Elastic workers (%d always on, %s min to start): up to about %d by %s, %s paid on average, %s; saves %s, but needs no fewer at the peak.",
			e.Floor, plain(e.StartDelayMinutes), e.Workers, runs(e.Seeds), plain(e.PaidWorkers), dollars(e.Dollars), dollars(e.Saves))
		if r.Prices.Beyond > 0 {
			p.line("That is by the simulation, against its %d workers.", r.Simulated.Workers)
		}
	}
}

func (r Report) sensitivity(p *page) {
	p.title(fmt.Sprintf("If the assumption is wrong (%s each)", runs(r.Sensitivity.Seeds)))
	if r.rough() {
		p.line("These are fewer runs than the answer has, and what keeps the promise in all of them together: about so many workers.")
	}
	if r.Prices.Beyond > 0 {
		p.line("These are of the simulation, and compare with its %d workers.", r.Simulated.Workers)
	}
	rows := [][]string{{"the same load with", "workers", "a month", fmt.Sprintf("in time at %d", r.Simulated.Workers), ""}}
	for _, v := range append(append([]sizing.Variant{}, r.Sensitivity.BatchSizes...), r.Sensitivity.Tails...) {
		share := "never catches up"
		if v.Steady {
			share = r.short(v.Within) + " %"
		}
		workers, cost := r.about(v.Workers), dollars(v.Dollars)
		if v.Workers == 0 {
			workers, cost = "none", ""
		}
		rows = append(rows, []string{v.Name, workers, cost, share, ""})
	}
	p.named(rows)
}

// rough tells that the answers to other assumptions are less sure than the main one.
func (r Report) rough() bool { return r.Sensitivity.Seeds < r.Inputs.Seeds }

// about is a number of workers under another assumption.
func (r Report) about(workers int) string {
	if r.rough() {
		return fmt.Sprintf("about %d", workers)
	}
	return fmt.Sprint(workers)
}

func (r Report) special(p *page) {
	if s := r.Shared; s != nil {
		p.title(fmt.Sprintf("With ceilings and customers, %d workers (%s)", r.Simulated.Workers, runs(s.Seeds)))
		rows := [][]string{{"", fmt.Sprintf("p%s min", exactly(r.Promise.Share)), "in time %", ""},
			{"all jobs", wait(s.Wait), r.short(s.Within), ""}}
		for _, part := range s.Customers {
			rows = append(rows, []string{"customer " + part.Name, wait(part.Wait), r.short(part.Within), string(part.Promise)})
		}
		for _, part := range s.Sources {
			rows = append(rows, []string{"source " + part.Name, wait(part.Wait), r.short(part.Within), ""})
		}
		p.named(rows)
	}
	if h := r.Replay; h != nil {
		p.title(fmt.Sprintf("The recording replayed: %s jobs in %s submissions, %s days",
			grouped(float64(h.Jobs)), grouped(float64(h.Submissions)), plain(h.Days)))
		p.line("%d workers: %s %% in time, p%s %s min, %d of %d calendar months kept%s.", h.Recommended.Workers,
			r.short(h.Recommended.Within), exactly(r.Promise.Share), wait(h.Recommended.Wait), h.Recommended.KeptMonths, h.Recommended.Months,
			partial(h.Recommended.PartialMonths))
		if h.Smallest.Workers > 0 {
			p.line("The smallest fleet that kept it: %d.", h.Smallest.Workers)
		}
	}
}
