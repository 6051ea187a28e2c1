package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

// openSource is a source that is as configured, with two workers.
func openSource() lease.SourceView {
	return lease.SourceView{
		Source: "bookshop", Ceiling: 8, InForce: 8, Granted: 8, Exposed: 8, InFlight: 7, Waiting: 12, OldestWaiting: 125_000,
		Pace: lease.Unlimited,
		Open: true, Breaker: lease.BreakerClosed, Requests: 40, Faults: 1,
		Workers: []lease.WorkerView{
			{Worker: "7@ops1", Granted: 6, Exposed: 6, InFlight: 6, Waiting: 12, OldestWaiting: 125_000, Pace: lease.Unlimited,
				Full: true, LeaseEnds: noon.Add(9 * time.Second)},
			{Worker: "8@ops2", Granted: 2, Exposed: 2, InFlight: 1, Pace: lease.Unlimited, LeaseEnds: noon.Add(14 * time.Second)},
		},
	}
}

func note(ago time.Duration, reason string) lease.Note {
	return lease.Note{By: "ann@ops", Reason: reason, At: noon.Add(-ago)}
}

// pausedSource is paused, with an override of everything, and a worker that was lost.
func pausedSource() lease.SourceView {
	paused := note(4*time.Minute, "they called: their database is down, and it will take until the morning to mend it")
	return lease.SourceView{
		Source: "stock", Ceiling: 2, InFlight: 1, Pace: lease.PerSecond(0.5), Why: lease.WhyPaused, Breaker: lease.BreakerOpen, BreakerTrips: 2,
		Paused:          &paused,
		CeilingOverride: &lease.CeilingOverride{Ceiling: 2, Until: noon.Add(118 * time.Minute), Note: note(2*time.Minute, "slow")},
		PaceOverride:    &lease.PaceOverride{Rate: lease.PerSecond(1), Note: note(time.Hour, "")},
		Method:          "api",
		Methods:         []string{"page", "api"},
		MethodOverride:  &lease.MethodOverride{Method: "api", Note: note(time.Minute, "the page is broken")},
		Log: []lease.OperatorCommand{
			{Command: "set-pace", Detail: "1/s", Note: note(time.Hour, "")},
			{Command: "pause", Note: note(4*time.Minute, "their database is down")},
			{Command: "set-ceiling", Detail: "2 until 2026-01-02T13:58:00Z", Note: note(2*time.Minute, "slow")},
		},
		Workers: []lease.WorkerView{{Worker: "7@ops1", Exposed: 1, InFlight: 1, LeaseEnds: noon.Add(-3 * time.Second), Lost: true}},
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{table: []lease.SourceView{openSource(), pausedSource()}}, "sources")
	require.Zero(t, s.code)
	require.Empty(t, s.stderr)
	require.Equal(t, text(`
SOURCE    STATE   CEILING  IN FORCE  GRANTED  IN FLIGHT  WAITING  OLDEST    PACE  BREAKER  METHOD
bookshop  open          8         8        8          7       12   2 min    none  closed
stock     paused        2         0        0          1        0          30/min  open     api

stock  paused by ann@ops, 4 min ago: they called: their database is down, and it will take until the morning to mend it
       its breaker is open as well
       ceiling set to 2 until 2026-01-02 13:58:00 UTC (in 1 h 58 min) by ann@ops, 2 min ago: slow
       pace set to 1/s by ann@ops, 1 h ago
       the pace in force is 30/min: the crawl delay that its robots.txt asks for holds
       fetched by api, set by ann@ops, 1 min ago: the page is broken
       1 worker lost: up to 1 request may linger at the source, and count against the ceiling
`), s.stdout)
}

