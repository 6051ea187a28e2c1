package sweep

import (
	"context"
	"slices"

	"github.com/weir-collect/weir/internal/sizing"
)

// variantJobs is how many jobs a variant may draw to be sized as the answer is: the experiment's, and those of an affordable
// study.
const variantJobs = 5e6

// variants plays the same load under other assumptions. All get the same random numbers, so that rows differ by what they
// assume. They get as many replications as the answer, and its rule, if there is time for it; else few, which tell which way and
// how far the answer moves, not its last worker.
func (s *study) variants(ctx context.Context) error {
	p := s.fixed()
	size := s.sure
	if !affordable(p) {
		p, size = few(p), s.about
	}
	s.out.VariantSeeds = p.Seeds
	s.out.Sizes, s.out.Tails, s.out.Paces = p.SizeVariants(), p.TailVariants(), p.PaceVariants()
	for _, list := range [][]sizing.Variant{s.out.Sizes, s.out.Tails, s.out.Paces} {
		for i := range list {
			v := &list[i]
			v.Steady = v.Params.Steady(s.out.Recommended)
			if err := size(ctx, v); err != nil {
				return err
			}
			v.Dollars = s.params.Dollars(v.Workers)
		}
	}
	return nil
}

// affordable tells whether a variant may have all replications.
func affordable(p sizing.Params) bool {
	return p.JobsPerRun()*float64(p.Seeds) <= variantJobs
}

// about sizes by what few replications show together.
func (s *study) about(ctx context.Context, v *sizing.Variant) error {
	var err error
	if v.Workers, err = Smallest(ctx, v.Params, s.cores); err != nil {
		return err
	}
	return s.showRecommended(ctx, v)
}

// sure sizes as the answer is sized: the smallest fleet of which all replications say with confidence that it keeps the
// promise. Few of them find the neighbourhood; where batches are so few that nothing can be said with confidence, theirs is the
// answer.
func (s *study) sure(ctx context.Context, v *sizing.Variant) error {
	rough, err := Smallest(ctx, few(v.Params), s.cores)
	if err != nil {
		return err
	}
	if rough == 0 { // not even the largest
		return s.showRecommended(ctx, v)
	}
	low := int(v.Params.Load()) + 1
	fleets := between(max(low, rough-1)-1, min(rough+2, sizing.MaxWorkers)+1)
	var row []sizing.Point
	for step := 4; len(fleets) > 0; step *= 2 {
		table, err := s.runVariant(ctx, v, fleets, len(row) == 0)
		if err != nil {
			return err
		}
		row = append(row, table.Points()[:len(fleets)]...)
		slices.SortFunc(row, func(a, b sizing.Point) int { return a.Workers - b.Workers })
		first, last := row[0].Workers, row[len(row)-1].Workers
		v.Workers = sizing.Recommend(row, s.params.Promise)
		switch {
		case v.Workers == first: // a smaller one may do
			fleets = between(max(low, first-step)-1, first)
		case v.Workers > 0:
			return nil
		case faultless(row):
			v.Workers = rough
			return nil
		default:
			fleets = between(last, min(last+step, sizing.MaxWorkers)+1)
		}
	}
	return nil
}

// showRecommended finds out what the recommended fleet would show under a variant.
func (s *study) showRecommended(ctx context.Context, v *sizing.Variant) error {
	_, err := s.runVariant(ctx, v, nil, true)
	return err
}

// runVariant plays fleets under a variant, and if asked the recommended one with them, which draws the jobs only once.
func (s *study) runVariant(ctx context.Context, v *sizing.Variant, fleets []int, recommended bool) (*Table, error) {
	recommended = recommended && v.Steady
	if recommended {
		fleets = append(slices.Clip(fleets), s.out.Recommended)
	}
	if len(fleets) == 0 {
		return &Table{}, nil
	}
	table, err := Run(ctx, v.Params, fleets, s.cores)
	if err == nil && recommended {
		now := table.Pools[len(fleets)-1].Point()
		v.Wait, v.Within = now.Wait.Value, now.Within.Value
	}
	return table, err
}
