package workers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/lease"
)

// TestSlotsArePermitsAndPrefetch: the queue is polled for as many tasks as there are permits, and a few more; without any
// permit it is not polled.
func TestSlotsArePermitsAndPrefetch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 3})
		s := collectTuner(r.slots("books")).GetActivityTaskSlotSupplier()
		require.Zero(t, s.MaxSlots())
		reserve := func(n int) {
			for range n {
				permit, err := s.ReserveSlot(t.Context(), nil)
				require.NoError(t, err)
				require.NotNil(t, permit)
				s.MarkSlotUsed(nil)
			}
		}
		full := func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := s.ReserveSlot(ctx, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded, "without a slot the queue is not polled")
		}
		full()
		r.renew()
		require.Equal(t, 2+2, s.MaxSlots(), "an idle worker has two permits at most")
		reserve(4)
		jobs := r.collects("books", 4)
		r.renew()
		require.Equal(t, 3+2, s.MaxSlots())
		reserve(1)
		full()
		s.ReleaseSlot(nil)
		r.renew()
		reserve(1)

		r.setCeiling("books", 0)
		r.renew()
		require.Zero(t, s.MaxSlots())
		s.ReleaseSlot(nil)
		full()
		r.endAll(jobs)
	})
}

func TestSlotsAreNeverEager(t *testing.T) {
	t.Parallel()
	require.Nil(t, (&collectSlots{gate: newGate(10)}).TryReserveSlot(nil))
}

func TestTunerHasASupplierOfEveryKind(t *testing.T) {
	t.Parallel()
	tuner := collectTuner(newGate(1))
	require.Equal(t, 1, tuner.GetActivityTaskSlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetWorkflowTaskSlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetLocalActivitySlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetNexusSlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetSessionActivitySlotSupplier().MaxSlots())
}
