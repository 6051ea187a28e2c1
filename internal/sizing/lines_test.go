package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func weighted(weights ...float64) *lines {
	p := Default()
	for _, w := range weights {
		p.Customers = append(p.Customers, Customer{Weight: w})
	}
	return newLines(p)
}

// TestLinesShareByWeight: while both wait, turns go as the weights say.
func TestLinesShareByWeight(t *testing.T) {
	t.Parallel()
	l := weighted(1, 3)
	for range 200 {
		l.push(0, 0, waiting{})
		l.push(1, 0, waiting{})
	}
	turns := make([]int, 2)
	for range 80 {
		customer, _, _, ok := l.pop()
		require.True(t, ok)
		turns[customer]++
	}
	require.Equal(t, []int{20, 60}, turns)
}

// TestNobodySavesUpTurns: who comes late gets its share from now on, and not what it had missed.
func TestNobodySavesUpTurns(t *testing.T) {
	t.Parallel()
	l := weighted(1, 1)
	for range 100 {
		l.push(0, 0, waiting{})
	}
	for range 50 {
		l.pop()
	}
	for range 100 {
		l.push(1, 0, waiting{})
	}
	turns := make([]int, 2)
	for range 20 {
		customer, _, _, _ := l.pop()
		turns[customer]++
	}
	require.InDelta(t, 10, turns[1], 1)
}

func TestLinesPassASourceAtItsCeiling(t *testing.T) {
	t.Parallel()
	p := Default()
	p.Sources = []Source{{Name: "narrow", Ceiling: 1}, {Name: "open"}}
	l := newLines(p)
	l.push(0, 0, waiting{arrival: 1})
	l.push(0, 0, waiting{arrival: 2})
	l.push(0, 1, waiting{arrival: 3})
	require.Equal(t, 2, l.startable())
	order := []int64{}
	for {
		_, source, job, ok := l.pop()
		if !ok {
			break
		}
		order = append(order, job.arrival)
		require.Equal(t, job.arrival == 3, source == 1)
	}
	require.Equal(t, []int64{1, 3}, order, "the second waits for the first, the third does not")
	l.working[0]--
	_, _, job, ok := l.pop()
	require.True(t, ok)
	require.Equal(t, int64(2), job.arrival)
	_, _, _, ok = l.pop()
	require.False(t, ok)
}

// TestLineKeepsItsOrder through any pushes and pops, and through giving memory back.
func TestLineKeepsItsOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := &line{}
		pushed, popped := int64(0), int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "rounds") {
			for range rapid.IntRange(0, 40).Draw(t, "pushes") {
				l.push(waiting{arrival: pushed})
				pushed++
			}
			for range rapid.IntRange(0, 40).Draw(t, "pops") {
				if l.empty() {
					break
				}
				require.Equal(t, popped, l.pop().arrival)
				popped++
			}
			require.Equal(t, pushed == popped, l.empty())
		}
	})
}

func TestLineLetsGoOfJobsLongGone(t *testing.T) {
	t.Parallel()
	l := &line{}
	for i := range int64(100_000) {
		l.push(waiting{arrival: i})
		require.Equal(t, i, l.pop().arrival)
	}
	require.Less(t, cap(l.jobs), 1000)
}
