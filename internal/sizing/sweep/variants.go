package sweep

import (
	"context"

	"github.com/weir-collect/weir/internal/sizing"
)

// variants plays the same load under other assumptions. All get the same random numbers, so that rows differ by what they
// assume.
func (s *study) variants(ctx context.Context) error {
	p := few(s.fixed())
	s.out.VariantSeeds = p.Seeds
	s.out.Sizes, s.out.Tails, s.out.Paces = p.SizeVariants(), p.TailVariants(), p.PaceVariants()
	for _, list := range [][]sizing.Variant{s.out.Sizes, s.out.Tails, s.out.Paces} {
		for i := range list {
			if err := s.variant(ctx, &list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *study) variant(ctx context.Context, v *sizing.Variant) error {
	workers, err := Smallest(ctx, v.Params, s.cores)
	if err != nil {
		return err
	}
	v.Workers, v.Dollars = workers, s.params.Dollars(workers)
	if v.Steady = v.Params.Steady(s.out.Recommended); !v.Steady {
		return nil
	}
	table, err := Run(ctx, v.Params, []int{s.out.Recommended}, s.cores)
	if err != nil {
		return err
	}
	point := table.Points()[0]
	v.Wait, v.Within = point.Wait.Value, point.Within.Value
	return nil
}
