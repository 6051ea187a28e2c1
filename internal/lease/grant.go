package lease

import "time"

// trim comes down to a plan whose limits are lower than what is granted. What workers may still use stays exposed until
// they say that they have come down, or their leases end; no grant rises before.
func (s *Source) trim(l limit, shares []int) {
	granted, rates := 0, Rate(0)
	for _, h := range s.Holdings {
		granted += h.Granted
		rates = min(rates+h.Rate, Unlimited)
	}
	for i := range s.Holdings {
		h := &s.Holdings[i]
		if granted > l.ceiling {
			h.Granted = min(h.Granted, shares[i])
		}
		if l.paced() && rates > l.rate {
			h.Rate = min(h.Rate, l.rateShare(shares, i))
		}
	}
}

// rateShare is a worker's share of the pace, by its share of the permits.
func (l limit) rateShare(shares []int, i int) Rate {
	sum := 0
	for _, n := range shares {
		sum += n
	}
	if sum == 0 {
		return 0
	}
	if !l.paced() {
		return Unlimited
	}
	// In two steps, since the product of a rate and a number of permits may be too large.
	n, of := Rate(shares[i]), Rate(sum)
	return l.rate/of*n + l.rate%of*n/of
}

// permits is how many permits a worker can be given now. It rises only into what nobody else can use any more; within
// what the worker itself acts on, and was to keep, it needs nobody's leave.
func (s *Source) permits(i int, l limit, share int, settled bool) int {
	h := &s.Holdings[i]
	keeps, free := min(h.Granted, h.Exposed), 0
	if settled {
		free = l.ceiling - s.exposed(i)
	}
	return max(0, min(share, max(keeps, free)))
}

// pace is the share of the pace that a worker can be given now, by the same rule; zero if it must wait for one.
func (s *Source) pace(i int, l limit, share Rate, settled bool) Rate {
	if !l.paced() {
		return Unlimited
	}
	h := &s.Holdings[i]
	free, others := l.rate, 0
	for j, o := range s.Holdings {
		if j == i || o.RateExposed == 0 {
			continue
		}
		others++
		free -= min(o.RateExposed, free) // never below zero, however many are unlimited
	}
	keeps := min(h.Rate, h.RateExposed)
	if !settled || h.RateExposed == 0 && others >= l.holders {
		free = 0
	}
	rate := min(share, max(keeps, free))
	if rate < share/crumb {
		return 0
	}
	return rate
}

// crumb is the part of a share below which none is given: it would only keep others from it.
const crumb = 8

// fill is what a worker's bucket has in it when it comes to a share of the pace, in thousandths of a request: what has
// gathered since the last moment at which another worker may have started a request.
func (s *Source) fill(now time.Time, rate Rate) int {
	if s.PaceFreedAt.IsZero() {
		return fullBucket
	}
	passed, interval := now.Sub(s.PaceFreedAt), rate.Interval()
	if passed >= interval {
		return fullBucket
	}
	return int(passed / (interval/fullBucket + 1))
}

// fullBucket is a bucket of one request, in thousandths.
const fullBucket = 1000
