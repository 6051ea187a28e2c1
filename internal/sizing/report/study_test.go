package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/report"
	"github.com/weir-collect/weir/internal/sizing/sweep"
)

// TestReportOfAStudy goes the whole way from parameters to text and JSON, and back from JSON.
func TestReportOfAStudy(t *testing.T) {
	t.Parallel()
	p := sizing.Default()
	p.Months, p.HoursPerMonth, p.Seeds = 2, 200, 3
	p.Customers = []sizing.Customer{{Name: "acme", Share: 0.7, Weight: 1}, {Name: "globex", Share: 0.3, Weight: 2}}
	f, err := sweep.Study(context.Background(), p, nil, 2)
	require.NoError(t, err)
	r := report.New(f)

	var first, second, words bytes.Buffer
	require.NoError(t, r.JSON(&first))
	require.NoError(t, report.New(f).JSON(&second))
	require.Equal(t, first.String(), second.String())
	var read report.Report
	require.NoError(t, json.Unmarshal(first.Bytes(), &read))
	require.Equal(t, r.Simulated, read.Simulated)
	require.Equal(t, r.Fleets, read.Fleets)
	require.Equal(t, r.Prices, read.Prices)

	require.NoError(t, r.Text(&words))
	for _, want := range []string{"Erlang's formula", "recommended", "customer globex", "Elastic workers", "batches of mean 24"} {
		require.Contains(t, words.String(), want)
	}
	require.NotContains(t, words.String(), "NaN")
	require.NotContains(t, words.String(), "Inf")
	require.InDelta(t, r.Simulated.Dollars/p.JobsPerMonth(), r.PerJob.Total, 1e-12)
}
