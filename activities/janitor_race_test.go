package activities

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ticking is a clock that goes on when it is told to.
type ticking struct{ now time.Time }

func (c *ticking) clock() time.Time { return c.now }

// silence measures the longest time between two heartbeats.
type silence struct {
	*ticking
	trial   *trial
	heard   int
	since   time.Time
	longest time.Duration
}

func newSilence(tr *trial) *silence {
	return &silence{ticking: &ticking{now: accepted}, trial: tr, since: accepted}
}

// pass lets time go by.
func (s *silence) pass(d time.Duration) {
	if n := len(s.trial.heard()); n != s.heard {
		s.heard, s.since = n, s.now
	}
	s.now = s.now.Add(d)
	s.longest = max(s.longest, s.now.Sub(s.since))
}

// TestTidyBeatsByTime: however slow the engine and the store are, and whatever they are asked, the engine hears of the attempt
// long before it calls it lost after a minute.
func TestTidyBeatsByTime(t *testing.T) {
	t.Parallel()
	const objects = 400
	fill := func() *shelf {
		s := newShelf()
		for i := range objects {
			s.put(t, fmt.Sprintf("raw/s%04d/r/1", i), 8*24*time.Hour)
		}
		return s
	}
	t.Run("a slow engine, and one submission for each object", func(t *testing.T) {
		t.Parallel()
		tr := &trial{}
		quiet, s := newSilence(tr), fill()
		got, err := tidyAt(t, tr, s, &register{onOpen: func(string) { quiet.pass(4 * time.Second) }}, false, quiet.clock)
		require.NoError(t, err)
		require.Equal(t, objects, got.Deleted)
		require.LessOrEqual(t, quiet.longest, 2*tidyBeat)
		for _, batch := range s.batches {
			require.LessOrEqual(t, len(batch), 3, "what is to go does not wait")
		}
	})
	t.Run("questions that fail", func(t *testing.T) {
		t.Parallel()
		tr := &trial{}
		quiet, r := newSilence(tr), &register{broken: map[string]bool{}}
		for i := range objects {
			r.broken[fmt.Sprintf("s%04d", i)] = true
		}
		r.onOpen = func(string) { quiet.pass(askTimeout) }
		got, err := tidyAt(t, tr, fill(), r, false, quiet.clock)
		require.NoError(t, err)
		require.Equal(t, objects, got.Held)
		require.LessOrEqual(t, quiet.longest, 3*tidyBeat)
	})
	t.Run("a store that lists slowly, and cannot begin behind a key", func(t *testing.T) {
		t.Parallel()
		before := &trial{}
		s := fill()
		for i := range objects {
			s.put(t, fmt.Sprintf("raw/t%04d/r/1", i), 6*24*time.Hour)
		}
		_, err := tidy(t, before, s, &register{}, true)
		require.NoError(t, err)
		beats := before.heard()
		tr := &trial{number: 2, before: beats[len(beats)-1]}
		quiet := newSilence(tr)
		s.whole, s.onList = true, func() { quiet.pass(time.Second) }
		got, err := tidyAt(t, tr, s, &register{}, true, quiet.clock)
		require.NoError(t, err)
		require.Equal(t, 2*objects, got.Looked, "each once")
		require.LessOrEqual(t, quiet.longest, 2*tidyBeat)
		require.Equal(t, beats[len(beats)-1], tr.heard()[0], "nothing of what is done is forgotten")
	})
}

// TestTidyAsksNobodyTwiceWhoDoesNotAnswer: each such question may take ten seconds.
func TestTidyAsksNobodyTwiceWhoDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s, r := newShelf(), &register{broken: map[string]bool{"s1": true}}
	for i := range 50 {
		s.put(t, fmt.Sprintf("raw/s1/r/%02d", i), 8*24*time.Hour)
	}
	got, err := tidy(t, &trial{}, s, r, false)
	require.NoError(t, err)
	require.Equal(t, 50, got.Held)
	require.Equal(t, []string{"s1"}, r.asked)
}

// TestTidyAsksAgainBeforeItDeletes: a submission that is started again while others are looked at keeps all that it has.
func TestTidyAsksAgainBeforeItDeletes(t *testing.T) {
	t.Parallel()
	s, r := newShelf(), &register{open: map[string]bool{}}
	for _, key := range []string{"raw/s1/a/1", "raw/s1/b/1", "raw/s2/a/1"} {
		s.put(t, key, 8*24*time.Hour)
	}
	r.onOpen = func(submission string) {
		if submission == "s2" {
			r.open["s1"] = true // s1 was found closed before
		}
	}
	got, err := tidy(t, &trial{}, s, r, false)
	require.NoError(t, err)
	require.Equal(t, 1, got.Deleted)
	require.Equal(t, 2, got.Held)
	require.ElementsMatch(t, []string{"raw/s1/a/1", "raw/s1/b/1"}, keys(s.dump(t)))
}

// TestTidyKeepsWhatWasRewritten after it was listed, though its submission is closed again: its age has begun anew.
func TestTidyKeepsWhatWasRewritten(t *testing.T) {
	t.Parallel()
	s, r := newShelf(), &register{}
	for _, key := range []string{"raw/s1/a", "raw/s1/b", "raw/s1/c", "raw/s1/d"} {
		s.put(t, key+"/1", 8*24*time.Hour)
	}
	r.onOpen = func(string) {
		if len(r.asked) < 2 {
			return
		}
		s.put(t, "raw/s1/b/1", 0) // the same content, written now
		s.set(t, "raw/s1/c/1", "another")
		require.NoError(t, s.Store.Delete(t.Context(), []string{"raw/s1/d/1"}))
	}
	got, err := tidy(t, &trial{}, s, r, false)
	require.NoError(t, err)
	require.Equal(t, 1, got.Deleted)
	require.Equal(t, int64(len("content")), got.Bytes)
	require.Equal(t, [][]string{{"raw/s1/a/1"}}, s.batches)
	require.ElementsMatch(t, []string{"raw/s1/b/1", "raw/s1/c/1"}, keys(s.dump(t)))
}
