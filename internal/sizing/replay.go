package sizing

import (
	"cmp"
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

// Replay plays recorded jobs, as Stretch gives them, through a fleet.
func (h *History) Replay(p Params, jobs []Job, workers int) Replayed {
	fleet, waits := NewFleet(workers), NewHistogram()
	limit := micros(p.Promise.Minutes)
	type month struct{ jobs, within int64 }
	months := map[int]*month{}
	var all month
	for _, job := range jobs {
		at := h.Batches[0].At.Add(time.Duration(job.Arrival) * time.Microsecond).UTC()
		key := at.Year()*12 + int(at.Month())
		if months[key] == nil {
			months[key] = &month{}
		}
		wait := min(fleet.Start(job)-job.Arrival, never)
		waits.add(wait)
		all.jobs++
		months[key].jobs++
		if wait <= limit {
			all.within++
			months[key].within++
		}
	}
	out := Replayed{
		Workers: workers, Wait: waits.Quantile(p.Promise.Share), Within: ratio(float64(all.within), all.jobs),
		Months: len(months), PartialMonths: h.partialMonths(), Kept: p.Promise.keeps(all.within, all.jobs),
	}
	for _, m := range months {
		if p.Promise.keeps(m.within, m.jobs) {
			out.KeptMonths++
		}
	}
	return out
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

// SmallestReplayed is the smallest fleet that kept the promise over the whole recording, or 0 where none does.
func (h *History) SmallestReplayed(p Params) Replayed {
	jobs := h.Stretch(p)
	fleet := Smallest(1, MaxWorkers, func(workers int) bool { return h.Replay(p, jobs, workers).Kept })
	if fleet == 0 {
		return Replayed{}
	}
	return h.Replay(p, jobs, fleet)
}
