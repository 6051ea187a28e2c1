package telemetry

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// used gives metrics of which every instrument has been used.
func used(t *testing.T) *Metrics {
	t.Helper()
	m, err := NewMetrics()
	require.NoError(t, err)
	m.RecordEnded("shop", collection.OutcomeDelivered, "")
	m.RecordEnded("shop", collection.OutcomeDeadLettered, collection.ReasonParseEmpty)
	m.StartWait("acme", 90*time.Second)
	m.Request("shop", "", 150*time.Millisecond, 2048)
	m.Request("shop", collection.ReasonThrottled, time.Second, 100)
	m.Delivered("acme", 512, 2*time.Minute)
	m.Breached("shop", collection.QualityMissing)
	m.ObserveSources(func() []SourceLoad { return []SourceLoad{{Source: "shop", InFlight: 3, Ceiling: 4}} })
	lookedOut(m)
	return m
}

func families(t *testing.T, m *Metrics) map[string]*dto.MetricFamily {
	t.Helper()
	all, err := m.registry.Gather()
	require.NoError(t, err)
	byName := map[string]*dto.MetricFamily{}
	for _, f := range all {
		byName[f.GetName()] = f
	}
	return byName
}

// Dashboards and alerts name these; a change here is a change for everyone who runs weir.
func TestEveryMetricOfWeir(t *testing.T) {
	t.Parallel()
	want := []string{
		"weir_body_bytes_total counter {source} Bytes of bodies received, after content decoding.",
		"weir_build_info gauge {version} Which version this process is; always 1.",
		"weir_ceiling gauge {source} Requests that may be in flight against a source, over the whole fleet.",
		"weir_dead_letters gauge {reason,source} Records that wait in the dead-letter queue, as the last sweep counted them.",
		"weir_dead_letters_oldest_age_seconds gauge {reason,source} How long the oldest record has waited in the dead-letter queue.",
		"weir_delivered_bytes_total counter {customer} Bytes of documents stored and verified at their destination.",
		"weir_delivery_lag_seconds histogram {customer} Time from a submission's acceptance to a record's verified delivery.",
		"weir_janitor_deleted_bytes gauge {class} Bytes that the last janitor deleted, by class.",
		"weir_janitor_deleted_objects gauge {class} Objects that the last janitor deleted, by class.",
		"weir_janitor_failed_objects gauge {class} Objects that the last janitor could not delete, by class.",
		"weir_janitor_last_run_timestamp_seconds gauge {} When the last janitor ended, as a Unix time.",
		"weir_quality_breaches_total counter {check,source} Checks of settled submissions that were not met, by source and check.",
		"weir_records_total counter {outcome,reason,source} Records that ended, by outcome and reason.",
		"weir_request_duration_seconds histogram {source} Time from the start of a request to the last byte of its body.",
		"weir_requests_in_flight gauge {source} Requests under way in this process.",
		"weir_requests_total counter {reason,source} Requests that ended, by reason; ok is a request that went well.",
		"weir_start_wait_seconds histogram {customer} Time from a submission's acceptance to the first request for a record.",
		"weir_sweep_findings gauge {kind,severity} What the last sweep found, by kind and severity.",
		"weir_sweep_last_run_timestamp_seconds gauge {} When the last sweep ended, as a Unix time.",
		"weir_sweep_records gauge {kind,severity} Records that the last sweep's findings concern, by kind and severity.",
	}
	var got []string
	for name, family := range families(t, used(t)) {
		if !strings.HasPrefix(name, "weir_") {
			continue
		}
		var labels []string
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetName())
			}
		}
		slices.Sort(labels)
		got = append(got, fmt.Sprintf("%s %s {%s} %s", name, strings.ToLower(family.GetType().String()),
			strings.Join(slices.Compact(labels), ","), family.GetHelp()))
	}
	slices.Sort(got)
	require.Equal(t, want, got)
}

