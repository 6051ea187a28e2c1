package sweep

import (
	"context"
	"slices"

	"github.com/weir-collect/weir/internal/sizing"
)

// study is one run of Study.
type study struct {
	params sizing.Params
	cores  int
	out    sizing.Findings
	pools  map[int]*sizing.Pool
}

// Study finds everything that a report says, on so many cores. The history is what was recorded, or nil; its load and
// shapes must be in the parameters already (see sizing.History.Params). The error is sizing.Problems, or the context's.
func Study(ctx context.Context, p sizing.Params, history *sizing.History, cores int) (sizing.Findings, error) {
	if err := p.Check(); err != nil {
		return sizing.Findings{}, err
	}
	s := &study{params: p, cores: cores, pools: map[int]*sizing.Pool{}}
	s.out.Params, s.out.EventSeeds = p, few(p).Seeds
	s.out.Formula = p.Smooth().Smallest(p.Promise)
	replay := func(ctx context.Context) error { return s.replay(ctx, history) }
	for _, step := range []func(context.Context) error{s.table, s.smooth, s.variants, s.elastic, s.shared, replay, s.answer, s.strict} {
		if err := step(ctx); err != nil {
			return sizing.Findings{}, err
		}
	}
	s.curves()
	return s.out, nil
}

// fixed are the parameters for fleets of fixed size in one line.
func (s *study) fixed() sizing.Params {
	p := s.params
	p.Elastic, p.Sources, p.Customers = nil, nil, nil
	return p
}

func (s *study) table(ctx context.Context) error {
	answer, err := Smallest(ctx, few(s.fixed()), s.cores)
	if err != nil {
		return err
	}
	if answer == 0 {
		return sizing.Problems{{Where: "promise", Advice: "not even 10000 workers keep it under these arrivals: promise less, or lower the load"}}
	}
	fleets := s.params.Fleets(answer)
	if s.out.Formula > 0 && !slices.Contains(fleets, s.out.Formula) {
		fleets = append(fleets, s.out.Formula)
	}
	// The few replications that found the answer may have been lucky; then the table grows until it has one that lasts, or one
	// under which no job is late: more workers show no more then.
	for more := 1; s.out.Recommended == 0 && len(fleets) > 0 && !faultless(s.out.Points); more *= 2 {
		if err := s.play(ctx, fleets); err != nil {
			return err
		}
		s.recommend()
		last := s.out.Points[len(s.out.Points)-1].Workers
		fleets = between(last, min(last+more, sizing.MaxWorkers)+1)
	}
	if s.out.Recommended == 0 {
		return sizing.Problems{{Where: "seeds", Advice: "so few runs leave the answer open: use more seeds or months"}}
	}
	// Rows of a large table stand apart; those just below the answer are filled in.
	return s.fill(ctx, func() int {
		s.recommend()
		return s.out.Recommended
	})
}

// play adds fleets to the table.
func (s *study) play(ctx context.Context, fleets []int) error {
	var steady []int
	for _, n := range fleets {
		if s.params.Steady(n) {
			steady = append(steady, n)
		} else {
			s.out.Points = append(s.out.Points, sizing.Unsteady(s.params, n))
		}
	}
	table, err := Run(ctx, s.fixed(), steady, s.cores)
	if err != nil {
		return err
	}
	for i, pool := range table.Pools {
		s.pools[steady[i]] = pool
	}
	s.out.Arrivals = table.Arrivals
	s.out.Points = append(s.out.Points, table.Points()...)
	slices.SortFunc(s.out.Points, func(a, b sizing.Point) int { return a.Workers - b.Workers })
	return nil
}

func (s *study) smooth(ctx context.Context) error {
	if s.out.Formula == 0 {
		return nil
	}
	table, err := Run(ctx, s.fixed().OneByOne(), []int{s.out.Formula}, s.cores)
	if err != nil {
		return err
	}
	s.out.Smooth = table.Points()[0]
	s.out.Curves = append(s.out.Curves, sizing.CurveOf(s.out.Formula, true, table.Pools[0].Waits()))
	return nil
}

// curves draws the formula's fleet, the recommended one, and one half way.
func (s *study) curves() {
	drawn := 0
	for _, n := range []int{s.out.Formula, (s.out.Formula + s.out.Recommended + 1) / 2, s.out.Recommended} {
		if pool := s.pools[n]; pool != nil && n > drawn {
			s.out.Curves = append(s.out.Curves, sizing.CurveOf(n, false, pool.Waits()))
			drawn = n
		}
	}
}

// replay plays the recording, if there is one, and it can be.
func (s *study) replay(ctx context.Context, recording *sizing.History) error {
	if recording == nil {
		return nil
	}
	if !recording.Replayable(s.params) {
		s.out.NotReplayed = true
		return nil
	}
	h, older := recording.Newest()
	out := &sizing.ReplayFindings{Jobs: h.Jobs(), Batches: len(h.Batches), Older: older, Days: h.Span().Hours() / 24}
	jobs := h.Stretch(s.params)
	var err error
	if out.Recommended, err = h.Replay(ctx, s.params, jobs, s.out.Recommended); err != nil {
		return err
	}
	if out.Smallest, err = h.SmallestReplayed(ctx, s.params, jobs); err != nil {
		return err
	}
	s.out.Replay = out
	return nil
}
