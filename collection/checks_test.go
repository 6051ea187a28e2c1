package collection

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBreaches(t *testing.T) {
	require.Empty(t, Breaches(nil))
	require.Empty(t, BreachesShown([]QualityCheck{{Result: QualityOK}, {Result: QualityUnknown}}))
	checks := []QualityCheck{{Result: QualityOK}}
	for range MaxBreaches + 3 {
		checks = append(checks, QualityCheck{Source: "books", Result: QualityBreach})
	}
	require.Len(t, Breaches(checks), MaxBreaches+3)
	require.Len(t, BreachesShown(checks), MaxBreaches, "a result stays small, however many sources it is of")
}

func TestQualityKeys(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	require.Equal(t, "ledger/s/checks-0123456789abcdef.json", QualityReportKey("s", sum))
	class, submission, ok := SubmissionOfKey(QualityReportKey("s", sum))
	require.True(t, ok)
	require.Equal(t, ClassLedger, class, "it goes with the ledger that it was made of")
	require.Equal(t, "s", submission)
	_, _, ok = SubmissionOfKey(QualityHistoryKey("books"))
	require.False(t, ok, "the janitor leaves histories alone")
}
