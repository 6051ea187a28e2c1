package sizing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxParamsBytes bounds a parameter file: a hundred thousand measured values fit.
const maxParamsBytes = 4 << 20

// ReadParams reads a parameter file in JSON over the defaults, and checks the result. The error is Problems, with
// everything that is wrong, or a failure to read.
func ReadParams(r io.Reader) (Params, error) { return ReadParamsOver(Default(), r) }

// ReadParamsOver is ReadParams over other parameters than the defaults.
//
// A file that changes the load, the shapes or the promise and names no fleet sizes leaves them to the study: those of the
// default experiment would not fit. A file without warm-up gets at least one that fills a fleet with its service times.
func ReadParamsOver(p Params, r io.Reader) (Params, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxParamsBytes+1))
	if err != nil {
		return p, fmt.Errorf("read the parameters: %w", err)
	}
	if len(data) > maxParamsBytes {
		return p, Problems{{Where: "the file", Advice: fmt.Sprintf("is larger than %d bytes: give fewer measured values", maxParamsBytes)}}
	}
	if err := syntax(data); err != nil {
		return p, err
	}
	var problems Problems
	given := (&decoding{&problems}).object("", data, paramFields(&p))
	if given["jobs_per_hour"] || given["service"] || given["batches"] || given["promise"] {
		if !given["workers"] {
			p.Workers = Range{From: 1}
		}
	}
	p.forgetMeans()
	if alone := p.alone(); len(problems)+len(alone) > 0 {
		return p, problems.beside(alone)
	}
	if !given["warm_up_hours"] {
		p = p.warmedUp()
	}
	return p, p.Check()
}

// forgetMeans leaves out the means of the base that the shapes of the file do not use.
func (p *Params) forgetMeans() {
	if p.Service.Shape == Empirical {
		p.Service.MeanMinutes = 0
	}
	if p.Batches.Shape == Empirical || p.Batches.Shape == Single {
		p.Batches.Mean = 0
	}
}

// syntax refuses what is no JSON, and says on which line.
func syntax(data []byte) error {
	var any json.RawMessage
	err := json.Unmarshal(data, &any)
	var bad *json.SyntaxError
	if !errors.As(err, &bad) {
		return nil
	}
	line := 1
	for _, b := range data[:min(int(bad.Offset), len(data))] {
		if b == '\n' {
			line++
		}
	}
	return Problems{{Where: fmt.Sprintf("line %d", line), Advice: bad.Error() + ": write JSON; NaN and Infinity are no numbers in it"}}
}

func paramFields(p *Params) fields {
	return fields{
		"jobs_per_hour": number(&p.JobsPerHour),
		"service": shaped(&p.Service.Shape, serviceUses, fields{
			"shape": text((*string)(&p.Service.Shape)), "mean_minutes": number(&p.Service.MeanMinutes),
			"variation": number(&p.Service.Variation), "values": list(&p.Service.Values, number), "weights": list(&p.Service.Weights, number),
		}),
		"batches": shaped(&p.Batches.Shape, batchUses, fields{
			"shape": text((*string)(&p.Batches.Shape)), "mean": number(&p.Batches.Mean), "max": whole(&p.Batches.Max),
			"sizes": list(&p.Batches.Sizes, whole[int]), "pace_minutes": number(&p.Batches.PaceMinutes),
		}),
		"promise":              part(fields{"share": number(&p.Promise.Share), "minutes": number(&p.Promise.Minutes)}),
		"worker_month_dollars": number(&p.WorkerMonthDollars),
		"months":               whole(&p.Months),
		"hours_per_month":      number(&p.HoursPerMonth),
		"warm_up_hours":        number(&p.WarmUpHours),
		"seed":                 whole(&p.Seed),
		"seeds":                whole(&p.Seeds),
		"workers":              part(fields{"from": whole(&p.Workers.From), "to": whole(&p.Workers.To)}),
		"elastic":              optional(&p.Elastic, elasticFields),
		"sources": list(&p.Sources, func(s *Source) decoder {
			return part(fields{"name": text(&s.Name), "share": number(&s.Share), "ceiling": whole(&s.Ceiling)})
		}),
		"customers": list(&p.Customers, func(c *Customer) decoder {
			return part(fields{"name": text(&c.Name), "share": number(&c.Share), "weight": number(&c.Weight)})
		}),
		"job_costs": list(&p.JobCosts, func(c *JobCost) decoder {
			return part(fields{
				"name": text(&c.Name), "units_per_job": number(&c.UnitsPerJob), "dollars_per_unit": number(&c.DollarsPerUnit),
			})
		}),
	}
}

func elasticFields(e *Elastic) fields {
	return fields{
		"floor": whole(&e.Floor), "start_delay_minutes": number(&e.StartDelayMinutes),
		"stop_after_idle_minutes": number(&e.StopAfterIdleMinutes),
	}
}
