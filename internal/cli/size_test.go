package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing/report"
)

// brief is an experiment that takes a moment: small batches, a lenient promise, two short runs.
const brief = `{"jobs_per_hour": 12, "batches": {"shape": "geometric", "mean": 3}, "promise": {"share": 0.8, "minutes": 10},
 "months": 2, "hours_per_month": 150, "warm_up_hours": 24, "seeds": 2, "elastic": null}`

// sizeWorld is a world without a configuration, and with the given files.
func sizeWorld(t *testing.T, files map[string]string) World {
	t.Helper()
	w := testWorld(t)
	require.NoError(t, os.Remove(filepath.Join(w.Dir, "weir.yaml")))
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(w.Dir, name), []byte(content), 0o600))
	}
	return w
}

// sized runs size without any edge: whatever it reached for would be a nil function.
func sized(w World, args ...string) session {
	return in(w, edges{}, append([]string{"size"}, args...)...)
}

// recorded is eight days with a submission every three hours, of one to twenty jobs. One in three names how long jobs took.
func recorded(services bool) string {
	var b strings.Builder
	b.WriteString("submitted_at,jobs,service_minutes\n")
	for i := range 65 {
		at := noon.Add(time.Duration(i) * 3 * time.Hour).Format(time.RFC3339)
		fmt.Fprintf(&b, "%s,%d,\n", at, 1+7*i%20)
		if services {
			fmt.Fprintf(&b, "%s,1,%d\n%s,1,%d\n", at, 3+i%5, at, 4+i%7)
		}
	}
	return b.String()
}

func TestSizeHelp(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(filepath.Join("testdata", "help", "size.txt"))
	require.NoError(t, err)
	require.Equal(t, session{stdout: string(want)}, sized(sizeWorld(t, nil), "--help"))
}

func TestSizeReport(t *testing.T) {
	t.Parallel()
	s := sized(sizeWorld(t, map[string]string{"params.json": brief}), "--params", "params.json")
	require.Zero(t, s.code, s.stderr)
	require.True(t, strings.HasPrefix(s.stdout, "Promise: 80 % of jobs start within 10 min.\nPlan for "), s.stdout)
	for _, part := range []string{"12 jobs an hour", "batches of mean 3", "Erlang's formula", "recommended", "Prices, a month", "Read this"} {
		require.Contains(t, s.stdout, part)
	}
	require.Equal(t, "simulating 2 runs of 2 months, about 7,200 jobs, through many fleets\n", s.stderr)
}

// TestSizeAsJSON: the answer is the report, whole, and the same every time.
func TestSizeAsJSON(t *testing.T) {
	t.Parallel()
	w := sizeWorld(t, map[string]string{"params.json": brief})
	s := sized(w, "--params", "params.json", "-o", "json")
	require.Zero(t, s.code, s.stderr)
	decoder := json.NewDecoder(strings.NewReader(s.stdout))
	decoder.DisallowUnknownFields()
	var r report.Report
	require.NoError(t, decoder.Decode(&r))
	_, err := decoder.Token()
	require.ErrorIs(t, err, io.EOF, "one value")
	require.Equal(t, 12.0, r.Inputs.JobsPerHour)
	require.Equal(t, 2, r.Simulated.Runs)
	require.Greater(t, r.Simulated.Workers, 2)
	require.Equal(t, report.Answer{Workers: r.Simulated.Workers, Dollars: r.Simulated.Dollars, Because: "simulated"}, r.Answer)
	require.GreaterOrEqual(t, r.Simulated.Within.Lower(), 0.8)
	require.NotEmpty(t, r.Fleets)
	require.NotEmpty(t, r.Prices.Pacing)
	require.Nil(t, r.Replay)
	require.Equal(t, s, sized(w, "--params", "params.json", "-o", "json"))
}

