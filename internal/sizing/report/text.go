package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/weir-collect/weir/internal/sizing"
)

// Text writes the report for a terminal.
func (r Report) Text(w io.Writer) error {
	page := &page{}
	r.head(page)
	r.table(page)
	r.why(page)
	r.priceList(page)
	r.costs(page)
	r.sensitivity(page)
	r.special(page)
	page.title("Read this")
	for _, note := range r.Notes {
		page.line("- %s", note)
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// page collects lines and aligned tables.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) title(text string) { p.line("\n%s", text) }

// rows aligns cells in columns: numbers to the right, the last column to the left.
func (p *page) rows(rows [][]string) {
	t := tabwriter.NewWriter(p, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		last := len(row) - 1
		fmt.Fprintf(t, "%s\t", strings.Join(row[:last], "\t"))
		if row[last] != "" {
			fmt.Fprintf(t, "  %s", row[last])
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // a strings.Builder takes everything
}

// named is rows whose first column is names, to the left.
func (p *page) named(rows [][]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len([]rune(row[0])))
	}
	for _, row := range rows {
		row[0] = fmt.Sprintf("%-*s", width, row[0])
	}
	p.rows(rows)
}

func (r Report) head(p *page) {
	in := r.Inputs
	p.line("Promise: %s %% of jobs start within %s min.", exactly(r.Promise.Share), plain(r.Promise.Minutes))
	p.line("%s", r.plan())
	p.line("%s jobs an hour, %s service of mean %s min: a load of %s workers busy on average.",
		plain(in.JobsPerHour), in.ServiceShape, plain(in.ServiceMinutes), plain(r.Load))
	if in.BatchMean > 1 {
		p.line("Jobs arrive in batches of mean %s (%s).", plain(in.BatchMean), in.BatchShape)
	}
	p.line("%s of %s, %s jobs, seed %d%s.", runs(in.Seeds), months(in.Months), grouped(float64(in.Jobs)), in.Seed, warmUp(in.WarmUpHours))
	p.line("")
	rows := [][]string{{"", "workers", "a month", ""}}
	if f := r.Formula; f.Workers > 0 {
		rows = append(rows, []string{"Erlang's formula", fmt.Sprint(f.Workers), dollars(f.Dollars),
			fmt.Sprintf("%s min for %s %% of jobs if they came one by one (simulated: %s)",
				plain(f.Wait), exactly(r.Promise.Share), reach(f.SimulatedWait))})
		if b := f.Batched; b != nil && in.BatchMean > 1 {
			rows = append(rows, []string{"the same, under batches", fmt.Sprint(f.Workers), dollars(f.Dollars), r.shows(*b)})
		}
	}
	s := r.Simulated
	rows = append(rows, []string{"simulation", fmt.Sprint(s.Workers), dollars(s.Dollars), r.shows(s.Point)})
	if r.Strict.Workers > 0 {
		rows = append(rows, []string{"every single month", fmt.Sprint(r.Strict.Workers), dollars(r.Strict.Dollars),
			"run by run: " + r.votes(r.Strict.Votes) + r.lifted()})
	}
	p.named(rows)
}

func (r Report) shows(point sizing.Point) string {
	return fmt.Sprintf("%s min for %s %% of jobs; %s %% in time", reach(point.Wait), exactly(r.Promise.Share), r.short(point.Within.Value))
}

// table has a row for the fleets that a reader compares; JSON has them all.
func (r Report) table(p *page) {
	p.title("Fleets")
	rows := [][]string{{"workers", "p50 min", fmt.Sprintf("p%s min", exactly(r.Promise.Share)), "in time %", "late a month", "a month", "busy %", ""}}
	for _, point := range r.Fleets {
		if !point.Steady || !r.shown(point.Workers) {
			continue
		}
		rows = append(rows, []string{
			fmt.Sprint(point.Workers), wait(point.Median.Value), wait(point.Wait.Value),
			r.both(point.Within),
			grouped(point.LatePerMonth), dollars(point.Dollars), fmt.Sprintf("%.0f", 100*point.Utilisation.Value), r.mark(point.Workers),
		})
	}
	p.rows(rows)
	p.line("At %d workers single months range from %s to %s min.", r.Simulated.Workers, wait(r.Simulated.BestMonth), wait(r.Simulated.WorstMonth))
}

// shown picks about a dozen rows: the answers, their neighbours, and a choice of the others.
func (r Report) shown(workers int) bool {
	near := workers - r.Simulated.Workers
	if near >= -1 && near <= 2 || r.mark(workers) != "" {
		return true
	}
	rows := len(r.Fleets)
	if first := r.Fleets[0].Workers; r.Fleets[rows-1].Workers-first >= rows { // rows stand apart: every so many
		at := slices.IndexFunc(r.Fleets, func(p sizing.Point) bool { return p.Workers == workers })
		return at%(1+rows/10) == 0
	}
	step := 1
	for _, next := range []int{2, 5, 10} { // round numbers
		if rows/step > 10 {
			step = next
		}
	}
	return workers%step == 0
}

func (r Report) mark(workers int) string {
	var marks []string
	if workers == r.Formula.Workers {
		marks = append(marks, "formula")
	}
	switch {
	case workers == r.fleet().Workers:
		marks = append(marks, "recommended")
	case workers == r.Simulated.Workers:
		marks = append(marks, "simulation")
	}
	if workers == r.Strict.Workers {
		marks = append(marks, "every month")
	}
	return strings.Join(marks, ", ")
}
