package telemetry

import (
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel"
	promexporter "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
)

// maxSeries bounds the series of one instrument. Labels come from the configuration and are few; should a stranger's text
// ever reach one, the surplus is counted together in one series with the label otel_metric_overflow.
const maxSeries = 5000

// Metrics holds weir's instruments and everything else that /metrics shows. Its methods may be called from any goroutine.
type Metrics struct {
	registry *prometheus.Registry
	temporal client.MetricsHandler
	instruments
}

// NewMetrics sets up metrics on a registry of their own; nothing global is touched.
func NewMetrics() (*Metrics, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("set up metrics: %w", err)
		}
	}
	exporter, err := promexporter.New(
		promexporter.WithRegisterer(registry),
		promexporter.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes),
		promexporter.WithoutScopeInfo(),
		promexporter.WithoutTargetInfo(),
	)
	if err != nil {
		return nil, fmt.Errorf("set up metrics: %w", err)
	}
	provider := sdkmetric.NewMeterProvider(
		sdkmetric.WithReader(exporter),
		sdkmetric.WithCardinalityLimit(maxSeries),
		sdkmetric.WithView(temporalLatencies()),
	)
	m := &Metrics{
		registry: registry,
		temporal: opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
			Meter: provider.Meter("go.temporal.io/sdk"),
			// A metric that cannot be made is no reason to stop collecting.
			OnError:              otel.Handle,
			UseMonotonicCounters: true,
		}),
	}
	if err := m.register(provider.Meter("github.com/weir-collect/weir")); err != nil {
		return nil, fmt.Errorf("set up metrics: %w", err)
	}
	return m, nil
}

// temporalLatencies gives the SDK's timers buckets from a fast call to a long poll; OpenTelemetry's own default is made for
// milliseconds.
func temporalLatencies() sdkmetric.View {
	return sdkmetric.NewView(
		sdkmetric.Instrument{Name: "temporal_*", Kind: sdkmetric.InstrumentKindHistogram},
		sdkmetric.Stream{Aggregation: sdkmetric.AggregationExplicitBucketHistogram{
			Boundaries: []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600},
		}},
	)
}

// Handler serves /metrics: weir's instruments, the Temporal SDK's, and those of the Go runtime and of the process.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// TemporalHandler is what a Temporal client takes to report the SDK's own metrics here.
func (m *Metrics) TemporalHandler() client.MetricsHandler { return m.temporal }
