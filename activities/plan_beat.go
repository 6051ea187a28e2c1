package activities

import (
	"context"
	"io"
	"sync"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/internal/intake"
)

// planBeat is the heartbeat of a plan. It goes by the clock, since nothing bounds the time between two rows: one that is skipped
// may be as large as its file, and each may close a batch that a slow store has to take.
type planBeat struct {
	mu sync.Mutex
	at intake.Position
}

// beginPlan starts the heartbeat; end waits until it has ended.
func beginPlan(ctx context.Context) (b *planBeat, end func()) {
	b = &planBeat{}
	beatCtx, cancel := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		every := activity.GetInfo(ctx).HeartbeatTimeout / beatsPerTimeout
		beatEvery(beatCtx, every, func() { activity.RecordHeartbeat(ctx, b.position()) })
	})
	return b, func() {
		cancel()
		beating.Wait()
	}
}

func (b *planBeat) position() intake.Position {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// reached takes in how far the rows have been read.
func (b *planBeat) reached(p intake.Position) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = p
}

// watching counts what is read of a submitted file, also within one row.
func (b *planBeat) watching(r io.Reader) io.Reader { return &watchedRead{r, b} }

type watchedRead struct {
	io.Reader
	beat *planBeat
}

func (w *watchedRead) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.beat.mu.Lock()
	defer w.beat.mu.Unlock()
	w.beat.at.Bytes += int64(n)
	return n, err
}
