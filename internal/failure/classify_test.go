package failure

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	c "github.com/weir-collect/weir/collection"
)

func TestClassifyStatus(t *testing.T) {
	reasons := map[c.Reason][]int{
		"":                   {200, 201, 202, 203, 204, 205, 226},
		c.ReasonTruncated:    {206},
		c.ReasonGone:         {404, 410},
		c.ReasonThrottled:    {429},
		c.ReasonTimeout:      {408},
		c.ReasonServerError:  {101, 304, 421, 425, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 599, 600, 998},
		c.ReasonAuthRequired: {401, 402, 407},
		c.ReasonBlocked:      {403, 451, 999},
		c.ReasonBadRequest:   {300, 301, 302, 303, 305, 307, 308, 400, 405, 406, 409, 411, 412, 413, 414, 415, 416, 418, 422, 423, 424, 426, 428, 431},
	}
	for want, statuses := range reasons {
		for _, status := range statuses {
			require.Equal(t, want, Classify(Observation{Status: status}), "status %d", status)
		}
	}
	require.Equal(t, c.ReasonThrottled, Classify(Observation{Status: 503, RetryAfter: "120"}))
	require.Equal(t, c.ReasonServerError, Classify(Observation{Status: 500, RetryAfter: "120"}))
	require.Equal(t, c.ReasonInternal, Classify(Observation{}), "no answer and no trouble: somebody forgot to look")
}

// E06: 429 and 5xx are transient, 400 and 422 permanent.
func TestHTTPClassesAreRetriedOrNot(t *testing.T) {
	for status, transient := range map[int]bool{429: true, 500: true, 502: true, 503: true, 504: true, 408: true, 425: true, 400: false, 422: false, 404: false, 403: false} {
		require.Equal(t, transient, Lookup(Classify(Observation{Status: status})).Retry, "status %d", status)
	}
}

func TestClassifyTransport(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Observation
		want c.Reason
	}{
		{"lookup without answer", Observation{Transport: TransportTimeout, Stage: StageDNS}, c.ReasonDNSTimeout},
		{"connection that does not come", Observation{Transport: TransportTimeout, Stage: StageDial}, c.ReasonConnectFailed},
		{"handshake that stalls", Observation{Transport: TransportTimeout, Stage: StageTLS}, c.ReasonTimeout},
		{"header that stalls", Observation{Transport: TransportTimeout, Stage: StageHeader}, c.ReasonTimeout},
		{"body that stalls", Observation{Transport: TransportTimeout, Stage: StageBody, Status: 200}, c.ReasonTimeout},
		{"half a page", Observation{Transport: TransportTruncated, Status: 200}, c.ReasonTruncated},
		{"half a page of a 404", Observation{Transport: TransportTruncated, Status: 404}, c.ReasonGone},
		{"reset in the page of a 500", Observation{Transport: TransportReset, Stage: StageBody, Status: 500}, c.ReasonServerError},
		{"huge page of a 403", Observation{Transport: TransportBodyTooLarge, Status: 403}, c.ReasonBlocked},
		{"loop after a redirect", Observation{Transport: TransportRedirectLoop, Status: 302}, c.ReasonRedirectLoop},
		{"cancelled after a 500", Observation{Transport: TransportCancelled, Status: 500}, c.ReasonLeaseLost},
		{"unknown kind", Observation{Transport: "of_a_later_version"}, c.ReasonInternal},
	} {
		require.Equal(t, tt.want, Classify(tt.o), tt.name)
	}
	for transport, want := range transportReasons {
		require.True(t, Known(want), transport)
		if transport != TransportTimeout {
			require.Equal(t, want, Classify(Observation{Transport: transport, Status: 200}), transport)
		}
	}
}

// C3 39: faults of a proxy never count against the target.
func TestCase39ProxyFaults(t *testing.T) {
	for _, tt := range []struct {
		o     Observation
		want  c.Reason
		retry bool
	}{
		{Observation{Egress: Egress{Proxy: true, Status: 407}}, c.ReasonEgressAuth, false},
		{Observation{Egress: Egress{Proxy: true}, Status: 407}, c.ReasonEgressAuth, false},
		{Observation{Egress: Egress{Proxy: true, Status: 403}}, c.ReasonEgressRefused, true},
		{Observation{Egress: Egress{Proxy: true, Status: 502}}, c.ReasonEgressUnavailable, true},
		{Observation{Egress: Egress{Proxy: true}, Transport: TransportRefused}, c.ReasonEgressUnavailable, true},
		{Observation{Egress: Egress{Proxy: true}, Transport: TransportUnreachable}, c.ReasonEgressUnavailable, true},
		{Observation{Egress: Egress{Proxy: true}, Transport: TransportTimeout, Stage: StageDial}, c.ReasonEgressUnavailable, true},
	} {
		reason := Classify(tt.o)
		require.Equal(t, tt.want, reason, "%+v", tt.o)
		row := Lookup(reason)
		require.Equal(t, FaultEgress, row.Fault)
		require.Equal(t, tt.retry, row.Retry)
		require.False(t, row.Charged)
	}
	through := Egress{Proxy: true}
	require.Equal(t, c.ReasonBlocked, Classify(Observation{Egress: through, Status: 403}), "the target's own 403")
	require.Equal(t, c.ReasonTimeout, Classify(Observation{Egress: through, Transport: TransportTimeout, Stage: StageBody, Status: 200}))
	require.Empty(t, Classify(Observation{Egress: through, Status: 200}))
}

