package workers

import (
	"context"
	"fmt"
	"time"

	"github.com/weir-collect/weir/internal/lease"
)

// longestHold is how long a permit is held while nothing may be done with it. Who holds one keeps it from those who could
// work, and is no fit probe of a source that recovers.
const longestHold = 10 * time.Second

// again waits until another request may start under the same permit, by the source's pace. It fails at once for a source that is
// closed, and soon where this process has no share of the source's pace: the record is tried again when that is over.
func (p *Permits) again(ctx context.Context, s *sourcePermits, taken *permit) error {
	held := time.NewTimer(longestHold)
	defer held.Stop()
	for {
		p.mu.Lock()
		now := p.now()
		if err := p.mayGoOn(now, s, taken); err != nil {
			p.mu.Unlock()
			return err
		}
		at, known := s.next(now)
		due := known && !at.After(now)
		if due {
			s.start(now)
		}
		changed := s.changed
		p.mu.Unlock()
		if due {
			return nil
		}
		if err := awaitShare(ctx, at.Sub(now), known, changed, taken, held); err != nil {
			return fmt.Errorf("wait for the pace of source %s: %w", s.name, err)
		}
	}
}

// errNoShare is why a permit is given up that was held for nothing.
var errNoShare = fmt.Errorf("this process has had no share of it for %s", longestHold)

// awaitShare waits until the next request is due, or until the share of the pace changes. Where it is known when the next one is
// due, it waits as long as a slow pace takes; where it is not, no longer than a permit is held for nothing.
func awaitShare(ctx context.Context, wait time.Duration, known bool, changed <-chan struct{}, taken *permit, held *time.Timer) error {
	if known {
		held.Reset(longestHold)
		return waitUntil(ctx, wait, true, changed)
	}
	select {
	case <-changed:
		return nil
	case <-held.C:
		return errNoShare
	case <-taken.ctx.Done():
		return nil // what ended it is told by whoever looks next
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mayGoOn says what keeps a permit from serving another request, other than the pace. The caller holds the lock.
func (p *Permits) mayGoOn(now time.Time, s *sourcePermits, taken *permit) error {
	if err := p.stillAt(now, taken); err != nil {
		return fmt.Errorf("make another request of source %s: %w", s.name, err)
	}
	if left := s.blockedUntil.Sub(now); left > longestHold {
		return fmt.Errorf("source %s wants to be left alone for %s", s.name, left.Round(time.Second))
	}
	if g := p.holder.Grant(now, s.name); closedForLong(now, g) {
		return fmt.Errorf("source %s takes no requests now: %s", s.name, g.Why)
	}
	return nil
}

// closedForLong says whether a grant closes the source for longer than a permit is held, or nobody knows for how long.
func closedForLong(now time.Time, g lease.Grant) bool {
	return g.Permits == 0 && !g.Open && g.Why != "" && (g.OpensAt.IsZero() || g.OpensAt.Sub(now) > longestHold)
}

// still says whether a request may be written now under a permit. A process can have been stopped for any time since the
// permit was taken, so this looks at the clock, and not at what the clock once said.
func (p *Permits) still(taken *permit) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stillAt(p.now(), taken)
}

// stillAt breaks the request off if the lease has ended, whether or not the watch has noticed. The caller holds the lock.
func (p *Permits) stillAt(now time.Time, taken *permit) error {
	if taken.ctx.Err() == nil && !p.holder.Leased(now) {
		taken.cancel(errLeaseEnded)
	}
	return context.Cause(taken.ctx)
}
