package telemetry

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/weir-collect/weir/collection"
)

// lookout are the metrics of the last sweep and the last janitor. They are read when they are asked for, so that what is
// not there any more is not shown any more. A process that does not know a last run shows none.
type lookout struct {
	sweep   atomic.Pointer[collection.SweepResult]
	janitor atomic.Pointer[collection.JanitorResult]
}

// register makes the instruments.
func (l *lookout) register(meter metric.Meter) error {
	var problems []error
	seconds := func(name, help string) metric.Float64ObservableGauge {
		g, err := meter.Float64ObservableGauge(name, metric.WithUnit("s"), metric.WithDescription(help))
		problems = append(problems, err)
		return g
	}
	number := func(name, unit, help string) metric.Int64ObservableGauge {
		g, err := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(help))
		problems = append(problems, err)
		return g
	}
	sweepAt := seconds("weir.sweep_last_run_timestamp", "When the last sweep ended, as a Unix time.")
	findings := number("weir.sweep_findings", "{finding}", "What the last sweep found, by kind and severity.")
	concerned := number("weir.sweep_records", "{record}", "Records that the last sweep's findings concern, by kind and severity.")
	dead := number("weir.dead_letters", "{record}", "Records that wait in the dead-letter queue, as the last sweep counted them.")
	deadAge := seconds("weir.dead_letters_oldest_age", "How long the oldest record has waited in the dead-letter queue.")
	janitorAt := seconds("weir.janitor_last_run_timestamp", "When the last janitor ended, as a Unix time.")
	deleted := number("weir.janitor_deleted_objects", "{object}", "Objects that the last janitor deleted, by class.")
	deletedBytes := number("weir.janitor_deleted", "By", "Bytes that the last janitor deleted, by class.")
	failed := number("weir.janitor_failed_objects", "{object}", "Objects that the last janitor could not delete, by class.")
	if err := errors.Join(problems...); err != nil {
		return err
	}
	_, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		l.observeSweep(o, sweepAt, deadAge, findings, concerned, dead)
		l.observeJanitor(o, janitorAt, deleted, deletedBytes, failed)
		return nil
	}, sweepAt, findings, concerned, dead, deadAge, janitorAt, deleted, deletedBytes, failed)
	return err
}

func (l *lookout) observeSweep(o metric.Observer, at, age metric.Float64Observable, findings, concerned, dead metric.Int64Observable) {
	r := l.sweep.Load()
	if r == nil {
		return
	}
	o.ObserveFloat64(at, unix(r.EndedAt))
	observeFindings(o, findings, concerned, r.Findings)
	for _, d := range r.DeadLetters {
		labels := with("source", d.Source, "reason", string(d.Reason))
		o.ObserveInt64(dead, int64(d.Records), labels)
		o.ObserveFloat64(age, time.Since(d.Oldest).Seconds(), labels)
	}
}

func (l *lookout) observeJanitor(o metric.Observer, at metric.Float64Observable, deleted, deletedBytes, failed metric.Int64Observable) {
	r := l.janitor.Load()
	if r == nil {
		return
	}
	o.ObserveFloat64(at, unix(r.EndedAt))
	for _, c := range r.Classes {
		labels := with("class", string(c.Class))
		o.ObserveInt64(deleted, int64(c.Deleted), labels)
		o.ObserveInt64(deletedBytes, c.Bytes, labels)
		o.ObserveInt64(failed, int64(c.Failed), labels)
	}
}

func observeFindings(o metric.Observer, findings, concerned metric.Int64Observable, all []collection.Finding) {
	type group struct {
		kind     collection.FindingKind
		severity collection.Severity
	}
	n, records := map[group]int64{}, map[group]int64{}
	for _, f := range all {
		if f.Mended {
			continue
		}
		g := group{f.Kind, f.Severity}
		n[g]++
		records[g] += int64(f.Records)
	}
	for g := range n {
		labels := with("kind", string(g.kind), "severity", string(g.severity))
		o.ObserveInt64(findings, n[g], labels)
		o.ObserveInt64(concerned, records[g], labels)
	}
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Swept shows a sweep's result until the next one's.
func (i *instruments) Swept(r collection.SweepResult) { i.lookout.sweep.Store(&r) }

// Tidied shows a janitor's result until the next one's.
func (i *instruments) Tidied(r collection.JanitorResult) { i.lookout.janitor.Store(&r) }
