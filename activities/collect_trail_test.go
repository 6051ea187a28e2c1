package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// TestCollectTrail: every attempt leaves a line with its waits and what it met, over attempts on any worker, and deliberate
// waiting is kept apart from the queue (E15).
func TestCollectTrail(t *testing.T) {
	c := newCollecting(answers(broken500, failure.Observation{Status: 429, RetryAfter: "20", Message: "m"}, success))
	c.permits.waited, c.permits.paced = 3*time.Second, 4*time.Second
	began := c.now
	tr := &trial{scheduled: began.Add(-5 * time.Second)}
	_, err := c.attempt(t, tr)
	first := requireTransient(t, err, collection.ReasonServerError)

	tr = tr.next(t)
	c.now = began.Add(first.after + 10*time.Second)
	second := c.now
	_, err = c.attempt(t, tr)
	throttled := requireTransient(t, err, collection.ReasonThrottled)

	tr = tr.next(t)
	c.now = second.Add(throttled.after)
	out, err := c.attempt(t, tr)
	require.NoError(t, err)
	require.Equal(t, &collection.Trail{
		Robots: &collection.RobotsDecision{Allowed: true, Why: "no rule"},
		Attempts: []collection.AttemptLine{
			{At: began, Queue: 5000, Permit: 3000, Pace: 4000, Took: 1, Status: 500, Reason: collection.ReasonServerError},
			{At: second, Queue: 10_000, Backoff: first.after.Milliseconds(), Permit: 3000, Pace: 4000, Took: 1, Status: 429, Reason: collection.ReasonThrottled},
			{At: c.now, Backoff: throttled.after.Milliseconds(), Permit: 3000, Pace: 4000, Took: 1, Status: 200},
		},
	}, out.Trail)
}

// TestCollectTrailOfFailure: a dead letter's trail travels in the failure.
func TestCollectTrailOfFailure(t *testing.T) {
	c := newCollecting(answers(failure.Observation{Status: 403, Message: "m"}))
	_, err := c.attempt(t, &trial{})
	f := requireFinal(t, err, collection.ReasonBlocked, "m")
	require.Len(t, f.Trail.Attempts, 1)
	require.Equal(t, collection.ReasonBlocked, f.Trail.Attempts[0].Reason)
}

// TestCollectTrailOfLostWorker: what a lost worker took is told as waiting in the queue, since nobody knows better.
func TestCollectTrailOfLostWorker(t *testing.T) {
	c := newCollecting(answers(success))
	ended := c.now.Add(-time.Minute)
	tr := &trial{number: 3, before: collection.AttemptProgress{Ended: 1, EndedAt: &ended, Delay: 2000}}
	out, err := c.attempt(t, tr)
	require.NoError(t, err)
	require.Equal(t, int64(60_000), out.Trail.Attempts[0].Queue)
	require.Zero(t, out.Trail.Attempts[0].Backoff)
}
