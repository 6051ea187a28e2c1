package workers

import (
	"context"

	"go.temporal.io/sdk/worker"
)

// collectSlots lets as many collect tasks of one source start as it has permits here, and a few more; the gate is resized
// with the lease. Without a slot the queue is not polled, so that a task goes to a worker that can run it.
type collectSlots struct{ gate *gate }

// ReserveSlot waits for a slot; it is called before every poll.
func (s *collectSlots) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	if err := s.gate.enter(ctx); err != nil {
		return nil, err
	}
	return &worker.SlotPermit{}, nil
}

// TryReserveSlot serves eager activities only, which would pass the queue by, with its order and its pauses.
func (s *collectSlots) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit { return nil }

// MarkSlotUsed has nothing to do: a slot counts from its reservation.
func (s *collectSlots) MarkSlotUsed(worker.SlotMarkUsedInfo) {}

// ReleaseSlot is called when a poll brought nothing, or when a task's end has been reported.
func (s *collectSlots) ReleaseSlot(worker.SlotReleaseInfo) { s.gate.leave() }

// MaxSlots is for the SDK's metrics.
func (s *collectSlots) MaxSlots() int {
	_, size := s.gate.load()
	return size
}

// otherSlots is for the kinds of task that a collect worker never polls; the SDK wants a supplier for each.
const otherSlots = 1

func collectTuner(slots *gate) worker.WorkerTuner {
	fixed := func() worker.SlotSupplier {
		supplier, err := worker.NewFixedSizeSlotSupplier(otherSlots)
		if err != nil {
			// It refuses sizes below one, and nothing else.
			panic(err)
		}
		return supplier
	}
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{
		WorkflowSlotSupplier: fixed(), LocalActivitySlotSupplier: fixed(), NexusSlotSupplier: fixed(),
		SessionActivitySlotSupplier: fixed(),
		ActivitySlotSupplier:        &collectSlots{gate: slots},
	})
	if err != nil {
		panic(err)
	}
	return tuner
}