func TestSourcesVerbose(t *testing.T) {
	t.Parallel()
	stock := pausedSource()
	stock.CeilingOverride, stock.PaceOverride, stock.MethodOverride = nil, nil, nil
	stock.Method = "page"
	s := ask(t, &fakeClient{table: []lease.SourceView{openSource(), stock}}, "sources", "-v")
	require.Zero(t, s.code)
	_, after, ok := strings.Cut(s.stdout, "\n\n")
	require.True(t, ok)
	require.Equal(t, text(`
bookshop  40 requests within the breaker's window, 1 failed by the source's fault
stock     paused by ann@ops, 4 min ago: they called: their database is down, and it will take until the morning to mend it
          its breaker is open as well
          fetched by page, the first of its methods page, api
          1 worker lost: up to 1 request may linger at the source, and count against the ceiling

SOURCE    GRANTED  IN FLIGHT  WAITING  OLDEST  PACE  LEASE           WORKER
bookshop        6          6       12   2 min  none  9 s left, full  7@ops1
bookshop        2          1        0          none  14 s left       8@ops2
stock           0          1        0             0  lost 3 s ago    7@ops1

LAST COMMANDS
stock  2026-01-02 11:00:00 UTC set-pace 1/s by ann@ops
       2026-01-02 11:56:00 UTC pause by ann@ops: their database is down
       2026-01-02 11:58:00 UTC set-ceiling 2 until 2026-01-02T13:58:00Z by ann@ops: slow
`), after)
}

// TestSourcesShowsTheLastCommands: a few for each source, and all that are kept for one.
func TestSourcesShowsTheLastCommands(t *testing.T) {
	t.Parallel()
	row := openSource()
	for i := range 9 {
		row.Log = append(row.Log, lease.OperatorCommand{Command: fmt.Sprintf("set-ceiling: %d.", i), Note: note(0, "")})
	}
	c := &fakeClient{table: []lease.SourceView{row}}
	all := ask(t, c, "sources", "--verbose").stdout
	require.Equal(t, 5, strings.Count(all, "set-ceiling"))
	require.Contains(t, all, "set-ceiling: 8.")
	require.NotContains(t, all, "set-ceiling: 3.")
	require.Equal(t, 9, strings.Count(ask(t, c, "sources", "bookshop", "-v").stdout, "set-ceiling"))
}

func TestOneSource(t *testing.T) {
	t.Parallel()
	c := &fakeClient{table: []lease.SourceView{openSource(), pausedSource()}}
	s := ask(t, c, "sources", "bookshop")
	require.Equal(t, session{stdout: text(`
SOURCE    STATE  CEILING  IN FORCE  GRANTED  IN FLIGHT  WAITING  OLDEST  PACE  BREAKER
bookshop  open         8         8        8          7       12   2 min  none  closed
`)}, s)
	s = ask(t, c, "sources", "shop")
	require.Equal(t, session{code: ExitNotFound, stderr: "weir: the fleet has no source \"shop\"; its sources are bookshop, stock\n"}, s)
}

func TestSourcesAsJSON(t *testing.T) {
	t.Parallel()
	c := &fakeClient{table: []lease.SourceView{openSource(), pausedSource()}}
	var got []lease.SourceView
	s := ask(t, c, "sources", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, c.table, got)
	require.Empty(t, s.stderr)
	var one []lease.SourceView
	require.NoError(t, json.Unmarshal([]byte(ask(t, c, "sources", "stock", "-o", "json").stdout), &one))
	require.Equal(t, c.table[1:], one)
	require.Equal(t, "[]\n", ask(t, &fakeClient{}, "sources", "-o", "json").stdout)
}

