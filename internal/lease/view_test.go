package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// renewal is a worker's request for the only source of a table, with what waits longest.
func renewal(worker string, sequence int64, waiting int, oldest Millis) Request {
	return Request{Worker: worker, Sequence: sequence, Sources: []Want{{Source: "s", Waiting: waiting, OldestWaiting: oldest}}}
}

// TestViewOldestWaiting: what waits longest goes on waiting between two renewals, and is gone with the worker that told it.
func TestViewOldestWaiting(t *testing.T) {
	t.Parallel()
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 1})
	look := func(after time.Duration) (Millis, []Millis) {
		v := table.View(noon.Add(after))[0]
		var workers []Millis
		for _, w := range v.Workers {
			workers = append(workers, w.OldestWaiting)
		}
		return v.OldestWaiting, workers
	}
	table.Renew(noon, renewal("a", 1, 3, 40_000))
	table.Renew(noon.Add(time.Second), renewal("b", 1, 1, 500))
	longest, workers := look(3 * time.Second)
	require.Equal(t, Millis(43_000), longest)
	require.Equal(t, []Millis{43_000, 2_500}, workers)

	table.Renew(noon.Add(4*time.Second), renewal("a", 2, 3, 0))
	longest, workers = look(4 * time.Second)
	require.Equal(t, Millis(3_500), longest, "nothing waits at a any more, whatever has waited at one time since")
	require.Equal(t, []Millis{0, 3_500}, workers)

	longest, _ = look(time.Minute)
	require.Zero(t, longest, "the leases have ended")
}

func TestHolderTellsWhatWaitsLongest(t *testing.T) {
	t.Parallel()
	req := NewHolder("a").Next(noon, []Use{{Source: "s", Waiting: 2, OldestWaiting: 1500}}, nil)
	require.Equal(t, []Want{{Source: "s", Waiting: 2, OldestWaiting: 1500}}, req.Sources)
}

// TestViewOldestWaitingIsPlausible: no number that a worker sends makes a table that cannot be written.
func TestViewOldestWaitingIsPlausible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := newTable(t, SourceConfig{Source: "s", Ceiling: 1})
		said := Millis(rapid.Int64().Draw(t, "said"))
		table.Renew(noon, renewal("a", 1, 1, said))
		require.Equal(t, table, roundTrip(t, table))
		require.Equal(t, min(max(said, 0), longestWait), table.View(noon)[0].OldestWaiting)
	})
}

// TestViewMethods: which method is in force, of which, and when the preferred one is tried again.
func TestViewMethods(t *testing.T) {
	t.Parallel()
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 1, Methods: []string{"page", "api"}, FallbackAfter: 1})
	view := func() SourceView { return table.View(table.Now)[0] }
	require.Equal(t, "page", view().Method)
	require.Equal(t, []string{"page", "api"}, view().Methods)
	require.Zero(t, view().MethodUntil)

	failing := renewal("a", 1, 1, 0)
	failing.Sources[0].Seen = Report{Requests: 5, TargetFaults: 5}
	table.Renew(noon, failing)
	require.Equal(t, "api", view().Method)
	require.Equal(t, noon.Add(fallbackTime), view().MethodUntil)

	require.NoError(t, table.UseMethod(noon, "s", "page", Note{}))
	require.Equal(t, "page", view().Method)
	require.Zero(t, view().MethodUntil, "an operator's choice has no end")
}

func TestUseMethodOfASourceWithoutAny(t *testing.T) {
	t.Parallel()
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 1})
	require.EqualError(t, table.UseMethod(noon, "s", "api", Note{}),
		`use-method s: method "api": the source has no methods to choose from; list them in its configuration`)
	require.NoError(t, table.UseMethod(noon, "s", "", Note{}), "there is nothing to give back, and it is given back")
}

// TestViewEgresses: the share of faults is that of the last minutes, and an egress that is on trial says with whom.
func TestViewEgresses(t *testing.T) {
	t.Parallel()
	table := newTable(t)
	sequence := int64(0)
	report := func(after time.Duration, r EgressReport) {
		sequence++
		r.Egress = "p"
		table.Renew(noon.Add(after), Request{Worker: "a", Sequence: sequence, Egress: []EgressReport{r}})
	}
	look := func(after time.Duration) EgressView {
		views := table.ViewEgresses(noon.Add(after))
		require.Len(t, views, 1)
		return views[0]
	}
	report(0, EgressReport{Successes: 8, Faults: 2, Trailing: 1})
	require.Equal(t, EgressView{Egress: "p", State: EgressGood, FaultsInRow: 1, Requests: 10, Faults: 2, SeenAt: noon}, look(time.Minute))
	old := look(egressWindow)
	require.Zero(t, old.Requests, "no requests are recent any more")
	require.Equal(t, 1, old.FaultsInRow)

	retired := noon.Add(10 * time.Second)
	report(10*time.Second, EgressReport{Faults: 4, Trailing: 4})
	require.Equal(t, EgressView{Egress: "p", State: EgressRetired, Since: retired, Until: retired.Add(time.Minute), Retirements: 1, SeenAt: retired},
		look(20*time.Second))

	due := retired.Add(time.Minute)
	for _, before := range []time.Duration{time.Second, 0} {
		sequence++
		table.Renew(due.Add(-before), Request{Worker: "a", Sequence: sequence})
	}
	trial := look(due.Sub(noon))
	require.Equal(t, EgressOnTrial, trial.State)
	require.Equal(t, "a", trial.Trial)
	require.Equal(t, due.Add(2*table.Settings.ownerTTL()), trial.Until)

	report(due.Sub(noon)+time.Second, EgressReport{Successes: 1})
	require.Equal(t, EgressView{Egress: "p", State: EgressGood, Since: due.Add(time.Second), SeenAt: due.Add(time.Second)}, look(due.Sub(noon)+2*time.Second))
}

func TestViewOf(t *testing.T) {
	t.Parallel()
	views := []SourceView{{Source: "books", Ceiling: 4}, {Source: "shoes", Ceiling: 2}}
	view, ok := ViewOf(views, "shoes")
	require.True(t, ok)
	require.Equal(t, 2, view.Ceiling)
	_, ok = ViewOf(views, "hats")
	require.False(t, ok)
}
