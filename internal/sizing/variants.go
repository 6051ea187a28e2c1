package sizing

import (
	"fmt"
	"math"
)

// Variant is the same load under other assumptions, and the fleet that they take.
type Variant struct {
	// Name says what differs.
	Name string `json:"name"`
	// Params are the changed parameters.
	Params Params `json:"-"`
	// Workers is the smallest fleet that keeps the promise, found as Findings says; 0 where none does.
	Workers int `json:"workers"`
	// Dollars a month for that fleet.
	Dollars float64 `json:"dollars"`
	// Wait and Within are what the recommended fleet would show: the promised share's wait in minutes, the share in time.
	// It never catches up where Steady is false.
	Steady bool    `json:"steady"`
	Wait   float64 `json:"wait_minutes"`
	Within float64 `json:"within"`
}

func (p Params) with(name string, change func(*Params)) Variant {
	filled := p.WarmUpHours >= p.Service.filling()
	change(&p)
	if filled { // then it stays so, whatever the service times
		p = p.warmedUp()
	}
	return Variant{Name: name, Params: p}
}

// SizeVariants are other mean sizes of batches.
func (p Params) SizeVariants() []Variant {
	mean := p.Batches.MeanSize()
	out := []Variant{p.with("one by one", func(v *Params) { *v = v.OneByOne() })}
	for _, factor := range []float64{0.25, 0.5, 1, 2} {
		if factor*mean < 1.5 && factor != 1 {
			continue
		}
		scaled := p.Batches.scaled(factor)
		name := fmt.Sprintf("batches of mean %s", figure(scaled.MeanSize()))
		if factor == 1 {
			name += " (as assumed)"
		}
		out = append(out, p.with(name, func(v *Params) { v.Batches = scaled }))
	}
	return out
}

func (b Batches) scaled(factor float64) Batches {
	switch b.Shape {
	case Empirical:
		sizes := make([]int, len(b.Sizes))
		for i, size := range b.Sizes {
			sizes[i] = max(1, int(math.Round(float64(size)*factor)))
		}
		b.Sizes = sizes
	case Single:
		if factor > 1 {
			b = Batches{Shape: Geometric, Mean: factor}
		}
	case Fixed:
		b.Mean = math.Max(1, math.Round(b.Mean*factor))
	default:
		b.Mean = math.Max(1.5, b.Mean*factor)
	}
	b.Max = int(math.Ceil(float64(b.Max) * factor))
	return b
}

// TailVariants are other tails at the same mean: of batch sizes, and of service times.
func (p Params) TailVariants() []Variant {
	var out []Variant
	mean := p.Batches.MeanSize()
	if whole := math.Round(mean); mean >= 1.5 {
		limit := int(2 * whole)
		out = append(out,
			p.with(fmt.Sprintf("every batch of %.0f", whole), func(v *Params) { v.Batches = Batches{Shape: Fixed, Mean: whole} }),
			p.with(fmt.Sprintf("batches cut at %d", limit), func(v *Params) { v.Batches.Max = limit }),
			p.with(fmt.Sprintf("one batch in %d is %d times the others", mixedEvery, mixedTimes),
				func(v *Params) { v.Batches = Batches{Shape: Mixed, Mean: mean} }))
	}
	service := p.Service.Mean()
	return append(out,
		p.with("service times all alike", func(v *Params) { v.Service = Service{Shape: Fixed, MeanMinutes: service} }),
		p.with("service times exponential", func(v *Params) { v.Service = Service{Shape: Exponential, MeanMinutes: service} }),
		p.with("service times log-normal, deviation twice the mean",
			func(v *Params) { v.Service = Service{Shape: LogNormal, MeanMinutes: service, Variation: 2} }))
}

// span writes a time for a name: 15 s, 2 min.
func span(minutes float64) string {
	if minutes < 1 {
		return figure(60*minutes) + " s"
	}
	return figure(minutes) + " min"
}

// PaceVariants are customers who hand the jobs of a batch in one after another: the burst is the price, not the load.
func (p Params) PaceVariants() []Variant {
	if p.Batches.MeanSize() <= 1 {
		return nil
	}
	var out []Variant
	for _, part := range []float64{20, 10, 5, 2} {
		pace := p.Service.Mean() / part
		out = append(out, p.with("a job every "+span(pace), func(v *Params) { v.Batches.PaceMinutes = pace }))
	}
	return append(out, p.with("one by one", func(v *Params) { *v = v.OneByOne() }))
}