func TestSourcesWithoutATable(t *testing.T) {
	t.Parallel()
	missing := &fakeClient{err: notThere("no worker has asked for permits yet, so there is no table of sources")}
	says := session{code: ExitNotFound,
		stderr: "weir: there is no table of sources yet, since no worker has asked for permits: start one with weir worker\n"}
	require.Equal(t, says, ask(t, missing, "sources"))
	require.Equal(t, says, ask(t, missing, "pause", "bookshop", "--reason", "x"))
	require.Equal(t, says, ask(t, &fakeClient{table: []lease.SourceView{openSource()}, commandErr: notThere("x")}, "resume", "bookshop"))
	down := &fakeClient{err: errors.New("ask for the sources: does a worker with the role fleet run? (context deadline exceeded)")}
	require.Equal(t, session{code: ExitFailure, stderr: "weir: " + down.err.Error() + "\n"}, ask(t, down, "sources"))
	nobody := &fakeClient{err: fmt.Errorf("ask for the sources: %w", serviceerror.NewFailedPrecondition("no poller seen"))}
	says = session{code: ExitFailure, stderr: "weir: no worker with the role fleet answers, and it keeps the table of sources: " +
		"start one with weir worker (no poller seen)\n"}
	for _, line := range []string{"sources", "egress", "pause bookshop --reason x"} {
		require.Equal(t, says, ask(t, nobody, strings.Fields(line)...), line)
	}
	require.Equal(t, session{stderr: "no sources: no worker has brought a configuration yet\n"}, ask(t, &fakeClient{}, "sources"))
}

// TestSourcesWithoutWorkers: figures that nobody keeps up to date are not shown without a word.
func TestSourcesWithoutWorkers(t *testing.T) {
	t.Parallel()
	lost := pausedSource()
	require.Equal(t, "no worker holds a lease: nothing is requested until one does; see weir worker --help\n",
		ask(t, &fakeClient{table: []lease.SourceView{lost}}, "sources").stderr)
	lost.Workers = nil
	require.Contains(t, ask(t, &fakeClient{table: []lease.SourceView{lost}}, "sources").stderr, "no worker holds a lease")

	old := openSource()
	old.Workers[0].LeaseEnds, old.Workers[1].LeaseEnds = noon.Add(-2*time.Hour), noon.Add(-5*time.Minute)
	s := ask(t, &fakeClient{table: []lease.SourceView{old}}, "sources", "-v")
	require.Equal(t, "no worker has renewed since its lease ended 5 min ago: the figures are from then, and nothing is requested\n", s.stderr)
	require.Contains(t, s.stdout, "  ended 5 min ago  8@ops2\n")
	old.Workers[1].LeaseEnds = noon.Add(-30 * time.Second)
	require.Empty(t, ask(t, &fakeClient{table: []lease.SourceView{old}}, "sources").stderr, "two clocks may differ a little")
}

// TestSourcesOfAnotherConfiguration: workers whose configuration counts for nothing are told of, each once.
func TestSourcesOfAnotherConfiguration(t *testing.T) {
	t.Parallel()
	row := openSource()
	row.Workers[0].OtherConfig = true
	other := openSource()
	other.Source, other.Workers[0].OtherConfig = "films", true
	require.Equal(t, "1 worker with another configuration than the one in force, which counts for nothing: give all the one that is meant, and start them anew\n",
		ask(t, &fakeClient{table: []lease.SourceView{row, other}}, "sources").stderr)
	row.Workers[0].Lost, other.Workers[0].Lost = true, true
	require.Empty(t, ask(t, &fakeClient{table: []lease.SourceView{row, other}}, "sources").stderr)
}