func TestSizeFromArrivals(t *testing.T) {
	t.Parallel()
	w := sizeWorld(t, map[string]string{"params.json": brief, "plain.csv": recorded(false), "timed.csv": recorded(true)})
	var r report.Report

	s := sized(w, "--params", "params.json", "--arrivals", "plain.csv", "-o", "json")
	require.Zero(t, s.code, s.stderr)
	require.Contains(t, s.stderr, "plain.csv has no service_minutes, so service times are assumed: exponential, of mean 10 min\n")
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &r))
	require.Equal(t, 65, r.Replay.Submissions)
	require.Equal(t, 8.0, r.Replay.Days)
	require.InDelta(t, float64(r.Replay.Jobs)/192, r.Inputs.JobsPerHour, 1e-9, "the load is the recording's")
	require.Equal(t, 0.8, r.Promise.Share, "the promise is the parameters'")
	require.Less(t, r.Fleets[len(r.Fleets)-1].Workers, 30, "fleets around the answer")

	chosen := strings.Replace(brief, `"seeds": 2`, `"seeds": 2, "workers": {"from": 28, "to": 33}`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "chosen.json"), []byte(chosen), 0o600))
	s = sized(w, "--params", "chosen.json", "--arrivals", "plain.csv", "-o", "json")
	require.Zero(t, s.code, s.stderr)
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &r))
	require.Equal(t, 33, r.Fleets[len(r.Fleets)-1].Workers, "fleets that somebody has chosen")
	price := `{"worker_month_dollars": 1, "months": 1, "seeds": 2, "elastic": null}`
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "price.json"), []byte(price), 0o600))
	s = sized(w, "--params", "price.json", "--arrivals", "plain.csv", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &r), s.stderr)
	require.NotEqual(t, 40, r.Fleets[len(r.Fleets)-1].Workers, "and not the experiment's")

	s = sized(w, "--params", "params.json", "--arrivals", "timed.csv", "-o", "json")
	require.Zero(t, s.code, s.stderr)
	require.NotContains(t, s.stderr, "assumed")
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &r))
	require.Equal(t, "empirical", string(r.Inputs.ServiceShape))
	require.InDelta(t, 6, r.Inputs.ServiceMinutes, 0.5)
}

// TestSizeAffordsManyArrivals: a recording of millions is simulated in fewer and shorter runs, as what is measured here is.
func TestSizeAffordsManyArrivals(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString("submitted_at,jobs,service_minutes\n")
	for i := range 120 {
		fmt.Fprintf(&many, "%s,20000,0.01\n", noon.Add(time.Duration(i)*2*time.Hour).Format(time.RFC3339))
	}
	a := &app{world: sizeWorld(t, map[string]string{"many.csv": many.String()})}
	in, err := a.sizeInput(&sizeFlags{arrivals: "many.csv"})
	require.NoError(t, err)
	require.Equal(t, 1, in.params.Months)
	require.Equal(t, 3, in.params.Seeds)
}

func TestSizeDrawsCharts(t *testing.T) {
	t.Parallel()
	w := sizeWorld(t, map[string]string{"params.json": brief})
	s := sized(w, "--params", "params.json", "--charts", "out/charts")
	require.Zero(t, s.code, s.stderr)
	for _, name := range []string{"wait-by-fleet", "waits"} {
		picture := filepath.Join("out", "charts", name)
		require.Contains(t, s.stderr, "wrote "+picture+".svg\nwrote "+picture+".png\n")
		data, err := os.ReadFile(filepath.Join(w.Dir, picture+".png"))
		require.NoError(t, err)
		drawn, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		require.Greater(t, drawn.Bounds().Dx(), 800)
		data, err = os.ReadFile(filepath.Join(w.Dir, picture+".svg"))
		require.NoError(t, err)
		require.Equal(t, "svg", rootOf(t, data))
	}
	require.NotContains(t, s.stdout, "wrote", "the answer is the report alone")
}

// rootOf reads a whole document and returns the name of its root.
func rootOf(t *testing.T, data []byte) string {
	t.Helper()
	root := ""
	for decoder := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return root
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok && root == "" {
			root = start.Name.Local
		}
	}
}

func TestSizeIsInterrupted(t *testing.T) {
	t.Parallel()
	w := sizeWorld(t, nil)
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGINT
	w.Signals = signals
	s := sized(w)
	require.Equal(t, ExitInterrupted, s.code)
	require.Empty(t, s.stdout)
	require.True(t, strings.HasSuffix(s.stderr, "weir: interrupted\n"), s.stderr)
}
