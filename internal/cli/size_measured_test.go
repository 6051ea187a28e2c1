package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/report"
	"github.com/weir-collect/weir/starter"
)

// measuredDays is what an installation has measured: a submission every three hours, of the given sizes in turn, whose
// records take half a minute each.
func measuredDays(days int, sizes ...int) starter.Measured {
	h := &sizing.History{Until: noon}
	for i := range days * 8 {
		h.Batches = append(h.Batches, sizing.Recorded{At: noon.Add(time.Duration(i-days*8) * 3 * time.Hour), Jobs: sizes[i%len(sizes)]})
	}
	for i := range 500 {
		h.Services = append(h.Services, sizing.ServiceTime{Minutes: 0.25 + float64(i%3)/4, Jobs: 40, Group: i})
	}
	return starter.Measured{History: h, Parts: 40}
}

func TestSizeFromMeasured(t *testing.T) {
	t.Parallel()
	m := measuredDays(28, 5, 50, 200)
	m.Unknown = 17
	c := &fakeClient{past: fakePast{measured: m}}
	w := testWorld(t)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "params.json"), []byte(brief), 0o600))
	f := &fakes{client: c}
	s := in(w, f.edges(), "size", "--from-measured", "--since", "28d", "--params", "params.json", "--save", "sizing.json", "-o", "json")
	require.Zero(t, s.code, s.stderr)
	require.True(t, c.closed)
	require.Equal(t, starter.Window{Since: noon.Add(-28 * day), Until: noon}, c.past.window)
	var r report.Report
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &r))
	require.InDelta(t, float64(m.History.Jobs())/(28*24), r.Inputs.JobsPerHour, 1e-9)
	require.InDelta(t, 0.5, r.Inputs.ServiceMinutes, 0.01)
	require.Equal(t, "empirical", string(r.Inputs.BatchShape))
	require.Equal(t, 224, r.Replay.Submissions)
	require.Contains(t, s.stderr, "measured: 18,925 records of 224 submissions over 28 days; service times are those of 500 records in 40 parts of the ledgers\n")
	require.Contains(t, s.stderr, "17 records of them do not tell how long the requests took, and were left out\n")
	require.Contains(t, s.stderr, "a worker above is one request at a time: ")
	require.Contains(t, s.stderr, "all ceilings together let 1 request through at once: ")
	require.Contains(t, s.stderr, "wrote sizing.json; compare with it later: weir promise --drift --assumed sizing.json\n")

	file, err := os.Open(filepath.Join(w.Dir, "sizing.json"))
	require.NoError(t, err)
	defer file.Close()
	kept, err := sizing.ReadAssumed(file)
	require.NoError(t, err)
	require.Equal(t, "measured", kept.From)
	require.Equal(t, max(r.Simulated.Workers, r.Replay.Smallest.Workers), kept.Workers)
	require.Equal(t, kept.Workers, r.Answer.Workers)
	require.Equal(t, noon, kept.SavedAt)
	require.Equal(t, m.History.Burst(r.Inputs.ServiceMinutes), kept.Burst)
	require.Equal(t, m.History.Doubts(), kept.Doubts)

	// What was saved is what drift compares with.
	s = in(w, f.edges(), "promise", "--drift", "--assumed", "sizing.json")
	require.Zero(t, s.code, s.stderr)
	require.Contains(t, s.stdout, "no need to size again: nothing differs by more than 1.25 times (dispersion: 1.5) from what the fleet of ")
	c.past.measured = measuredDays(28, 5, 150, 600)
	s = in(w, f.edges(), "promise", "--drift", "--assumed", "sizing.json")
	require.Equal(t, ExitPromiseBroken, s.code, s.stderr)
	require.Contains(t, s.stdout, "size the fleet again: offered load is 2.96 times (0.6941, not 0.2345)")
}

// TestSizeTellsOfRecordsWithoutARequest, and does not count them as measured.
func TestSizeTellsOfRecordsWithoutARequest(t *testing.T) {
	t.Parallel()
	m := measuredDays(28, 5)
	m.History.Services = append(m.History.Services, sizing.ServiceTime{Jobs: 5000, Free: true})
	a := &app{world: testWorld(t)}
	told := &strings.Builder{}
	a.world.Stderr = told
	a.tellMeasured(m)
	require.Contains(t, told.String(), "service times are those of 500 records in 40 parts of the ledgers\n"+
		"20 % of all records made no request, and count as taking no time: cancelled, refused or expired before their turn\n")
}

