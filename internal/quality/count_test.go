package quality

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

var accepted = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func rowOf(source string, o collection.Outcome, r collection.Reason, missing ...string) collection.LedgerRow {
	return collection.LedgerRow{Source: source, RecordResult: collection.RecordResult{Outcome: o, Reason: r, Missing: missing}}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	c := NewCounter("s1", accepted.In(time.FixedZone("CET", 3600)))
	for _, r := range []collection.FailureRow{
		{Source: "books", Outcome: collection.OutcomeDuplicate}, {Source: "books", Outcome: collection.OutcomeDuplicate},
		{Source: "books", Outcome: collection.OutcomeInvalid}, {Outcome: collection.OutcomeInvalid}, {Outcome: collection.OutcomeDuplicate},
	} {
		c.Rejected(r)
	}
	lost := rowOf("books", collection.OutcomeDelivered, "", "price", "stock")
	for _, r := range []collection.LedgerRow{
		rowOf("books", collection.OutcomeDelivered, ""),
		rowOf("books", collection.OutcomeDelivered, "", "price", "price"),
		lost,
		rowOf("books", collection.OutcomeDeadLettered, collection.ReasonParseEmpty),
		rowOf("books", collection.OutcomeDeadLettered, collection.ReasonParseInvalid),
		rowOf("books", collection.OutcomeDeadLettered, collection.ReasonSchemaViolation),
		rowOf("books", collection.OutcomeDeadLettered, collection.ReasonDecodeError),
		rowOf("books", collection.OutcomeDeadLettered, collection.ReasonTimeout, "price"),
		rowOf("books", collection.OutcomeGone, collection.ReasonGone),
		rowOf("api", collection.OutcomeCancelled, collection.ReasonCancelled),
	} {
		c.Record(r)
	}
	c.Lost(lost)
	require.Equal(t, []collection.QualityCounts{
		{Source: "api", Submission: "s1", AcceptedAt: accepted, Records: 1},
		{Source: "books", Submission: "s1", AcceptedAt: accepted, Records: 9, Duplicates: 2, Completed: 3, Stored: 2, Empty: 1, Invalid: 3,
			Missing: map[string]int{"price": 1}},
	}, c.Counts())
	require.Equal(t, []collection.QualityCounts{}, NewCounter("s1", accepted).Counts())
}
