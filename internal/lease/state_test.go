package lease

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// wire is one full value of everything that enters a history.
func wire() map[string]any {
	note := Note{By: "ada", Reason: "complaint", At: noon}
	delay, ceiling := Millis(2000), 8
	window, err := ParseWindow("Mon-Fri 22:00-06:00")
	if err != nil {
		panic(err)
	}
	config := SourceConfig{
		Source: "books", Ceiling: 8, Rate: PerSecond(2.5), Burst: 2, MinInterval: 100, Linger: 3000, Methods: []string{"page", "api"},
		FallbackAfter: 3,
		Hours:         &Hours{Zone: Zone{Name: "Europe/London", Offsets: []Offset{{From: noon, Seconds: 3600}}}, Windows: []Window{window}},
		Breaker:       BreakerConfig{Window: 60_000, Faults: 5, Percent: 50, Open: 15_000, MaxOpen: 600_000},
	}
	bucket := Bucket{At: noon, Requests: 9, Answered: 8, Faults: 7}
	holding := Holding{
		Worker: "w1", LeaseEnds: noon, Granted: 3, Exposed: 4, Rate: 1, RateExposed: 2, Linger: 3000, InFlight: 2, Full: true, Need: 5, Waiting: 3, NeedBefore: 4, WaitingBefore: 2,
		DemandAt: noon, OldestSince: noon, Turn: noon, HungrySince: noon, IdleSince: noon, ScoutAfter: noon, CrawlDelay: &delay,
	}
	source := Source{
		Config: config, Removed: true, Paused: &note,
		Ceiling: &CeilingOverride{Ceiling: 2, Until: noon, Note: note}, Pace: &PaceOverride{Rate: 1, Until: noon, Note: note},
		Method: &MethodOverride{Method: "api", Note: note}, Fallback: &AutomaticMethod{Index: 1, Until: noon},
		Breaker: Breaker{State: BreakerOpen, Cause: WhyThrottled, Until: noon, Trips: 2, Level: 4, SteppedAt: noon, ReleasedAt: noon, ReleasedUntil: noon, Held: &note, Recent: []Bucket{bucket}},
		Log:     []OperatorCommand{{Command: "pause", Detail: "d", Note: note}}, CrawlDelay: 2000, PaceFreedAt: noon, Holdings: []Holding{holding},
	}
	egress := Egress{Egress: "p1", Row: 2, Recent: []Bucket{bucket}, SeenAt: noon, Retired: true, RetiredAt: noon, Until: noon, Retirements: 1,
		ReturnedAt: noon, Trial: "w1", TrialEnds: noon, Told: true, Tried: []string{"w2", "w1"}}
	return map[string]any{
		"table": Table{Version: 1, Settings: Settings{TTL: 15_000, EgressProbation: 60_000}, Now: noon, SettlesAt: noon, ToldTTL: 15_000, ToldLinger: 3000, Epoch: "r2", Epochs: []string{"r1", "r2"}, InDoubt: true,
			Workers: []Worker{{Worker: "w1", Sequence: 7, LeaseEnds: noon, FirstSeen: noon, From: 3, Released: true, Config: "c1"}}, Sources: []Source{source}, Egresses: []Egress{egress}},
		"request": Request{Worker: "w1", Sequence: 7, Epoch: "r2", TTL: 15_000, Answered: 6, Sources: []Want{{
			Source: "books", Held: 3, Rate: OnePerSecond, InFlight: 2, Peak: 3, Waiting: 1, OldestWaiting: 4000, Full: true, Linger: 3000, CrawlDelay: &delay,
			Seen: Report{Requests: 9, Successes: 5, TargetFaults: 2, Throttled: 1, LongestRetryAfter: 7000, Heard: &noon},
		}}, Egress: []EgressReport{{Egress: "p1", Successes: 4, Faults: 3, Trailing: 2}}},
		"answer": Answer{Sequence: 7, Epoch: "r2", Stale: true, Released: true, TTL: 15_000, RenewIn: 5000, Grants: []Grant{{
			Source: "books", Permits: 3, Pace: Pace{Rate: OnePerSecond, Burst: 1, Fill: 500}, Method: "api", Open: true, Why: WhyHours,
			OpensAt: noon, ClosesIn: 1500, Spare: 1, ReleasedAt: noon, Ceiling: &ceiling,
		}}, Egress: []EgressState{{Egress: "p1", Trial: true}}},
		"view": SourceView{
			Source: "books", Ceiling: 8, InForce: 4, Granted: 3, Exposed: 4, InFlight: 2, Waiting: 1, OldestWaiting: 4000,
			Pace: OnePerSecond, Method: "api", Methods: []string{"page", "api"}, MethodUntil: noon,
			Open: true, Why: WhyHours, OpensAt: noon, ClosesAt: noon, Breaker: BreakerClosed, BreakerLevel: 4, BreakerTrips: 1,
			BreakerHeld: &note, Requests: 9, Faults: 2, Paused: &note, CeilingOverride: source.Ceiling, PaceOverride: source.Pace,
			MethodOverride: source.Method, Log: source.Log,
			Workers: []WorkerView{{Worker: "w1", Granted: 3, Exposed: 4, InFlight: 2, Waiting: 1, OldestWaiting: 4000, Pace: 1, Full: true,
				LeaseEnds: noon, Lost: true, OtherConfig: true}},
		},
		"egress": EgressView{Egress: "p1", State: EgressOnTrial, FaultsInRow: 2, Requests: 8, Faults: 7, Since: noon, Until: noon, Retirements: 1,
			Trial: "w1", SeenAt: noon},
	}
}