func TestNamesFollowPrometheusConventions(t *testing.T) {
	t.Parallel()
	var ours []*dto.MetricFamily
	for name, family := range families(t, used(t)) {
		if strings.HasPrefix(name, "weir_") {
			ours = append(ours, family)
		}
	}
	problems, err := promlint.NewWithMetricFamilies(ours).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestValues(t *testing.T) {
	t.Parallel()
	page := scrape(t, used(t))
	for _, line := range []string{
		`weir_records_total{outcome="delivered",reason="",source="shop"} 1`,
		`weir_records_total{outcome="dead_lettered",reason="parse_empty",source="shop"} 1`,
		`weir_requests_total{reason="ok",source="shop"} 1`,
		`weir_requests_total{reason="throttled",source="shop"} 1`,
		`weir_request_duration_seconds_sum{source="shop"} 1.15`,
		`weir_body_bytes_total{source="shop"} 2148`,
		`weir_delivered_bytes_total{customer="acme"} 512`,
		`weir_quality_breaches_total{check="missing",source="shop"} 1`,
		`weir_delivery_lag_seconds_sum{customer="acme"} 120`,
		`weir_start_wait_seconds_bucket{customer="acme",le="60"} 0`,
		`weir_start_wait_seconds_bucket{customer="acme",le="120"} 1`,
		`weir_start_wait_seconds_bucket{customer="acme",le="300"} 1`,
		`weir_start_wait_seconds_bucket{customer="acme",le="86400"} 1`,
		`weir_requests_in_flight{source="shop"} 3`,
		`weir_ceiling{source="shop"} 4`,
		`weir_build_info{version="` + Version() + `"} 1`,
	} {
		require.Contains(t, page, "\n"+line+"\n")
	}
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, answer.Code)
	return answer.Body.String()
}

func TestLoadsAreReadAtEveryScrape(t *testing.T) {
	t.Parallel()
	m, err := NewMetrics()
	require.NoError(t, err)
	require.NotContains(t, scrape(t, m), "weir_ceiling", "nothing to observe yet")
	ceiling := 4
	m.ObserveSources(func() []SourceLoad { return []SourceLoad{{Source: "shop", Ceiling: ceiling}} })
	require.Contains(t, scrape(t, m), `weir_ceiling{source="shop"} 4`)
	ceiling = 2
	require.Contains(t, scrape(t, m), `weir_ceiling{source="shop"} 2`)
	m.ObserveSources(func() []SourceLoad { return nil })
	require.NotContains(t, scrape(t, m), `source="shop"`, "a source that is gone has no load")
}

// Should names that strangers choose ever reach a label, the number of series must stay bounded.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	m, err := NewMetrics()
	require.NoError(t, err)
	const strangers = 2 * maxSeries
	for n := range strangers {
		m.RecordEnded(fmt.Sprintf("stranger-%d", n), collection.OutcomeInvalid, collection.ReasonSourceUnknown)
	}
	series := families(t, m)["weir_records_total"].GetMetric()
	require.Len(t, series, maxSeries)
	total := 0.0
	for _, s := range series {
		total += s.GetCounter().GetValue()
	}
	require.EqualValues(t, strangers, total, "the surplus is still counted")
}

func TestRuntimeAndProcessAreShown(t *testing.T) {
	t.Parallel()
	page := scrape(t, used(t))
	require.Contains(t, page, "\ngo_goroutines ")
	require.Contains(t, page, "\nprocess_start_time_seconds ")
	require.NotContains(t, page, "otel_scope")
	require.NotContains(t, page, "target_info")
}

func TestTemporalMetricsAppear(t *testing.T) {
	t.Parallel()
	m, err := NewMetrics()
	require.NoError(t, err)
	h := m.TemporalHandler().WithTags(map[string]string{"task_queue": "parse"})
	h.Counter("temporal_request").Inc(2)
	h.Gauge("temporal_worker_task_slots_available").Update(7)
	h.Timer("temporal_activity_execution_latency").Record(20 * time.Millisecond)
	page := scrape(t, m)
	require.Contains(t, page, `temporal_request_total{task_queue="parse"} 2`)
	require.Contains(t, page, `temporal_worker_task_slots_available{task_queue="parse"} 7`)
	require.Contains(t, page, `temporal_activity_execution_latency_seconds_bucket{task_queue="parse",le="0.01"} 0`)
	require.Contains(t, page, `temporal_activity_execution_latency_seconds_bucket{task_queue="parse",le="0.025"} 1`)
}

func TestMetricsDoNotShareARegistry(t *testing.T) {
	t.Parallel()
	first := used(t)
	second, err := NewMetrics()
	require.NoError(t, err)
	require.Contains(t, scrape(t, first), "weir_records_total")
	require.NotContains(t, scrape(t, second), "weir_records_total")
}

func TestVersionOfTheLinkerComesFirst(t *testing.T) {
	require.NotEmpty(t, Version())
	defer func(was string) { version = was }(version)
	version = "v1.2.3"
	require.Equal(t, "v1.2.3", Version())
}
