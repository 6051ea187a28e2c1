package sizing

import (
	"context"
	"slices"
	"testing"
	"time"

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

	got := replayed(t, h, p, 2)
	require.Equal(t, 1.0, got.Within, "two workers have ten minutes for each")
	require.Equal(t, 2, got.Months, "some are handed in after midnight")
	p.Batches.PaceMinutes = 0
	require.Less(t, replayed(t, h, p, 2).Within, 1.0)
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
		require.Equal(t, row.want, replayed(t, h, Default(), 1).PartialMonths)
	}
}

// TestPacingMakesAReplaySmaller: what paces save in the simulation they save in the replay.
func TestPacingMakesAReplaySmaller(t *testing.T) {
	t.Parallel()
	h := recorded(60, 9)
	p, err := h.Params(Default())
	require.NoError(t, err)
	atOnce := smallestReplayed(t, h, p).Workers
	p.Batches.PaceMinutes = 2
	require.Less(t, smallestReplayed(t, h, p).Workers, atOnce-5)
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

// TestReplayStops with its context, in the middle of a fleet.
func TestReplayStops(t *testing.T) {
	t.Parallel()
	h := recorded(60, 9)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.Replay(ctx, Default(), h.Stretch(Default()), 3)
	require.ErrorIs(t, err, context.Canceled)
	_, err = h.SmallestReplayed(ctx, Default(), h.Stretch(Default()))
	require.ErrorIs(t, err, context.Canceled)
}

// TestNewest: of a recording that is too large to be replayed the newest batches, and one batch at least.
func TestNewest(t *testing.T) {
	t.Parallel()
	h := &History{Until: at("2026-02-01T00:00:00Z")}
	for i := range 20 {
		h.Batches = append(h.Batches, Recorded{At: at("2026-01-01T00:00:00Z").Add(time.Duration(i) * time.Hour), Jobs: 600_000})
	}
	part, older := h.Newest()
	require.Equal(t, 12, older)
	require.Equal(t, h.Batches[12:], part.Batches)
	require.LessOrEqual(t, part.Jobs(), int(maxReplayed))
	require.Equal(t, h.Until, part.Until)

	h.Batches = h.Batches[:8]
	part, older = h.Newest()
	require.Zero(t, older)
	require.Equal(t, h, part)
	h.Batches = []Recorded{{Jobs: 9}, {Jobs: 2 * int(maxReplayed)}}
	part, older = h.Newest()
	require.Equal(t, 1, older)
	require.Len(t, part.Batches, 1)
}

// TestMonthsOfAReplay are those of the calendar, to the microsecond.
func TestMonthsOfAReplay(t *testing.T) {
	t.Parallel()
	h := &History{Batches: []Recorded{{at("2026-01-31T23:59:59.9999995Z"), 1}, {at("2026-01-31T23:59:59.9999999Z"), 1}, {at("2026-02-01T00:00:00.0000005Z"), 1}, {at("2026-12-31T23:59:59Z"), 1}, {at("2027-01-01T00:00:01Z"), 1}}}
	require.Equal(t, 4, replayed(t, h, Default(), 1).Months)
}