// TestWire pins every JSON field: they stand in histories of running workflows. A field may be added, never renamed.
func TestWire(t *testing.T) {
	values := wire()
	datadriven.RunTest(t, "testdata/wire.txt", func(t *testing.T, d *datadriven.TestData) string {
		b, err := json.MarshalIndent(values[d.Cmd], "", "  ")
		require.NoError(t, err)
		return string(b) + "\n"
	})
	for name, v := range values {
		requireFull(t, name, reflect.ValueOf(v))
		back := reflect.New(reflect.TypeOf(v))
		b, err := json.Marshal(v)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, back.Interface()))
		require.Equal(t, v, back.Elem().Interface(), name)
	}
}

// requireFull says that no exported field below is zero, so that the golden file shows each.
func requireFull(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		require.False(t, v.IsNil(), path)
		requireFull(t, path, v.Elem())
	case reflect.Slice:
		require.Positive(t, v.Len(), path)
		requireFull(t, path+"[0]", v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			require.False(t, v.IsZero(), path)
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				requireFull(t, path+"."+f.Name, v.Field(i))
			}
		}
	default:
		require.False(t, v.IsZero(), path)
	}
}

// TestContinueAsNewChangesNothing plays the same plot with one owner, and with one that continues as new at every message.
func TestContinueAsNewChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t)
		p.Chaos, p.Calm = 8*time.Second, simTTL
		one, many := newWorld(t, p), newWorld(t, p)
		many.renewed = true
		one.run()
		many.run()
		require.Equal(t, one.table, many.table)
		require.Equal(t, one.starts, many.starts)
	})
}

func TestViewChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t)
		p.Chaos, p.Calm = 5*time.Second, 0
		w := newWorld(t, p)
		w.run()
		before := roundTrip(t, w.table)
		later := w.now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "later")) * time.Second)
		views := w.table.View(later)
		require.Empty(t, w.table.ViewEgresses(later))
		require.Equal(t, before, w.table)
		require.Len(t, views, 1)
		require.Equal(t, p.Ceiling, views[0].Ceiling)
		require.LessOrEqual(t, views[0].Granted, views[0].Exposed)
	})
}

