package workers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMemory: no more is given than there is, in the order of asking, and who wants more than all gets all.
func TestMemory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newMemory(100)
		first, err := m.Acquire(t.Context(), 60)
		require.NoError(t, err)
		require.Equal(t, int64(60), first)
		var order []string
		for _, who := range []struct {
			name  string
			bytes int64
		}{{"large", 500}, {"small", 10}} {
			go func() {
				taken, err := m.Acquire(t.Context(), who.bytes)
				if err == nil {
					order = append(order, who.name)
					m.Release(taken)
				}
			}()
			synctest.Wait()
		}
		require.Empty(t, order, "a small one does not pass a large one that waits")
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		taken, err := m.Acquire(short, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Zero(t, taken)
		m.Release(first)
		synctest.Wait()
		require.Equal(t, []string{"large", "small"}, order)
	})
}
