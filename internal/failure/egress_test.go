package failure

import (
	"testing"

	"github.com/stretchr/testify/require"

	c "github.com/weir-collect/weir/collection"
)

// TestUntilTheTunnelStands: what happens between us and the proxy is the proxy's fault, of whatever kind it is; what comes
// after, and what the proxy says of the target, is not.
func TestUntilTheTunnelStands(t *testing.T) {
	proxy, passed := Egress{Proxy: true, Name: "eu-1"}, Egress{Proxy: true, Name: "eu-1", Passed: true}
	for _, transport := range []Transport{
		TransportDNSNotFound, TransportDNSTimeout, TransportRefused, TransportUnreachable, TransportLocal, TransportReset,
		TransportTimeout, TransportTLS, TransportProtocol, TransportPrivateAddress, "of_a_later_version",
	} {
		require.Equal(t, c.ReasonEgressUnavailable, Classify(Observation{Egress: proxy, Transport: transport, Stage: StageProxy}), transport)
	}
	for _, tt := range []struct {
		o    Observation
		want c.Reason
	}{
		{Observation{Egress: proxy, Transport: TransportCancelled, Stage: StageProxy}, c.ReasonLeaseLost},
		{Observation{Egress: proxy, Transport: TransportSecretUnavailable, Stage: StageProxy}, c.ReasonStoreUnavailable},
		{Observation{Egress: proxy, Transport: TransportPrivateAddress}, c.ReasonPrivateAddress},
		{Observation{Egress: proxy, Transport: TransportRequestInvalid}, c.ReasonBadRequest},
		{Observation{Egress: passed, Transport: TransportRefused}, c.ReasonConnectFailed},
		{Observation{Egress: passed, Transport: TransportUnreachable}, c.ReasonConnectFailed},
		{Observation{Egress: passed, Transport: TransportTimeout, Stage: StageHeader}, c.ReasonTimeout},
		{Observation{Egress: passed, Transport: TransportReset, Stage: StageHeader}, c.ReasonReset},
		{Observation{Egress: passed, Transport: TransportTLS}, c.ReasonTLSError},
		{Observation{Egress: passed, Status: 403}, c.ReasonBlocked},
		{Observation{Egress: passed, Status: 407}, c.ReasonAuthRequired},
		{Observation{Egress: passed, Status: 502}, c.ReasonServerError},
	} {
		require.Equal(t, tt.want, Classify(tt.o), "%+v", tt.o)
	}
}

func TestRefusedRedirectKeepsItsReason(t *testing.T) {
	require.Equal(t, c.ReasonRobotsDenied, Classify(Observation{Refused: c.ReasonRobotsDenied}))
}

func TestNotModifiedIsAnAnswerToAConditionOnly(t *testing.T) {
	require.Empty(t, Classify(Observation{Status: 304, Conditional: true}))
	require.Equal(t, c.ReasonServerError, Classify(Observation{Status: 304}))
	require.Equal(t, c.ReasonGone, Classify(Observation{Status: 404, Conditional: true}))
}

// C3 39, 42: one proxy's credentials do not end a record that has another egress, and a record that has gone round all of
// them ends.
func TestCase42CredentialsOfOneOfSeveral(t *testing.T) {
	several := standard
	several.Egresses = 3
	for tries := 1; tries < 6; tries++ {
		d := Decide(several, History{Reason: c.ReasonEgressAuth, SameReason: tries}, 0.5)
		require.True(t, d.Retry, "try %d", tries)
		require.Equal(t, c.ReasonEgressRefused, d.Reason, "a reason that the engine retries")
		require.Positive(t, d.After)
	}
	dead := Decision{End: c.OutcomeDeadLettered, Reason: c.ReasonEgressAuth}
	require.Equal(t, dead, Decide(several, History{Reason: c.ReasonEgressAuth, SameReason: 6}, 0.5))
	for _, few := range []int{0, 1} {
		only := standard
		only.Egresses = few
		require.Equal(t, dead, Decide(only, History{Reason: c.ReasonEgressAuth, SameReason: 1}, 0.5), "there is no other")
	}
	src := c.Source{Egress: c.EgressUse{Use: []string{"eu-1", "eu-2"}}}
	require.Equal(t, 2, PolicyOf(src).Egresses)
}
