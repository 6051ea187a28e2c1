package activities

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestAttemptExcused: a worker that was lost while the record only waited is never the last straw, for a good while.
func TestAttemptExcused(t *testing.T) {
	for _, c := range []struct {
		lost    int
		waited  bool
		charged int
	}{
		{0, true, 0}, {1, true, 1}, {2, true, 2}, {3, true, 2}, {9, true, 2}, {maxExcused, true, maxExcused},
		{0, false, 0}, {2, false, 2}, {3, false, 3},
	} {
		require.Equal(t, c.charged, charged(c.lost, c.waited), "%+v", c)
		before := collection.AttemptProgress{Ended: 1}
		if c.waited {
			before.Waiting = "permit"
		}
		_, err := run(t, &trial{number: c.lost + 2, before: before}, probe(func(a *attempt) error {
			require.Equal(t, c.charged, a.lost, "%+v", c)
			return nil
		}), "")
		require.NoError(t, err)
	}
}

// TestSuspiciousRecordsTakeTurns: records of which one more lost worker would be the end are tried one at a time. Those that wait
// have said so before; the one whose turn it is has said that it does not, and waiting for something else is no excuse for it.
func TestSuspiciousRecordsTakeTurns(t *testing.T) {
	const records = 4
	var mu sync.Mutex
	inside, most := 0, 0
	trials := make([]*trial, records)
	var all sync.WaitGroup
	for i := range trials {
		tr := &trial{number: 3, heartbeat: 5 * time.Millisecond}
		trials[i] = tr
		all.Go(func() {
			_, err := run(t, tr, probe(func(a *attempt) error {
				mu.Lock()
				inside++
				most = max(most, inside)
				mu.Unlock()
				a.update(func(p *collection.AttemptProgress) { p.Waiting = "permit" })
				if told := a.snapshot().Waiting; told != "" {
					return errors.New("it says that it waits for a " + told)
				}
				time.Sleep(10 * time.Millisecond)
				mu.Lock()
				inside--
				mu.Unlock()
				return nil
			}), "")
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, most)
	for _, tr := range trials {
		waits := tr.waits()
		for len(waits) > 0 && waits[0] == "" { // beats from before it looked for its turn
			waits = waits[1:]
		}
		require.GreaterOrEqual(t, len(waits), 2)
		require.Equal(t, waitAlone, waits[0])
		require.Empty(t, waits[len(waits)-1])
	}
}

// TestSuspiciousRecordOfAStoppingWorker: waiting for a turn ends with the worker.
func TestSuspiciousRecordOfAStoppingWorker(t *testing.T) {
	held, free := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		_, err := run(t, &trial{number: 3}, probe(func(*attempt) error { close(held); <-free; return nil }), "")
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	stop := make(chan struct{})
	tr := &trial{number: 3, stop: stop}
	go func() {
		for len(tr.heard()) == 0 {
			time.Sleep(time.Millisecond)
		}
		close(stop)
	}()
	_, err := run(t, tr, probe(func(a *attempt) error {
		if a.alone || a.leave != nil {
			return errors.New("it has the other one's turn")
		}
		return nil
	}), "")
	require.NoError(t, err)
	close(free)
	first.Wait()
}

// TestNobodyElseStandsAlone: attempts that are not about to end for lost workers wait for nobody.
func TestNobodyElseStandsAlone(t *testing.T) {
	for _, number := range []int{1, 2, 4} {
		tr := &trial{number: number}
		_, err := run(t, tr, func(ctx context.Context, _ string) (string, error) {
			a := begin(ctx)
			defer func() { _ = a.end(nil) }()
			if a.alone {
				return "", errors.New("alone")
			}
			return "", nil
		}, "")
		require.NoError(t, err)
		require.Empty(t, tr.heard())
	}
}
