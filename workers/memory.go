package workers

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// memory is what this process has for bodies that are not small, first come, first served. Who waits for it holds nothing
// that others wait for but a permit of its source and room in the process, so it always comes free.
type memory struct {
	size int64
	free *semaphore.Weighted
}

func newMemory(size int64) *memory { return &memory{size: size, free: semaphore.NewWeighted(size)} }

// Acquire implements activities.Memory.
func (m *memory) Acquire(ctx context.Context, bytes int64) (int64, error) {
	bytes = min(bytes, m.size)
	if err := m.free.Acquire(ctx, bytes); err != nil {
		return 0, err
	}
	return bytes, nil
}

// Release implements activities.Memory.
func (m *memory) Release(taken int64) { m.free.Release(taken) }
