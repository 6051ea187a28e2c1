package telemetry

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/weir-collect/weir/collection"
)

// reasonOK is the reason of a request that went well, so that a share of failures can be computed from one metric.
const reasonOK = "ok"

// Buckets, in seconds. Waits reach from an idle fleet to a day's backlog, with the contract's five minutes among the
// boundaries; requests end with their source's timeout.
var (
	waitBuckets    = []float64{1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 57600, 86400}
	requestBuckets = []float64{0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300}
)

// SourceLoad is the load that this process puts on one source now.
type SourceLoad struct {
	Source string
	// InFlight is how many requests are under way.
	InFlight int
	// Ceiling is how many requests may be in flight over the whole fleet, as far as this process knows.
	Ceiling int
}

// instruments are weir's own metrics. Names are the Prometheus names without the suffixes of unit and type, which the
// exporter adds.
type instruments struct {
	records        metric.Int64Counter
	startWait      metric.Float64Histogram
	requests       metric.Int64Counter
	requestTime    metric.Float64Histogram
	bodyBytes      metric.Int64Counter
	deliveredBytes metric.Int64Counter
	deliveryLag    metric.Float64Histogram
	breaches       metric.Int64Counter

	sources atomic.Pointer[func() []SourceLoad]
	lookout lookout
}

// register makes the instruments.
func (i *instruments) register(meter metric.Meter) error {
	var problems []error
	counter := func(name, unit, help string) metric.Int64Counter {
		c, err := meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(help))
		problems = append(problems, err)
		return c
	}
	seconds := func(name, help string, buckets []float64) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(help),
			metric.WithExplicitBucketBoundaries(buckets...))
		problems = append(problems, err)
		return h
	}
	i.records = counter("weir.records", "{record}", "Records that ended, by outcome and reason.")
	i.startWait = seconds("weir.start_wait", "Time from a submission's acceptance to the first request for a record.", waitBuckets)
	i.requests = counter("weir.requests", "{request}", "Requests that ended, by reason; ok is a request that went well.")
	i.requestTime = seconds("weir.request_duration", "Time from the start of a request to the last byte of its body.", requestBuckets)
	i.bodyBytes = counter("weir.body", "By", "Bytes of bodies received, after content decoding.")
	i.deliveredBytes = counter("weir.delivered", "By", "Bytes of documents stored and verified at their destination.")
	i.deliveryLag = seconds("weir.delivery_lag", "Time from a submission's acceptance to a record's verified delivery.", waitBuckets)
	i.breaches = counter("weir.quality_breaches", "{breach}", "Checks of settled submissions that were not met, by source and check.")
	problems = append(problems, i.registerLoads(meter), i.lookout.register(meter), registerBuild(meter))
	return errors.Join(problems...)
}

// registerLoads makes the gauges that are read from whoever holds the permits.
func (i *instruments) registerLoads(meter metric.Meter) error {
	inFlight, err := meter.Int64ObservableGauge("weir.requests_in_flight", metric.WithUnit("{request}"),
		metric.WithDescription("Requests under way in this process."))
	if err != nil {
		return err
	}
	ceiling, err := meter.Int64ObservableGauge("weir.ceiling", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that may be in flight against a source, over the whole fleet."))
	if err != nil {
		return err
	}
	_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		loads := i.sources.Load()
		if loads == nil {
			return nil
		}
		for _, load := range (*loads)() {
			source := with("source", load.Source)
			o.ObserveInt64(inFlight, int64(load.InFlight), source)
			o.ObserveInt64(ceiling, int64(load.Ceiling), source)
		}
		return nil
	}, inFlight, ceiling)
	return err
}

func registerBuild(meter metric.Meter) error {
	build := with("version", Version())
	_, err := meter.Int64ObservableGauge("weir.build_info", metric.WithDescription("Which version this process is; always 1."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(1, build)
			return nil
		}))
	return err
}

// with makes labels of pairs of name and value.
func with(pairs ...string) metric.MeasurementOption {
	labels := make([]attribute.KeyValue, 0, len(pairs)/2)
	for n := 0; n+1 < len(pairs); n += 2 {
		labels = append(labels, attribute.String(pairs[n], pairs[n+1]))
	}
	return metric.WithAttributeSet(attribute.NewSet(labels...))
}

// RecordEnded counts a record that ended. Source is the name of a configured source, or empty for a row that belongs to none.
func (i *instruments) RecordEnded(source string, o collection.Outcome, r collection.Reason) {
	i.records.Add(context.Background(), 1, with("source", source, "outcome", string(o), "reason", string(r)))
}

// StartWait notes how long a record of a customer waited for its first request.
func (i *instruments) StartWait(customer string, d time.Duration) {
	i.startWait.Record(context.Background(), d.Seconds(), with("customer", customer))
}

// Request notes a request that ended: why it failed, or no reason, how long it took and how many bytes its body had.
func (i *instruments) Request(source string, r collection.Reason, d time.Duration, bytes int64) {
	ctx, reason := context.Background(), string(r)
	if reason == "" {
		reason = reasonOK
	}
	i.requests.Add(ctx, 1, with("source", source, "reason", reason))
	i.requestTime.Record(ctx, d.Seconds(), with("source", source))
	i.bodyBytes.Add(ctx, bytes, with("source", source))
}

// Delivered notes a document that was verified at its destination: its size, and the time since its submission was accepted.
func (i *instruments) Delivered(customer string, bytes int64, lag time.Duration) {
	ctx := context.Background()
	i.deliveredBytes.Add(ctx, bytes, with("customer", customer))
	i.deliveryLag.Record(ctx, lag.Seconds(), with("customer", customer))
}

// Breached counts a check of a settled submission that was not met.
func (i *instruments) Breached(source string, check collection.QualityKind) {
	i.breaches.Add(context.Background(), 1, with("source", source, "check", string(check)))
}

// ObserveSources sets where the loads of sources are read from, at every scrape. The last call counts.
func (i *instruments) ObserveSources(loads func() []SourceLoad) { i.sources.Store(&loads) }
