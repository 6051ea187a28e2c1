package telemetry

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

var sweptAt = time.Unix(1_800_000_000, 0)

// lookedOut shows a sweep that found something, and a janitor that deleted something.
func lookedOut(m *Metrics) {
	m.Swept(collection.SweepResult{
		EndedAt: sweptAt,
		Findings: []collection.Finding{
			{Kind: collection.FindingQueueUnpolled, Severity: collection.SEV2, Records: 12},
			{Kind: collection.FindingQueueUnpolled, Severity: collection.SEV2, Records: 30},
			{Kind: collection.FindingScheduleOff, Severity: collection.SEV3},
			{Kind: collection.FindingOrphan, Severity: collection.SEV3, Mended: true},
		},
		DeadLetters: []collection.DeadLetterCount{
			{Source: "shop", Reason: collection.ReasonParseEmpty, Records: 7, Oldest: time.Now().Add(-time.Hour)},
		},
	})
	m.Tidied(collection.JanitorResult{EndedAt: sweptAt.Add(time.Hour), Classes: []collection.TidyResult{
		{Class: collection.ClassRaw, Deleted: 5, Bytes: 4096, Failed: 1}, {Class: collection.ClassPlans},
	}})
}

func TestLookout(t *testing.T) {
	t.Parallel()
	page := scrape(t, used(t))
	for _, line := range []string{
		`weir_sweep_last_run_timestamp_seconds 1.8e+09`,
		`weir_sweep_findings{kind="queue_unpolled",severity="SEV2"} 2`,
		`weir_sweep_records{kind="queue_unpolled",severity="SEV2"} 42`,
		`weir_sweep_findings{kind="schedule_off",severity="SEV3"} 1`,
		`weir_dead_letters{reason="parse_empty",source="shop"} 7`,
		`weir_janitor_deleted_objects{class="raw"} 5`,
		`weir_janitor_deleted_bytes{class="raw"} 4096`,
		`weir_janitor_failed_objects{class="raw"} 1`,
		`weir_janitor_deleted_objects{class="plans"} 0`,
		`weir_janitor_last_run_timestamp_seconds 1.8000036e+09`,
	} {
		require.Contains(t, page, "\n"+line+"\n")
	}
	require.Contains(t, page, `weir_dead_letters_oldest_age_seconds{reason="parse_empty",source="shop"} 3600`)
	require.NotContains(t, page, "orphan", "what is mended is over")
}

// TestLookoutForgets: what the last sweep did not find is shown no more, and nothing is shown before the first.
func TestLookoutForgets(t *testing.T) {
	t.Parallel()
	m, err := NewMetrics()
	require.NoError(t, err)
	require.NotContains(t, scrape(t, m), "weir_sweep")
	lookedOut(m)
	m.Swept(collection.SweepResult{EndedAt: sweptAt.Add(5 * time.Minute)})
	page := scrape(t, m)
	require.NotContains(t, page, "weir_sweep_findings")
	require.False(t, strings.Contains(page, "weir_dead_letters"), "an empty queue has no series")
	require.Contains(t, page, "weir_sweep_last_run_timestamp_seconds 1.8000003e+09")
}