// TestStates: every way to be closed or held back is told.
func TestStates(t *testing.T) {
	t.Parallel()
	hold := note(time.Hour, "login forms")
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	for _, c := range []struct {
		name                   string
		row                    lease.SourceView
		state, breaker, remark string
	}{
		{"open", lease.SourceView{Open: true, ClosesAt: at(time.Hour)}, "open", "closed", ""},
		{"removed", lease.SourceView{Why: lease.WhyRemoved}, "removed", "closed", "is no longer in the configuration; what operators have set, and a breaker that is open, are kept in case it comes back"},
		{"ceiling", lease.SourceView{Why: lease.WhyCeiling}, "ceiling 0", "closed", "its configured ceiling is 0"},
		{"held", lease.SourceView{Why: lease.WhyBreakerHeld, BreakerHeld: &hold, Breaker: lease.BreakerOpen}, "held", "held",
			"breaker held open by ann@ops, 1 h ago: login forms"},
		{"failing", lease.SourceView{Why: lease.WhyBreakerOpen, Breaker: lease.BreakerOpen, OpensAt: at(12 * time.Second), BreakerTrips: 1}, "failing", "open",
			"breaker open until 2026-01-02 12:00:12 UTC (in 12 s): the source fails too often"},
		{"failing again", lease.SourceView{Why: lease.WhyBreakerOpen, Breaker: lease.BreakerOpen, OpensAt: at(time.Minute), BreakerTrips: 3}, "failing", "open",
			"breaker open until 2026-01-02 12:01:00 UTC (in 1 min): the source fails too often; it has opened 3 times in a row"},
		{"throttled", lease.SourceView{Why: lease.WhyThrottled, Breaker: lease.BreakerOpen, OpensAt: at(7 * time.Second)}, "throttled", "open",
			"throttled until 2026-01-02 12:00:07 UTC (in 7 s): the source has asked for a wait"},
		{"no more throttled", lease.SourceView{Why: lease.WhyThrottled, Breaker: lease.BreakerOpen, OpensAt: at(-2 * time.Second)}, "throttled", "open",
			"throttled; the wait that the source has asked for has just ended"},
		{"half-open", lease.SourceView{Open: true, Breaker: lease.BreakerHalfOpen, BreakerTrips: 1}, "open", "half-open",
			"breaker half-open: one request tries the source"},
		{"closing", lease.SourceView{Open: true, BreakerLevel: 2}, "open", "closing",
			"breaker closing: at most 2 in flight for now, and more as long as fewer fail than would open it"},
		{"hours", lease.SourceView{Why: lease.WhyHours, OpensAt: at(10 * time.Hour)}, "off hours", "closed",
			"outside its hours until 2026-01-02 22:00:00 UTC (in 10 h)"},
		{"fallen back", lease.SourceView{Open: true, Method: "api", Methods: []string{"page", "api"}, MethodUntil: at(40 * time.Minute)}, "open", "closed",
			"fetched by api, since its breaker kept opening; page is tried again 2026-01-02 12:40:00 UTC (in 40 min)"},
		{"by its first method", lease.SourceView{Open: true, Method: "page", Methods: []string{"page", "api"}}, "open", "closed", ""},
		{"never", lease.SourceView{Why: lease.WhyHours}, "off hours", "closed", "outside its hours"},
		{"new code", lease.SourceView{Why: "eclipse"}, "eclipse", "closed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.row.Breaker == "" {
				c.row.Breaker = lease.BreakerClosed
			}
			require.Equal(t, c.state, stateCell(c.row).Text)
			require.Equal(t, c.breaker, breakerCell(c.row).Text)
			var remarks []string
			for _, cell := range remarksOn(c.row, noon, false) {
				remarks = append(remarks, cell.Text)
			}
			require.Equal(t, c.remark, strings.Join(remarks, "\n"))
		})
	}
	chosen := lease.SourceView{Open: true, Method: "api", Methods: []string{"page", "api"}, MethodOverride: &lease.MethodOverride{Method: "api", Note: hold}}
	require.Equal(t, []screen.Cell{
		{Style: screen.Notice, Text: "fetched by api, set by ann@ops, 1 h ago: login forms"}, screen.Text("its methods are page, api"),
	}, remarksOn(chosen, noon, true))
	open := lease.SourceView{Open: true, ClosesAt: at(time.Hour)}
	require.Equal(t, []screen.Cell{screen.Text("its hours end 2026-01-02 13:00:00 UTC (in 1 h)")}, remarksOn(open, noon, true))
	require.Equal(t, ", just now: x", noteText(lease.Note{At: at(time.Second), Reason: "x"}, noon), "the owner's clock may be ahead")
}

func TestOldestText(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]string{
		0: "", time.Millisecond: "1 s", 59*time.Second + 900*time.Millisecond: "59 s", time.Minute: "1 min", 119 * time.Second: "1 min",
		59*time.Minute + 59*time.Second: "59 min", time.Hour: "1 h", 24*time.Hour - time.Second: "23 h", 49 * time.Hour: "2 d",
	} {
		require.Equal(t, want, oldestText(lease.Milliseconds(waited)), waited)
	}
}
