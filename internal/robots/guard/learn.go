package guard

import (
	"fmt"
	"time"

	"github.com/weir-collect/weir/internal/robots"
)

// learn turns an answer into an entry and remembers it.
func (g *Guard) learn(origin string, answer Answer, err error) entry {
	now := g.options.Now()
	e := g.judge(answer, err, now)
	settled := e.outcome != robots.Unread
	g.mu.Lock()
	if before, ok := g.options.Cache.get(g, origin); ok && !settled {
		e = stale(before, e, now)
	}
	g.options.Cache.put(g, origin, e)
	g.mu.Unlock()
	if settled {
		delay, ok := e.rules.CrawlDelay()
		g.options.OnRead(origin, delay, ok)
	}
	return e
}

// judge says what an answer means, seen for itself.
func (g *Guard) judge(answer Answer, err error, now time.Time) entry {
	verdict, trouble := robots.Unreachable(), "no answer"
	if err != nil {
		trouble = err.Error()
	} else {
		verdict, trouble = robots.From(answer.Status, answer.Body), fmt.Sprintf("status %d", answer.Status)
	}
	e := entry{outcome: verdict.Outcome, until: now.Add(verdict.TTL(g.options.TTL))}
	e.rules, e.bytes = verdict.For(g.agent).Detached()
	if verdict.Outcome == robots.Unread {
		e.trouble = trouble
		return e
	}
	e.readAt = answer.FetchedAt
	if e.readAt.IsZero() || e.readAt.After(now) {
		e.readAt = now
	}
	e.until = e.readAt.Add(verdict.TTL(g.options.TTL))
	return e
}

// stale lets a file that was read serve on while it cannot be read again, up to the longest that RFC 9309 section 2.4 lets
// anything be kept. After that the origin is closed, for however long that may be: a site whose server is down has not
// given leave.
func stale(before, failed entry, now time.Time) entry {
	last := before.readAt.Add(robots.MaxTTL)
	if before.outcome != robots.Read || !now.Before(last) {
		return failed
	}
	before.until = failed.until
	if before.until.After(last) {
		before.until = last
	}
	return before
}