// TestSizePricesASlot: without a price of its own, a request at a time costs its part of a process.
func TestSizePricesASlot(t *testing.T) {
	t.Parallel()
	a := &app{world: testWorld(t)}
	p := sizing.Default()
	require.InDelta(t, 65, p.WorkerMonthDollars, 0)
	a.world.Stderr = &strings.Builder{}
	a.tellProcesses(sizeInput{from: sizing.FromMeasured, collects: 200}, 201)
	require.Equal(t, "a worker above is one request at a time: 201 are enough work for 2 processes of weir worker, which makes up to 200 at once (worker.max_collects)\n",
		a.world.Stderr.(*strings.Builder).String())
}

func TestTooLittleIsMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		measured starter.Measured
		omitted  int
		says     string
	}{
		"nothing": {starter.Measured{History: &sizing.History{Until: noon}}, 0,
			"weir: no submission since 2025-12-03 12:00 UTC: give --arrivals FILE, or --params FILE with what is expected\n"},
		"a week's half": {measuredDays(3, 40), 0,
			"weir: too little is measured to size a fleet from: the ledgers have 24 submissions, 960 records, 500 service times and 3 days, " +
				"and it takes 50 submissions, 500 records, 100 service times and 7 days: collect for longer, or widen --since\n"},
		"cut": {measuredDays(3, 40), 9, "9 older submissions were not read, since the others have records enough: give --customer"},
	} {
		for _, command := range []string{"size --from-measured", "promise --drift"} {
			f := &fakeClient{past: fakePast{measured: c.measured, covered: starter.Coverage{Omitted: c.omitted}}}
			s := ask(t, f, strings.Fields(command)...)
			require.Equal(t, ExitUsage, s.code, name)
			require.Contains(t, s.stderr, c.says, name)
			require.Empty(t, s.stdout)
		}
	}
}

func TestDriftAsJSON(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{past: fakePast{measured: measuredDays(28, 5, 50)}}, "promise", "--drift", "-o", "json")
	var got struct {
		Trend   string         `json:"trend"`
		Verdict string         `json:"verdict"`
		Shifts  []sizing.Shift `json:"shifts"`
		Over    sizing.Extent  `json:"measured_over"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got), s.stderr)
	require.Equal(t, ExitPromiseBroken, s.code)
	require.Equal(t, "grown", got.Trend)
	require.Contains(t, got.Verdict, "size the fleet again: mean batch is 2.29 times (27.5, not 12)")
	require.Contains(t, got.Verdict, "what the experiment of docs/sizing.md has, since no --assumed was given")
	require.Len(t, got.Shifts, 4)
	require.Equal(t, 224, got.Over.Submissions)
}

// TestDriftThatIsUnclear: what differs and may be chance is not said to be well, and raises no alarm.
func TestDriftThatIsUnclear(t *testing.T) {
	t.Parallel()
	m := measuredDays(28, 12)
	m.History.Batches[100].Jobs = 9000
	s := ask(t, &fakeClient{past: fakePast{measured: m}}, "promise", "--drift")
	require.Zero(t, s.code, s.stderr)
	require.Regexp(t, `(?m)^mean batch +12 +52\.12 +4\.34 +over 100 % +unclear$`, s.stdout)
	require.Contains(t, s.stdout, "\ncannot tell yet whether to size again: ")
	require.Contains(t, s.stdout, "mean batch is 4.34 times (52.12, not 12), error over 100 %, ")
	require.Contains(t, s.stdout, "; that may be chance: ask again in some days, or widen --since\n")
	require.NotContains(t, s.stdout, "no need")

	s = ask(t, &fakeClient{past: fakePast{measured: m}}, "promise", "--drift", "-o", "json")
	require.Zero(t, s.code, s.stderr)
	require.Contains(t, s.stdout, `"trend":"unclear"`)
	require.Equal(t, "offered load is 52 times (260, not 5), error unknown",
		movedText(sizing.Shift{Figure: "offered load", Ratio: 52, Assumed: 5, Measured: 260, RelativeError: 1e6, Trend: sizing.Unclear}))
	require.Equal(t, "offered load is not known", movedText(sizing.Shift{Figure: "offered load", Trend: sizing.Unclear}))
}

func TestDriftDownIsNoAlarm(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{past: fakePast{measured: measuredDays(28, 5, 6, 7)}}, "promise", "--drift")
	require.Zero(t, s.code, s.stderr)
	require.Contains(t, s.stdout, "\na smaller fleet may do: offered load is ")
}
