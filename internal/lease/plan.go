package lease

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"
)

// idlePermits is how many permits a worker without work keeps while nobody needs them, so that it can start at once.
const idlePermits = 2

// turnTTLs is how many TTLs a turn lasts at least.
const turnTTLs = 4

// rank orders those who may hold a permit at a source that has fewer permits, or room for fewer workers, than workers.
type rank int

const (
	rankHolder   rank = iota // has work and permits
	rankHungry               // has work and no permit; the longest waiting first
	rankTurnOver             // has work and permits, and others have waited for a whole turn
	rankScout                // has shown no work yet; a permit lets it poll the source's queue
	rankIdle                 // has had its trial and found no work, or has no room for any
	rankNone                 // must not hold any
)

// plan is how the permits in force should be shared by the workers, in the order of the holdings. It depends on nothing
// but the state and the time. Everyone who may hold gets one permit first, by rank; the rest goes evenly to those who
// have work, up to what they have work for; what then is left makes room to grow. The sum never exceeds the ceiling.
func (s *Source) plan(now time.Time, l limit, settings Settings) []int {
	shares := make([]int, len(s.Holdings))
	ranks, order := s.rank(now, l, settings)
	left, room := l.ceiling, l.holders
	first := func(upTo rank) {
		for _, i := range order {
			if left > 0 && room > 0 && ranks[i] <= upTo && shares[i] == 0 {
				shares[i]++
				left--
				room--
			}
		}
	}
	first(rankScout)
	// Remainders stay where they are, so that permits do not move for nothing.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Holdings[b].Granted, s.Holdings[a].Granted) })
	fill := func(target func(h *Holding, r rank) int) {
		for given := true; given && left > 0; {
			given = false
			for _, i := range order {
				if left > 0 && shares[i] > 0 && shares[i] < target(&s.Holdings[i], ranks[i]) {
					shares[i]++
					left--
					given = true
				}
			}
		}
	}
	fill(func(h *Holding, r rank) int {
		if r > rankTurnOver {
			return 0
		}
		return h.target(l.ceiling)
	})
	first(rankIdle)
	fill(func(h *Holding, r rank) int {
		switch {
		case h.Full:
			return 0
		case r > rankTurnOver:
			return idlePermits
		}
		need, _ := h.demand()
		return max(h.target(l.ceiling), need+1)
	})
	return shares
}

// rank ranks every holding, and lists those that may hold in the order in which they are served.
func (s *Source) rank(now time.Time, l limit, settings Settings) (ranks []rank, order []int) {
	ranks = make([]rank, len(s.Holdings))
	turn := s.turn(l, settings)
	for i := range s.Holdings {
		ranks[i] = s.rankOf(i, now, l, turn, settings)
		if ranks[i] != rankNone {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &s.Holdings[a], &s.Holdings[b]
		if c := cmp.Compare(ranks[a], ranks[b]); c != 0 {
			return c
		}
		switch ranks[a] {
		case rankHungry:
			if c := x.HungrySince.Compare(y.HungrySince); c != 0 {
				return c
			}
		case rankTurnOver:
			if c := y.Turn.Compare(x.Turn); c != 0 {
				return c
			}
		}
		// Who has some keeps it; else the lot falls, for each source another way, so that no worker is first everywhere.
		return cmp.Or(
			cmp.Compare(min(y.Granted, 1), min(x.Granted, 1)),
			cmp.Compare(lot(s.Config.Source, x.Worker), lot(s.Config.Source, y.Worker)),
			cmp.Compare(x.Worker, y.Worker),
		)
	})
	return ranks, order
}

func (s *Source) rankOf(i int, now time.Time, l limit, turn time.Duration, settings Settings) rank {
	h := &s.Holdings[i]
	switch {
	case !h.live(now):
		return rankNone
	case l.probing && h.InFlight > 0 && h.Granted == 0:
		return rankNone // what it still has under way says nothing of the source now
	case h.Full && h.Need == 0:
		// Others' work fills it, maybe for ever. Without a permit it would never see this source's.
		return rankIdle
	case l.probing && i == l.asker && h.Need > 0:
		return rankHolder
	case h.Need > 0 && h.Granted == 0:
		return rankHungry
	case h.Need > 0 && now.Sub(h.Turn) >= turn:
		return rankTurnOver
	case h.Need > 0:
		return rankHolder
	case now.Before(h.ScoutAfter), h.Granted > 0 && !h.IdleSince.IsZero() && now.Sub(h.IdleSince) >= settings.interval():
		return rankIdle
	}
	return rankScout
}

// turn is how long a worker can hold permits while others have work and none: long enough that it is worth the time in
// which the permits are on their way, and for a few requests at a slow pace.
func (s *Source) turn(l limit, settings Settings) time.Duration {
	turn := turnTTLs * settings.TTL.Std()
	if l.paced() {
		turn += 3 * l.rate.Interval()
	}
	return turn
}

func lot(source, worker string) uint32 {
	h := fnv.New32a()
	for _, part := range []string{source, "/", worker} {
		_, _ = h.Write([]byte(part)) // a hash never fails to write
	}
	return h.Sum32()
}
