package activities

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// TestCollectRobotsDenied: what robots.txt forbids is not requested, takes no permit, and ends the record as refused (N01).
func TestCollectRobotsDenied(t *testing.T) {
	denied := collection.RobotsDecision{Rule: "Disallow: /a", Line: 2}
	c := newCollecting(answers(success))
	c.Robots = robots{check: func(url string) (collection.RobotsDecision, error) {
		require.Equal(t, "https://books.example/a", url)
		return denied, &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: "line 2 of robots.txt: Disallow: /a"}
	}}
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, collection.CollectResult{
		Outcome: collection.OutcomeRefused, Reason: collection.ReasonRobotsDenied, Detail: "line 2 of robots.txt: Disallow: /a",
	}, withoutTrail(out))
	require.Equal(t, &denied, out.Trail.Robots)
	_, granted := c.permits.state()
	require.Zero(t, granted)
	require.Empty(t, c.metrics.asked)
	require.Empty(t, c.permits.reports, "a refusal of ours says nothing of the source")
	require.Equal(t, []endedCall{{"books", collection.OutcomeRefused, collection.ReasonRobotsDenied}}, c.metrics.ended)
}

// TestCollectRobotsUnreachable: while nobody knows what robots.txt says, the record waits, and is charged nothing.
func TestCollectRobotsUnreachable(t *testing.T) {
	c := newCollecting(answers(success))
	c.Robots = robots{check: func(string) (collection.RobotsDecision, error) {
		return collection.RobotsDecision{Why: "unreachable"}, &collection.Refused{Reason: collection.ReasonRobotsUnreachable, Detail: "503"}
	}}
	tr := &trial{}
	for range 2 * patience.Attempts {
		_, err := c.attempt(t, tr)
		requireTransient(t, err, collection.ReasonRobotsUnreachable, "503")
		require.Zero(t, tr.progress(t).Faults)
		tr = tr.next(t)
	}
	c.Robots = robots{}
	out, err := c.attempt(t, tr)
	require.NoError(t, err)
	require.NotNil(t, out.Raw)
	require.Equal(t, 1, out.Attempts, "only what was asked of the target counts")
}

// TestCollectHop: where a redirect leads is checked against robots.txt and waits for the pace; C1 20.
func TestCollectHop(t *testing.T) {
	var hopped error
	c := newCollecting(func(ctx context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		if hopped = via.Hop(ctx, "https://books.example/private/b"); hopped != nil {
			return nil, failure.Observation{Status: 302, Transport: failure.TransportRedirectOffSource, Message: hopped.Error()}
		}
		return page("b"), success
	})
	c.Robots = robots{hop: func(url string) error {
		return &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: url}
	}}
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, collection.OutcomeRefused, out.Outcome)
	require.ErrorContains(t, hopped, "https://books.example/private/b")
	require.Zero(t, c.permits.agains)

	c.Robots = robots{}
	_, err = c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, 1, c.permits.agains)
}
