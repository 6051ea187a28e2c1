package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
)

// TestSizePrintsItsParameters (K02): what is printed is the whole of the input, and reads back as it was.
func TestSizePrintsItsParameters(t *testing.T) {
	t.Parallel()
	s := sized(sizeWorld(t, nil), "--print-params")
	require.Zero(t, s.code, s.stderr)
	require.Empty(t, s.stderr)
	p, err := sizing.ReadParams(strings.NewReader(s.stdout))
	require.NoError(t, err)
	require.Equal(t, sizing.Default(), p)
	for _, line := range []string{
		`  "jobs_per_hour": 30,`, `    "shape": "exponential",`, `    "mean_minutes": 10`, `    "shape": "geometric",`, `    "mean": 12`,
		`  "worker_month_dollars": 65,`, `    "share": 0.95,`, `  "seed": 2,`,
	} {
		require.Contains(t, s.stdout, line+"\n")
	}

	w := sizeWorld(t, map[string]string{"params.json": brief})
	s = sized(w, "--params", "params.json", "--print-params")
	require.Zero(t, s.code, s.stderr)
	want, err := sizing.ReadParams(strings.NewReader(brief))
	require.NoError(t, err)
	require.Nil(t, want.Elastic)
	p, err = sizing.ReadParams(strings.NewReader(s.stdout))
	require.NoError(t, err)
	require.Equal(t, want, p)
}

func TestSizePrintsParametersAlone(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--arrivals x.csv", "--from-measured", "--save x.json", "--charts x"} {
		s := sized(sizeWorld(t, nil), strings.Fields("--print-params "+flag)...)
		require.Equal(t, ExitUsage, s.code)
		require.Contains(t, s.stderr, "--print-params computes nothing: leave out "+strings.Fields(flag)[0])
		require.Empty(t, s.stdout)
	}
	s := sized(sizeWorld(t, map[string]string{"bad.json": `{"jobs_per_hour": 0}`}), "--print-params", "--params", "bad.json")
	require.Equal(t, ExitUsage, s.code)
	require.Empty(t, s.stdout)
}