func anyObservation() *rapid.Generator[Observation] {
	return rapid.Custom(func(t *rapid.T) Observation {
		return Observation{
			Status:     rapid.IntRange(-1, 1100).Draw(t, "status"),
			RetryAfter: rapid.SampledFrom([]string{"", "7", "-5", "soon"}).Draw(t, "retry-after"),
			Transport:  rapid.SampledFrom([]Transport{"", TransportReset, TransportTimeout, TransportTruncated, TransportTLS, "new"}).Draw(t, "transport"),
			Stage:      rapid.SampledFrom([]Stage{"", StageDNS, StageDial, StageProxy, StageTLS, StageHeader, StageBody}).Draw(t, "stage"),
			Egress: Egress{
				Proxy: rapid.Bool().Draw(t, "proxy"), Status: rapid.SampledFrom([]int{0, 403, 407, 500}).Draw(t, "proxy status"),
				Passed: rapid.Bool().Draw(t, "passed"),
			},
			Refused:     rapid.SampledFrom([]c.Reason{"", "", "", c.ReasonRobotsDenied}).Draw(t, "refused"),
			Conditional: rapid.Bool().Draw(t, "conditional"),
			Message:     rapid.String().Draw(t, "message"),
		}
	})
}

func TestClassifyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := anyObservation().Draw(t, "observation")
		reason := Classify(o)
		if reason == "" {
			if !o.Conditional || o.Status != 304 {
				require.Equal(t, 2, o.Status/100, "only a 2xx is a success, or 304 where it was asked for")
			}
			require.Empty(t, o.Transport)
		} else {
			require.True(t, Known(reason))
		}
		// A stored observation is classified as it was before.
		text, err := json.Marshal(o)
		require.NoError(t, err)
		var again Observation
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, reason, Classify(again))
	})
}

func TestObservationJSON(t *testing.T) {
	text, err := json.Marshal(Observation{Status: 200})
	require.NoError(t, err)
	require.JSONEq(t, `{"status":200}`, string(text))
	text, err = json.Marshal(Observation{Egress: Egress{Passed: true}, Refused: c.ReasonRobotsDenied, Conditional: true})
	require.NoError(t, err)
	require.JSONEq(t, `{"egress":{"passed":true},"refused":"robots_denied","conditional":true}`, string(text))
	text, err = json.Marshal(Observation{
		Status: 503, RetryAfter: "7", Date: "d", Transport: TransportTimeout, Stage: StageBody, Bytes: 5,
		Egress: Egress{Proxy: true, Name: "eu-1", Status: 502}, Warnings: []Warning{WarningLengthUnverified}, Message: "m",
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"status":503,"retry_after":"7","date":"d","transport":"timeout","stage":"body","bytes":5,
		"egress":{"proxy":true,"name":"eu-1","status":502},"warnings":["length_unverified"],"message":"m"}`, string(text))
}

func TestRetryAfterHintUsesTheAnswersOwnDate(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	// The target's clock is an hour behind ours: a date a minute after its own is a minute, not the past.
	o := Observation{Date: "Sun, 01 Mar 2026 11:00:00 GMT", RetryAfter: "Sun, 01 Mar 2026 11:01:00 GMT"}
	wait, ok := o.RetryAfterHint(now)
	require.True(t, ok)
	require.Equal(t, time.Minute, wait)

	o.Date = "yesterday"
	_, ok = o.RetryAfterHint(now)
	require.False(t, ok, "read against our clock it is past")

	wait, ok = Observation{RetryAfter: "7"}.RetryAfterHint(now)
	require.True(t, ok)
	require.Equal(t, 7*time.Second, wait)
	_, ok = Observation{}.RetryAfterHint(now)
	require.False(t, ok)
}