func TestTimeNeverRunsBackwards(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 1})
	want := []Want{{Source: "s", Waiting: 1}}
	require.Equal(t, 1, table.Renew(noon.Add(time.Minute), Request{Worker: "a", Sequence: 1, Sources: want}).Grants[0].Permits)
	table.Expire(noon)
	require.Equal(t, noon.Add(time.Minute), table.Now)
	require.Zero(t, table.Renew(noon.Add(time.Minute+16*time.Second), Request{Worker: "b", Sequence: 1, Sources: want}).Grants[0].Permits)
}

// TestReleasedStaysReleased has a request that was under way when its worker left not bring it back.
func TestReleasedStaysReleased(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 1})
	want := []Want{{Source: "s", Waiting: 1}}
	table.Renew(noon, Request{Worker: "a", Sequence: 1, Sources: want})
	table.Release(noon, "a")
	answer := table.Renew(noon, Request{Worker: "a", Sequence: 2, Sources: want})
	require.Equal(t, Answer{Sequence: 2, Stale: true, Released: true}, answer)
	require.Equal(t, 1, table.Renew(noon, Request{Worker: "b", Sequence: 1, Sources: want}).Grants[0].Permits)
}

// TestTrialsCountOnceTold has the worker that is to try an egress not fail by what it had under way before it knew.
func TestTrialsCountOnceTold(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 1})
	now, sequence := noon, int64(0)
	renew := func(after time.Duration, reports ...EgressReport) []EgressState {
		sequence++
		now = now.Add(after)
		return table.Renew(now, Request{Worker: "a", Sequence: sequence, Egress: reports}).Egress
	}
	retired := []EgressState{{Egress: "p"}}
	require.Equal(t, retired, renew(0, EgressReport{Egress: "p", Faults: 5, Trailing: 5}))
	for range 5 {
		require.Equal(t, retired, renew(10*time.Second))
	}
	trial := []EgressState{{Egress: "p", Trial: true}}
	require.Equal(t, trial, renew(10*time.Second, EgressReport{Egress: "p", Faults: 1, Trailing: 1}))
	require.Equal(t, trial, renew(time.Second))
	require.Empty(t, renew(time.Second, EgressReport{Egress: "p", Successes: 1}))
}

// TestBounded has names that come and go leave nothing behind, and a worker unable to make the owner remember everything.
func TestBounded(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
	now := noon
	for n := range 500 {
		now = now.Add(time.Second)
		name := fmt.Sprintf("w%d", n)
		table.Renew(now, Request{Worker: name, Sequence: 1, Sources: []Want{{Source: "s", Waiting: 1}},
			Egress: []EgressReport{{Egress: name, Successes: 1}, {Egress: name + "x", Faults: 1}, {Egress: name + "y", Successes: 1}}})
		if n%3 == 0 {
			table.Release(now, name)
		}
		require.NoError(t, table.Pause(now, "s", Note{By: "ops"}))
		require.NoError(t, table.Resume(now, "s", Note{By: "ops"}))
	}
	require.LessOrEqual(t, len(table.Workers), 150)
	require.LessOrEqual(t, len(table.Sources[0].Holdings), 17)
	require.Len(t, table.Sources[0].Log, logLength)
	require.Len(t, table.Egresses, mostEgresses)
	table.Expire(now.Add(25 * time.Hour))
	require.Empty(t, table.Workers)
	require.Empty(t, table.Sources[0].Holdings)
	require.Empty(t, table.Egresses)
}

func TestCheckRefusesForeignStates(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "a"}, SourceConfig{Source: "b"})
	require.NoError(t, table.Check())
	table.Sources[0], table.Sources[1] = table.Sources[1], table.Sources[0]
	require.ErrorContains(t, table.Check(), "order")
	table.Version = 2
	require.ErrorContains(t, table.Check(), "version 2")
	require.Error(t, (&Table{Version: version}).Check())
}
