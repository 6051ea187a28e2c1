package starter

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/sizing"
)

// Service times are read from a part of the ledgers: some thousand of them say as much as a million.
const (
	// partsAll is about how many ledger parts are read, shared out by the records of each source; partsLeast is how many of each
	// source at least, if it has so many.
	partsAll   = 400
	partsLeast = 4
	// maxServices is about how many service times are kept, servicesLeast how many of each source at least.
	maxServices   = 20_000
	servicesLeast = 100
)

// sample is the ledger parts that are read for service times. Sources differ in how long they take far more than records of one
// source do, so every source is sampled by itself, and stands for all its records whatever was read of it.
type sample struct{ strata map[string]*stratum }

// stratum is one source of the sample.
type stratum struct {
	records int
	// parts are candidates in no order; which ones are left is decided by their draw.
	parts []samplePart
	// What the parts that were read have said, in rows.
	services           []sizing.ServiceTime
	requested, skipped int
}

// samplePart names a part of a ledger.
type samplePart struct {
	submission string
	accepted   time.Time
	number     int
	// draw is its lot. The same ledgers give the same sample.
	draw uint64
}

// add enters the batches of a plan.
func (s *sample) add(plan collection.PlanResult) {
	for _, src := range plan.Sources {
		of := s.strata[src.Source]
		if of == nil {
			of = &stratum{}
			s.strata[src.Source] = of
		}
		of.records += src.Records
		for _, batch := range src.Batches {
			lot := fnv.New64a()
			_, _ = lot.Write([]byte(collection.LedgerKey(plan.Submission, src.Source, batch.Number))) // a hash takes everything
			of.parts = append(of.parts, samplePart{plan.Submission, plan.AcceptedAt, batch.Number, sizing.NewRandom(lot.Sum64()).Uint64()})
		}
		if len(of.parts) > 4*partsAll {
			of.draw()
		}
	}
}

// draw keeps the candidates with the lowest lots, the lowest first. There are more of them than are read, since some have no
// ledger yet, or none any more.
func (s *stratum) draw() {
	slices.SortFunc(s.parts, func(a, b samplePart) int { return cmp.Compare(a.draw, b.draw) })
	s.parts = s.parts[:min(len(s.parts), 2*partsAll)]
}

// read reads what was drawn, and returns how many parts that were.
func (s *sample) read(ctx context.Context, c *Client) (int, error) {
	all, parts := 0, 0
	for _, of := range s.strata {
		all += of.records
	}
	for _, source := range slices.Sorted(maps.Keys(s.strata)) {
		of := s.strata[source]
		of.draw()
		quota := max(partsLeast, partsAll*of.records/max(all, 1))
		for part, err := range inOrder(ctx, len(of.parts), func(ctx context.Context, i int) (ledgerPart, error) {
			drawn := of.parts[i]
			return c.ledgerPart(ctx, drawn.submission, drawn.accepted, ledgerPart{source: source, batch: collection.BatchPlan{Number: drawn.number}})
		}) {
			if err != nil {
				return parts, err
			}
			if part.open {
				continue
			}
			of.book(part.rows, parts)
			parts++
			if quota--; quota == 0 {
				break
			}
		}
	}
	return parts, nil
}

// book enters the rows of a part.
func (s *stratum) book(rows []collection.LedgerRow, group int) {
	for _, row := range rows {
		took, requested := Service(row.RecordResult)
		switch {
		case !requested:
			s.skipped++
			continue
		case took > 0:
			s.services = append(s.services, sizing.ServiceTime{Minutes: took.Minutes(), Group: group})
		}
		s.requested++
	}
}

// services are the service times of all sources, each for as many records as it stands for, and how many requested records do
// not tell theirs. Those are taken to be like the others of their source. Records that made no request took no worker, and stand
// in one entry a source.
func (s *sample) services() (times []sizing.ServiceTime, unknown int) {
	all := 0
	for _, of := range s.strata {
		all += len(of.services)
	}
	for _, source := range slices.Sorted(maps.Keys(s.strata)) {
		of := s.strata[source]
		known := len(of.services)
		unknown += of.requested - known
		// each is for how many of the source's records a row that was read stands.
		each := float64(of.records) / float64(max(of.requested+of.skipped, 1))
		if of.skipped > 0 {
			times = append(times, sizing.ServiceTime{Jobs: each * float64(of.skipped), Free: true})
		}
		if known == 0 {
			continue
		}
		kept := of.services
		if all > maxServices {
			kept = spread(kept, max(servicesLeast, known*maxServices/all))
		}
		for _, one := range kept {
			one.Jobs = each * float64(of.requested) / float64(len(kept))
			times = append(times, one)
		}
	}
	return times, unknown
}

// spread keeps at most so many of a list, evenly over it.
func spread[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	kept := make([]T, most)
	for i := range kept {
		kept[i] = list[i*len(list)/most]
	}
	return kept
}
