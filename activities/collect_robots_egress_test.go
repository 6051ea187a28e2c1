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
	met := collection.Refused{Reason: collection.ReasonDNSNotFound, Detail: "no such host"}
	c.Robots = robots{check: func(string) (collection.RobotsDecision, error) {
		return collection.RobotsDecision{Why: "unreachable"}, fmt.Errorf("robots.txt: %w", &met)
	}}
	tr := &trial{}
	_, err := c.attempt(t, tr)
	f := requireTransient(t, err, collection.ReasonDNSNotFound, "no such host")
	require.Nil(t, f.Trail.Robots, "nobody has said anything of robots.txt")
	require.Zero(t, f.Attempts)
	_, err = c.attempt(t, tr.next(t))
	requireFinal(t, err, collection.ReasonDNSNotFound, "no such host")
	require.Empty(t, c.permits.reports)

	met.Reason = collection.ReasonPrivateAddress
	tr = &trial{}
	_, err = c.attempt(t, tr)
	requireTransient(t, err, collection.ReasonPrivateAddress)
	out, err := c.attempt(t, tr.next(t))
	require.NoError(t, err)
	require.Equal(t, collection.OutcomeRefused, out.Outcome)
	require.Equal(t, collection.ReasonPrivateAddress, out.Reason)

	met.Certain = true
	out, err = c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, collection.OutcomeRefused, out.Outcome, "an address that is written in the URL")
}

// TestCollectOutageOfNames: a name that the configuration writes out and that leads nowhere is the source's outage (E09): its
// records wait, uncharged, as often as it takes, and a request that finds it out is the breaker's to hear of.
func TestCollectOutageOfNames(t *testing.T) {
	none := failure.Observation{Transport: failure.TransportDNSNotFound, OfSource: true, Message: "no such host"}
	inside := failure.Observation{Transport: failure.TransportPrivateAddress, OfSource: true, Message: "127.0.0.1"}
	for reason, seen := range map[collection.Reason]failure.Observation{
		collection.ReasonDNSNotFound: none, collection.ReasonPrivateAddress: inside,
	} {
		c := newCollecting(answers(seen, seen, seen, seen, seen, success))
		tr := &trial{}
		for range 5 {
			_, err := c.attempt(t, tr)
			requireTransient(t, err, reason, seen.Message)
			require.Zero(t, tr.progress(t).Faults)
			tr = tr.next(t)
		}
		for _, r := range c.permits.reports {
			require.Equal(t, reported{"books", collection.ReasonDNSNotFound, 0}, r, "a fault of the target's")
		}
		out, err := c.attempt(t, tr)
		require.NoError(t, err)
		require.NotNil(t, out.Raw)
	}
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
