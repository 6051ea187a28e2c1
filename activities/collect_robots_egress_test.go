package activities

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// TestCollectRobotsOfNoHost: what its robots.txt has found out of a record's host ends the record as its own request would.
func TestCollectRobotsOfNoHost(t *testing.T) {
	c := newCollecting(answers(success))
	reason := collection.ReasonDNSNotFound
	c.Robots = robots{check: func(string) (collection.RobotsDecision, error) {
		return collection.RobotsDecision{Why: "unreachable"}, fmt.Errorf("robots.txt: %w", &collection.Refused{Reason: reason, Detail: "no such host"})
	}}
	tr := &trial{}
	_, err := c.attempt(t, tr)
	requireTransient(t, err, collection.ReasonDNSNotFound, "no such host")
	_, err = c.attempt(t, tr.next(t))
	requireFinal(t, err, collection.ReasonDNSNotFound, "no such host")
	require.Empty(t, c.permits.reports)

	reason = collection.ReasonPrivateAddress
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, collection.OutcomeRefused, out.Outcome)
	require.Equal(t, collection.ReasonPrivateAddress, out.Reason)
}

// TestCollectRobotsByABrokenEgress: the fault of the egress by which robots.txt was asked for is that of the attempt: the
// trail names it, the next attempt avoids it, and credentials that no way accepts end the record.
func TestCollectRobotsByABrokenEgress(t *testing.T) {
	c := byWays(answers(success), "east", "west")
	fault := &EgressError{Reason: collection.ReasonEgressUnavailable, Egress: "east", Detail: "the proxy is down"}
	c.Robots = robots{check: func(string) (collection.RobotsDecision, error) {
		return collection.RobotsDecision{}, fmt.Errorf("broken off: %w", fault)
	}}
	tr := &trial{}
	_, err := c.attempt(t, tr)
	f := requireTransient(t, err, collection.ReasonEgressUnavailable, "the proxy is down")
	require.Equal(t, "east", f.Trail.Attempts[0].Egress)
	require.Equal(t, collection.ReasonEgressUnavailable, f.Trail.Attempts[0].Reason)
	require.Zero(t, tr.progress(t).Faults)
	require.Equal(t, "east", tr.progress(t).BadEgress)
	require.Zero(t, f.Attempts, "the record's own request was not made")

	fault = &EgressError{Reason: collection.ReasonEgressUnavailable, Detail: "every egress is retired"}
	_, err = c.attempt(t, &trial{})
	require.Equal(t, noEgressRetry, requireTransient(t, err, collection.ReasonEgressUnavailable, "every egress is retired").after)

	fault = &EgressError{Reason: collection.ReasonEgressAuth, Egress: "east", Detail: "407"}
	tr = &trial{}
	tries := 1
	for ; tries < 10; tries++ {
		_, err = c.attempt(t, tr)
		if refusal(t, err).final {
			break
		}
		tr = tr.next(t)
	}
	requireFinal(t, err, collection.ReasonEgressAuth, "407")
	require.Equal(t, 4, tries, "twice round")
	require.Empty(t, c.ways.reports, "who asked for robots.txt has reported it")
}

// TestCollectRedirectByABrokenEgress: so is that of the robots.txt of where a redirect leads; the record's own egress, which
// worked, is not blamed for it.
func TestCollectRedirectByABrokenEgress(t *testing.T) {
	c := byWays(func(ctx context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		err := via.Hop(ctx, "https://books.example/b")
		require.Error(t, err)
		return nil, failure.Observation{Transport: failure.TransportCancelled, Message: err.Error()}
	}, "east", "west")
	c.Robots = robots{hop: func(string) error {
		return &EgressError{Reason: collection.ReasonEgressUnavailable, Egress: "west", Detail: "the proxy is down"}
	}}
	tr := &trial{}
	_, err := c.attempt(t, tr)
	f := requireTransient(t, err, collection.ReasonEgressUnavailable, "the proxy is down")
	require.Equal(t, "west", f.Trail.Attempts[0].Egress)
	require.Equal(t, "west", tr.progress(t).BadEgress)
	require.Empty(t, c.ways.reports)
	require.Empty(t, c.permits.reports)
}
