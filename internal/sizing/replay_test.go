package sizing

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplayPaces: the jobs of a batch are handed in one after another, and those of the next batch between them.
func TestReplayPaces(t *testing.T) {
	t.Parallel()
	h := &History{Batches: []Recorded{{at("2026-01-31T23:50:00Z"), 3}, {at("2026-01-31T23:55:00Z"), 2}}}
	p := Default()
	p.Service = Service{Shape: Fixed, MeanMinutes: 10}
	p.Batches.PaceMinutes = 10
	var arrivals []int64
	var batches []int32
	for _, job := range h.Stretch(p) {
		arrivals, batches = append(arrivals, job.Arrival/minute), append(batches, job.Batch)
	}
	require.Equal(t, []int64{0, 5, 10, 15, 20}, arrivals)
	require.Equal(t, []int32{0, 1, 0, 1, 0}, batches)

	got := h.Replay(p, h.Stretch(p), 2)
	require.Equal(t, 1.0, got.Within, "two workers have ten minutes for each")
	require.Equal(t, 2, got.Months, "some are handed in after midnight")
	p.Batches.PaceMinutes = 0
	require.Less(t, h.Replay(p, h.Stretch(p), 2).Within, 1.0)
}

// TestPartialMonths: a recording that begins or ends inside of a month says so; a day is forgiven.
func TestPartialMonths(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		first, last, until string
		want               int
	}{
		{"2026-03-01T08:00:00Z", "2026-05-31T12:00:00Z", "", 0},
		{"2026-03-01T00:00:00Z", "2026-04-20T12:00:00Z", "2026-05-01T00:00:00Z", 0},
		{"2026-03-10T08:00:00Z", "2026-05-31T12:00:00Z", "", 1},
		{"2026-03-01T08:00:00Z", "2026-05-20T12:00:00Z", "", 1},
		{"2026-03-10T08:00:00Z", "2026-05-20T12:00:00Z", "", 2},
		{"2026-03-10T08:00:00Z", "2026-03-20T12:00:00Z", "", 1},
		{"2026-12-01T08:00:00Z", "2026-12-31T12:00:00Z", "", 0},
	} {
		h := &History{Batches: []Recorded{{at(row.first), 1}, {at(row.last), 1}}}
		if row.until != "" {
			h.Until = at(row.until)
		}
		require.Equal(t, row.want, h.partialMonths(), "%+v", row)
		require.Equal(t, row.want, h.Replay(Default(), h.Stretch(Default()), 1).PartialMonths)
	}
}

// TestPacingMakesAReplaySmaller: what paces save in the simulation they save in the replay.
func TestPacingMakesAReplaySmaller(t *testing.T) {
	t.Parallel()
	h := recorded(60, 9)
	p, err := h.Params(Default())
	require.NoError(t, err)
	atOnce := h.SmallestReplayed(p).Workers
	p.Batches.PaceMinutes = 2
	require.Less(t, h.SmallestReplayed(p).Workers, atOnce-5)
	require.True(t, slices.IsSortedFunc(h.Stretch(p), func(a, b Job) int { return int(a.Arrival - b.Arrival) }))
}

// TestWhatIsCutCannotBeReplayed: nobody knows when the rest of a batch would have come.
func TestWhatIsCutCannotBeReplayed(t *testing.T) {
	t.Parallel()
	h := &History{Batches: []Recorded{{at("2026-01-01T00:00:00Z"), 30}}}
	p := Default()
	require.True(t, h.Replayable(p))
	p.Batches.Max = 30
	require.True(t, h.Replayable(p))
	p.Batches.Max = 29
	require.False(t, h.Replayable(p))
}

// TestAFleetForCutBatchesAssumesThemCut: later batches of the old size have then outgrown it.
func TestAFleetForCutBatchesAssumesThemCut(t *testing.T) {
	t.Parallel()
	h := recorded(60, 9)
	p, err := h.Params(Default())
	require.NoError(t, err)
	require.Equal(t, h.Burst(p.Service.Mean()), h.Assumes(p))
	p.Batches.Max = 10
	cut := h.Assumes(p)
	require.LessOrEqual(t, cut.BatchSeen, 10.0)
	require.Equal(t, h.Assumes(p).Load, h.Burst(p.Service.Mean()).Load)
	d, err := h.Drift(Assumed{From: FromArrivals, Burst: cut, Doubts: h.Doubts()})
	require.NoError(t, err)
	require.Equal(t, Grown, d.Trend)
}
