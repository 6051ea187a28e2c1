package integration

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/integration/sourcesite"
)

// stillness is when this process did not get to run. A source site lives in this process: what comes to it meanwhile it sees
// afterwards, all at once and in any order.
type stillness struct {
	mu    sync.Mutex
	spans []sourcesite.Span
}

// watchStandstill notes, until the test ends, when this process does not get to run.
func watchStandstill(t *testing.T) *stillness {
	s, stop := &stillness{}, make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go s.watch(stop)
	return s
}

func (s *stillness) watch(stop <-chan struct{}) {
	const tick = 5 * time.Millisecond
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-ticker.C:
			now := time.Now()
			if now.Sub(last) > 2*tick {
				s.note(sourcesite.Span{From: last.Add(tick), To: now})
			}
			last = now
		case <-stop:
			return
		}
	}
}

func (s *stillness) note(span sourcesite.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans = append(s.spans, span)
}

// longest is how long this process stood still at most, in a part of which lies between two moments.
func (s *stillness) longest(from, to time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	longest := time.Duration(0)
	for _, span := range s.spans {
		if span.From.Before(to) && span.To.After(from) {
			longest = max(longest, span.To.Sub(span.From))
		}
	}
	return longest
}

// crowd is a time for which more requests than a ceiling allows were in flight at a site.
type crowd struct {
	sourcesite.Span
	most int
}

// crowds are the times for which more requests than a ceiling allows were in flight.
func crowds(requests []sourcesite.Span, ceiling int) []crowd {
	type change struct {
		at time.Time
		by int
	}
	var changes []change
	for _, r := range requests {
		changes = append(changes, change{r.From, 1})
		if !r.To.IsZero() {
			changes = append(changes, change{r.To, -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.by - b.by // who has gone is not in the way of who comes
	})
	var all []crowd
	inFlight := 0
	for _, c := range changes {
		was := inFlight
		inFlight += c.by
		switch {
		case inFlight > ceiling && was <= ceiling:
			all = append(all, crowd{sourcesite.Span{From: c.at}, inFlight})
		case inFlight > ceiling:
			all[len(all)-1].most = max(all[len(all)-1].most, inFlight)
		case was > ceiling:
			all[len(all)-1].To = c.at
		}
	}
	return all
}

// lasting are the crowds that are none of the site's own mistakes. A request that was broken off is seen to end a moment
// later, and every request is seen late by as long as this process has just stood still.
func lasting(all []crowd, still *stillness) []crowd {
	const moment, recent = 50 * time.Millisecond, time.Second
	return slices.DeleteFunc(slices.Clone(all), func(c crowd) bool {
		return !c.To.IsZero() && c.To.Sub(c.From) <= moment+still.longest(c.From.Add(-recent), c.To)
	})
}

// requireCeiling holds a site's own account against a ceiling.
func requireCeiling(t *testing.T, s *sourcesite.Site, ceiling int, still *stillness) {
	t.Helper()
	all := crowds(s.Spans(), ceiling)
	for _, c := range all {
		t.Logf("%d requests in flight at a ceiling of %d, at %s for %s; this process had just stood still for %s", c.most, ceiling,
			c.From.Format(time.TimeOnly+".000"), c.To.Sub(c.From), still.longest(c.From.Add(-time.Second), c.To))
	}
	require.Empty(t, lasting(all, still), "the source's own count")
}

// TestCrowds holds the account that the tests of ceilings rely on to what it must see and what it must not.
func TestCrowds(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }
	span := func(from, to int) sourcesite.Span { return sourcesite.Span{From: at(from), To: at(to)} }
	open := sourcesite.Span{From: at(500)}
	for name, c := range map[string]struct {
		requests, still []sourcesite.Span
		all, lasting    []crowd
	}{
		"none":                  {},
		"the ceiling":           {requests: []sourcesite.Span{span(0, 100), span(0, 200), span(100, 200), span(200, 300)}},
		"one too many":          {requests: []sourcesite.Span{span(0, 200), span(0, 200), span(100, 300)}, all: []crowd{{span(100, 200), 3}}, lasting: []crowd{{span(100, 200), 3}}},
		"for a moment":          {requests: []sourcesite.Span{span(0, 200), span(0, 200), span(160, 300)}, all: []crowd{{span(160, 200), 3}}},
		"after a standstill":    {requests: []sourcesite.Span{span(0, 200), span(0, 200), span(100, 300)}, still: []sourcesite.Span{span(20, 90)}, all: []crowd{{span(100, 200), 3}}},
		"after a short one":     {requests: []sourcesite.Span{span(0, 200), span(0, 200), span(100, 300)}, still: []sourcesite.Span{span(60, 90)}, all: []crowd{{span(100, 200), 3}}, lasting: []crowd{{span(100, 200), 3}}},
		"long after a long one": {requests: []sourcesite.Span{span(2000, 2200), span(2000, 2200), span(2100, 2300)}, still: []sourcesite.Span{span(0, 900)}, all: []crowd{{span(2100, 2200), 3}}, lasting: []crowd{{span(2100, 2200), 3}}},
		"twice, once by two":    {requests: []sourcesite.Span{span(0, 900), span(0, 900), span(10, 300), span(200, 400), span(600, 700)}, all: []crowd{{span(10, 400), 4}, {span(600, 700), 3}}, lasting: []crowd{{span(10, 400), 4}, {span(600, 700), 3}}},
		"still there":           {requests: []sourcesite.Span{open, open, open}, all: []crowd{{open, 3}}, lasting: []crowd{{open, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			all := crowds(c.requests, 2)
			require.Equal(t, c.all, all)
			require.ElementsMatch(t, c.lasting, lasting(all, &stillness{spans: c.still}))
		})
	}
}

// TestStillness: what counts is how long it was, wherever it overlaps.
func TestStillness(t *testing.T) {
	began := time.Now()
	s := &stillness{}
	s.note(sourcesite.Span{From: began, To: began.Add(30 * time.Millisecond)})
	s.note(sourcesite.Span{From: began.Add(time.Minute), To: began.Add(time.Minute + time.Second)})
	require.Equal(t, 30*time.Millisecond, s.longest(began.Add(29*time.Millisecond), began.Add(40*time.Millisecond)))
	require.Equal(t, time.Second, s.longest(began, began.Add(time.Hour)))
	require.Zero(t, s.longest(began.Add(time.Second), began.Add(2*time.Second)))
}
