package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// TestStoryOfACancelledRecord: what a record had done before it was cancelled is told where it is on record; where it is not,
// nobody says that it was nothing.
func TestStoryOfACancelledRecord(t *testing.T) {
	t.Parallel()
	answer := starter.RecordAnswer{Submission: "acme-1", Record: recordID, Ground: "ledger", Result: &collection.RecordResult{
		Record: recordID, Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled,
	}}
	c := &fakeClient{record: answer}
	require.Contains(t, ask(t, c, "status", "acme-1", recordID).stdout, "\nrequests    not on record\n")
	var told map[string]any
	require.NoError(t, json.Unmarshal([]byte(ask(t, c, "status", "acme-1", recordID, "-o", "json").stdout), &told))
	result := told["result"].(map[string]any)
	require.NotContains(t, result, "attempts")
	require.Equal(t, "cancelled", result["outcome"])
	require.Equal(t, recordID, told["record"])

	answer.Result.Attempts, answer.Result.FirstRequestAt = 8, &noon
	c = &fakeClient{record: answer}
	require.Contains(t, ask(t, c, "status", "acme-1", recordID).stdout, "\nrequests       8\n")
	told = nil
	require.NoError(t, json.Unmarshal([]byte(ask(t, c, "status", "acme-1", recordID, "-o", "json").stdout), &told))
	require.Equal(t, float64(8), told["result"].(map[string]any)["attempts"])

	answer.Result = &collection.RecordResult{Record: recordID, Outcome: collection.OutcomeRefused, Reason: collection.ReasonRobotsDenied}
	c = &fakeClient{record: answer}
	require.Contains(t, ask(t, c, "status", "acme-1", recordID).stdout, "\nrequests    0\n", "of these that is known")
	told = nil
	require.NoError(t, json.Unmarshal([]byte(ask(t, c, "status", "acme-1", recordID, "-o", "json").stdout), &told))
	require.Equal(t, float64(0), told["result"].(map[string]any)["attempts"])
}

// TestNoRobotsOfNoHost: of a host that could not be asked nobody says that its robots.txt forbids anything.
func TestNoRobotsOfNoHost(t *testing.T) {
	t.Parallel()
	unread := collection.RobotsDecision{Why: "unreachable"}
	for reason, want := range map[collection.Reason]string{
		collection.ReasonDNSNotFound: "none: it could not be asked for", collection.ReasonPrivateAddress: "none: it could not be asked for",
		collection.ReasonTLSError: "none: it could not be asked for", collection.ReasonRobotsUnreachable: "forbidden: unreachable",
		collection.ReasonExpired: "forbidden: unreachable", "": "forbidden: unreachable",
	} {
		require.Equal(t, want, robotsText(unread, reason), reason)
	}
	allowed := collection.RobotsDecision{Allowed: true, Why: "no rule"}
	require.Equal(t, "allowed: no rule", robotsText(allowed, collection.ReasonTLSError), "it was read before")

	s := ask(t, &fakeClient{record: starter.RecordAnswer{
		Submission: "acme-1", Record: recordID, Ground: "engine", Result: &collection.RecordResult{
			Record: recordID, Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonDNSNotFound, Detail: "no such host",
			Trail: &collection.Trail{Robots: &unread, Attempts: []collection.AttemptLine{
				{At: noon, Reason: collection.ReasonDNSNotFound}, {At: noon, Backoff: 61_000, Reason: collection.ReasonDNSNotFound},
			}},
		},
	}}, "status", "acme-1", recordID)
	require.NotContains(t, s.stdout, "forbidden")
	require.Contains(t, s.stdout, "\nrobots.txt  none: it could not be asked for\n")
	require.Contains(t, s.stdout, "\nattempt at               met            status  took  by  waited for\n2026-01-02 12:00:00 UTC  dns_not_found       -     -  -   nothing\n",
		"an attempt without a request is none")
}
