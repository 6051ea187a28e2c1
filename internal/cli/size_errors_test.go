package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSizeErrors: everything that is wrong is said at once, before anything is computed, and the code is 2.
func TestSizeErrors(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"good.json":     brief,
		"one.json":      `{"jobs_per_hour": 0}`,
		"many.json":     `{"jobs_per_hour": -1, "promise": {"share": 95, "minutes": 5}, "seeds": 0, "colour": "red"}`,
		"values.json":   `{"jobs_per_hour": -1, "promise": {"share": 95, "minutes": 5}, "seeds": 0}`,
		"nan.json":      "{\n\"jobs_per_hour\": NaN}",
		"loud.json":     `{"jobs_per_hour": "` + "\u009b31m" + `"}`,
		"overload.json": `{"jobs_per_hour": 600, "workers": {"from": 1, "to": 40}}`,
		"absurd.json":   `{"jobs_per_hour": 1000000, "service": {"shape": "fixed", "mean_minutes": 10080}}`,
		"tiny.csv":      "submitted_at,jobs\n2026-03-01T08:00:00Z,40\n",
		"bad.csv":       "submitted_at,jobs\nyesterday,none\n",
		"headless.csv":  "when\n2026-03-01T08:00:00Z\n",
		"empty.csv":     "",
		"flood.csv":     strings.ReplaceAll(recorded(false), "Z,", "Z,9000"),
	}
	for _, c := range []struct {
		args string
		says []string
	}{
		{"now", []string{`unexpected argument "now": weir size takes none; see weir size --help`}},
		{"--months 3", []string{"unknown flag: --months; see weir size --help"}},
		{"--params=", []string{"--params is empty: give a name"}},
		{"--arrivals=", []string{"--arrivals is empty"}},
		{"--charts=", []string{"--charts is empty"}},
		{"--params none.json", []string{"none.json: no such file"}},
		{"--params .", []string{". is a folder: name a file"}},
		{"--params one.json", []string{"one.json: jobs_per_hour = 0: use more than 0"}},
		{"--params many.json", []string{`colour: there is no such key: use `}},
		{"--params values.json", []string{"values.json has 3 problems:\n  jobs_per_hour = -1: ", "\n  promise.share = 95: ", "\n  seeds = 0: "}},
		{"--params nan.json", []string{"nan.json: line 2: ", "NaN and Infinity are no numbers"}},
		{"--params loud.json", []string{`\u009b31m`}},
		{"--params overload.json", []string{"overload.json: workers.to = 40: the load is 100 workers busy on average"}},
		{"--params absurd.json", []string{"absurd.json has 2 problems:\n  jobs_per_hour = 1e+06: ", "up to 10000 can be sized", "\n  seeds = 20: "}},
		{"--arrivals none.csv", []string{"none.csv: no such file"}},
		{"--arrivals tiny.csv", []string{"tiny.csv has 3 problems:\n  history: it has 1 submissions and needs 50", "jobs and needs 500", "days and needs 7"}},
		{"--arrivals bad.csv", []string{`line 2, submitted_at = "yesterday"`, `line 2, jobs = "none"`}},
		{"--arrivals headless.csv", []string{"headless.csv: line 1: the header has no column submitted_at"}},
		{"--arrivals empty.csv", []string{"empty.csv: line 1: the file is empty"}},
		{"--arrivals flood.csv --params good.json", []string{"weir: good.json with flood.csv", "jobs_per_hour = ", "up to 10000 can be sized"}},
		{"--params one.json --arrivals tiny.csv", []string{"one.json: jobs_per_hour = 0", "tiny.csv has 3 problems"}},
		{"--params good.json --charts good.json", []string{"--charts good.json is a file: name a folder"}},
		{"--params good.json --charts good.json/in", []string{"make the folder for charts: "}},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			s := sized(sizeWorld(t, files), strings.Fields(c.args)...)
			require.Equal(t, ExitUsage, s.code, s.stderr)
			require.True(t, strings.HasPrefix(s.stderr, "weir: "), s.stderr)
			for _, says := range c.says {
				require.Contains(t, s.stderr, says)
			}
			require.Empty(t, s.stdout)
		})
	}
}

// TestSizeLeavesTheAnswer: the report is out before a chart fails.
func TestSizeLeavesTheAnswer(t *testing.T) {
	t.Parallel()
	w := sizeWorld(t, map[string]string{"params.json": brief})
	require.NoError(t, os.MkdirAll(filepath.Join(w.Dir, "charts", "waits.svg"), 0o700))
	s := sized(w, "--params", "params.json", "--charts", "charts")
	require.Equal(t, ExitFailure, s.code)
	require.Contains(t, s.stdout, "recommended")
	require.Contains(t, s.stderr, "weir: write a chart: ")
}
