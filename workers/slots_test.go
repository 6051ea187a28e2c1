package workers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestSlotsArePermitsAndPrefetch(t *testing.T) {
	t.Parallel()
	tuner := collectTuner(collection.Source{Name: "books", Ceiling: 3, Prefetch: 2})
	s := tuner.GetActivityTaskSlotSupplier()
	require.Equal(t, 5, s.MaxSlots())
	for range 5 {
		permit, err := s.ReserveSlot(t.Context(), nil)
		require.NoError(t, err)
		require.NotNil(t, permit)
		s.MarkSlotUsed(nil)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := s.ReserveSlot(ctx, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "without a slot the queue is not polled")

	reserved := make(chan error)
	go func() {
		_, err := s.ReserveSlot(t.Context(), nil)
		reserved <- err
	}()
	s.ReleaseSlot(nil)
	require.NoError(t, <-reserved)
}

func TestSlotsAreNeverEager(t *testing.T) {
	t.Parallel()
	require.Nil(t, newCollectSlots(10, 10).TryReserveSlot(nil))
}

func TestTunerHasASupplierOfEveryKind(t *testing.T) {
	t.Parallel()
	tuner := collectTuner(collection.Source{Ceiling: 1})
	require.Equal(t, 1, tuner.GetActivityTaskSlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetWorkflowTaskSlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetLocalActivitySlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetNexusSlotSupplier().MaxSlots())
	require.Equal(t, otherSlots, tuner.GetSessionActivitySlotSupplier().MaxSlots())
}
