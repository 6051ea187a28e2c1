package lease

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tryout is a table with a retired egress, and workers that renew in turn.
type tryout struct {
	table    *Table
	now      time.Time
	sequence int64
}

func newTryout(t *testing.T, workers ...string) *tryout {
	o := &tryout{table: newTable(t, SourceConfig{Source: "s", Ceiling: 1}), now: noon}
	o.renew(workers[0], EgressReport{Egress: "p", Faults: 5, Trailing: 5})
	for range 12 {
		for _, w := range workers {
			require.Equal(t, []EgressState{{Egress: "p"}}, o.renew(w))
		}
		o.now = o.now.Add(5 * time.Second)
	}
	return o
}

// renew answers with what the worker is told of egresses.
func (o *tryout) renew(worker string, reports ...EgressReport) []EgressState {
	o.sequence++
	return o.table.Renew(o.now, Request{Worker: worker, Sequence: o.sequence, Egress: reports}).Egress
}

// onTrial says which of the workers is told that it may try, when all of them renew; more than one is a fault.
func (o *tryout) onTrial(t *testing.T, workers ...string) string {
	trial := ""
	for _, w := range workers {
		for _, s := range o.renew(w) {
			require.False(t, s.Trial && trial != "")
			if s.Trial {
				trial = w
			}
		}
	}
	return trial
}

// TestSlowTrialCounts: a request takes longer than the time in which a trial is one worker's own. What it meets counts all
// the same, good or bad, and whoever has the trial by then.
func TestSlowTrialCounts(t *testing.T) {
	t.Run("success", func(t *testing.T) {
		o := newTryout(t, "a", "b")
		o.onTrial(t, "a", "b") // the first sees it on its way
		require.Equal(t, "a", o.onTrial(t, "a", "b"))
		require.Equal(t, []EgressState{{Egress: "p"}}, o.renew("b", EgressReport{Egress: "p", Successes: 1}), "b has not tried it")
		for range 7 {
			o.now = o.now.Add(5 * time.Second)
			o.onTrial(t, "a", "b")
		}
		require.Equal(t, "b", o.onTrial(t, "a", "b"))
		require.Empty(t, o.renew("a", EgressReport{Egress: "p", Successes: 1}))
		require.Empty(t, o.renew("b"))
	})
	t.Run("fault", func(t *testing.T) {
		o := newTryout(t, "a", "b")
		o.onTrial(t, "a", "b")
		require.Equal(t, "a", o.onTrial(t, "a", "b"))
		for range 7 {
			o.now = o.now.Add(5 * time.Second)
			o.onTrial(t, "a", "b")
		}
		require.Equal(t, "b", o.onTrial(t, "a", "b"))
		o.renew("a", EgressReport{Egress: "p", Faults: 1, Trailing: 1})
		e := o.table.Egresses[0]
		require.Equal(t, 2, e.Retirements)
		require.Equal(t, 2*time.Minute, e.Until.Sub(o.now))
		require.Equal(t, []EgressState{{Egress: "p"}}, o.renew("b", EgressReport{Egress: "p", Successes: 1}), "from before this retirement")
	})
}

// TestTriedIsBounded: of however many workers that were told and say nothing, the latest are remembered, once each.
func TestTriedIsBounded(t *testing.T) {
	e := Egress{Egress: "p", Retired: true}
	for n := range 3 * mostTried {
		e.tell(fmt.Sprintf("w%02d", n))
		e.tell(fmt.Sprintf("w%02d", max(0, n-1)))
		e.tell(fmt.Sprintf("w%02d", n))
	}
	require.Len(t, e.Tried, mostTried)
	require.Equal(t, "w47", e.Tried[mostTried-1])
	e.observe(noon, "w00", EgressReport{Egress: "p", Successes: 1}, time.Minute)
	require.True(t, e.Retired, "long forgotten")
	e.observe(noon, "w40", EgressReport{Egress: "p", Successes: 1}, time.Minute)
	require.False(t, e.Retired)
	require.Empty(t, e.Tried)
}

// TestTrialOfAnOldState: a table that was written before it was noted who was told knows it of the last.
func TestTrialOfAnOldState(t *testing.T) {
	e := Egress{Egress: "p", Retired: true, Trial: "a", Told: true}
	e.observe(noon, "a", EgressReport{Egress: "p", Successes: 1}, time.Minute)
	require.False(t, e.Retired)
}
