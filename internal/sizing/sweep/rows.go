package sweep

import (
	"context"
	"slices"

	"github.com/weir-collect/weir/internal/sizing"
)

// faultless tells whether no job is late under the largest fleet.
func faultless(points []sizing.Point) bool {
	return len(points) > 0 && points[len(points)-1].Within.Value == 1
}

func (s *study) recommend() {
	s.out.Recommended = sizing.Recommend(s.out.Points, s.params.Promise)
}

// strict reads the strict fleet off the table, which is no smaller than the recommended one.
func (s *study) strict(ctx context.Context) error {
	return s.fill(ctx, func() int {
		if s.out.Strict = sizing.Strict(s.out.Points, s.params.Seeds); s.out.Strict > 0 {
			s.out.Strict = max(s.out.Strict, s.out.Recommended)
		}
		return s.out.Strict
	})
}

// answer gives the answer a row, which larger fleets than the simulation's may not have.
func (s *study) answer(ctx context.Context) error {
	workers, _ := s.out.Answer()
	if workers == 0 || slices.ContainsFunc(s.out.Points, func(p sizing.Point) bool { return p.Workers == workers }) {
		return nil
	}
	return s.play(ctx, []int{workers})
}

// fill plays the fleets just below one that is read off the table until the row before it is its neighbour: it is then the
// smallest.
func (s *study) fill(ctx context.Context, read func() int) error {
	for {
		gap := s.gap(read())
		if len(gap) == 0 {
			return nil
		}
		if err := s.play(ctx, gap); err != nil {
			return err
		}
	}
}

// atOnce is how many fleets of a gap are played in one go.
const atOnce = 8

// gap are fleets between a row and the one before it, evenly spaced; none where the rows are neighbours.
func (s *study) gap(workers int) []int {
	i := slices.IndexFunc(s.out.Points, func(p sizing.Point) bool { return p.Workers == workers })
	low := int(s.params.Load())
	if i > 0 {
		low = max(low, s.out.Points[i-1].Workers)
	}
	all := between(low, workers)
	step := (len(all) + atOnce - 1) / atOnce
	var fleets []int
	for k := step - 1; k >= 0 && k < len(all); k += step {
		fleets = append(fleets, all[k])
	}
	return fleets
}

// between are the fleets larger than one and smaller than another.
func between(low, high int) []int {
	var fleets []int
	for n := low + 1; n < high; n++ {
		fleets = append(fleets, n)
	}
	return fleets
}
