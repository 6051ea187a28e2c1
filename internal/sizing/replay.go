package sizing

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Replayable tells whether a recording says what the parameters assume. Batches that Max cuts would have been handed in at
// other times, and no recording tells when.
func (h *History) Replayable(p Params) bool {
	return !slices.ContainsFunc(h.Batches, func(b Recorded) bool { return p.Batches.cut(b.Jobs) < b.Jobs })
}

// Stretch is the recorded jobs in order of arrival, with service times drawn as the parameters say, and paced as they say. It
// keeps what a drawn stream forgets: the hours of the day, the days of the week, and customers who come one after another.
func (h *History) Stretch(p Params) []Job {
	pace := micros(p.Batches.PaceMinutes)
	jobs := make([]Job, 0, h.Jobs())
	for i, b := range h.Batches {
		at := b.At.Sub(h.Batches[0].At).Microseconds()
		for n := range b.Jobs {
			jobs = append(jobs, Job{Arrival: min(at+int64(n)*pace, never), Batch: int32(i)})
		}
	}
	if pace > 0 { // batches overlap then
		slices.SortStableFunc(jobs, func(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) })
	}
	service := p.Service.draw(NewRandom(p.Seed, forServices))
	for i := range jobs {
		jobs[i].Service = service()
	}
	return jobs
}

// Replayed is one fleet under the recorded arrivals.
type Replayed struct {
	Workers int `json:"workers"`
	// Wait is the wait in minutes that the promised share did not exceed.
	Wait float64 `json:"wait_minutes"`
	// Within is the share of jobs that started in time.
	Within float64 `json:"within"`
	// KeptMonths and Months count calendar months (UTC) of the recording: kept, and all.
	KeptMonths int `json:"kept_months"`
	Months     int `json:"months"`
	// PartialMonths is how many of Months the recording does not cover: it begins or ends more than a day inside of them.
	PartialMonths int  `json:"partial_months"`
	Kept          bool `json:"kept"`
}

// Replay plays recorded jobs, as Stretch gives them, through a fleet. The error is the context's.
func (h *History) Replay(ctx context.Context, p Params, jobs []Job, workers int) (Replayed, error) {
	fleet, waits := NewFleet(workers), NewHistogram()
	limit := micros(p.Promise.Minutes)
	var all Count
	var months []Count
	monthEnds := int64(-1)
	for i, job := range jobs {
		if i%chunk == 0 && ctx.Err() != nil {
			return Replayed{}, ctx.Err()
		}
		if job.Arrival >= monthEnds {
			months, monthEnds = append(months, Count{}), h.monthEnd(job.Arrival)
		}
		month := &months[len(months)-1]
		wait := min(fleet.Start(job)-job.Arrival, never)
		waits.add(wait)
		all.Jobs++
		month.Jobs++
		if wait <= limit {
			all.Within++
			month.Within++
		}
	}
	out := Replayed{
		Workers: workers, Wait: waits.Quantile(p.Promise.Share), Within: ratio(float64(all.Within), all.Jobs),
		Months: len(months), PartialMonths: h.partialMonths(), Kept: p.Promise.keeps(all.Within, all.Jobs),
	}
	for _, m := range months {
		if p.Promise.keeps(m.Within, m.Jobs) {
			out.KeptMonths++
		}
	}
	return out, nil
}

// monthEnd is when the calendar month (UTC) of a moment ends; both are microseconds after the first batch.
func (h *History) monthEnd(moment int64) int64 {
	begin := h.Batches[0].At.UTC()
	at := begin.Add(time.Duration(moment) * time.Microsecond)
	next := time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	return int64((next.Sub(begin) + time.Microsecond - 1) / time.Microsecond)
}

// partialMonths is how many calendar months the recording covers in part, of those at its two ends.
func (h *History) partialMonths() int {
	const day = 24 * time.Hour
	begin := h.Batches[0].At.UTC()
	end := begin.Add(h.Span() - 1) // the first moment of a month belongs to the one before
	first := time.Date(begin.Year(), begin.Month(), 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(end.Year(), end.Month(), 1, 0, 0, 0, 0, time.UTC)
	late, early := begin.Sub(first) > day, last.AddDate(0, 1, 0).Sub(end) > day
	switch {
	case first.Equal(last) && (late || early), late != early:
		return 1
	case late:
		return 2
	}
	return 0
}

// SmallestReplayed is the smallest fleet that kept the promise to recorded jobs, as Stretch gives them, or 0 where none does. The
// error is the context's.
func (h *History) SmallestReplayed(ctx context.Context, p Params, jobs []Job) (Replayed, error) {
	var smallest Replayed
	fleet := Smallest(1, MaxWorkers, func(workers int) bool {
		one, err := h.Replay(ctx, p, jobs, workers)
		if one.Kept {
			smallest = one
		}
		return err != nil || one.Kept // an error ends the search soonest
	})
	if fleet == 0 {
		return Replayed{}, ctx.Err()
	}
	return smallest, ctx.Err()
}

// maxReplayed is how many jobs are replayed: as many as are drawn, and one fleet plays them in less than a second.
const maxReplayed = affordable

// Newest is the newest part of a recording that is small enough to be replayed, and how many of its batches are older.
func (h *History) Newest() (part *History, older int) {
	jobs := 0
	for older = len(h.Batches); older > 0; older-- {
		if jobs += h.Batches[older-1].Jobs; jobs > maxReplayed && older < len(h.Batches) {
			break
		}
	}
	return &History{Batches: h.Batches[older:], Services: h.Services, Until: h.Until}, older
}
