package collection

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryKeyHasAClass: whatever weir writes, the janitor knows whose it is.
func TestEveryKeyHasAClass(t *testing.T) {
	for key, want := range map[string]struct {
		class      ObjectClass
		submission string
	}{
		UploadKey("acme", "s", "f.csv"):         {ClassUploads, "s"},
		PlanKey("s"):                            {ClassPlans, "s"},
		IndexKey("s"):                           {ClassPlans, "s"},
		RejectedKey("s", 1):                     {ClassPlans, "s"},
		BatchKey("s", "books", 1):               {ClassPlans, "s"},
		RawKey("s", "r", "abc"):                 {ClassRaw, "s"},
		RawMetaKey("s", "r", "abc"):             {ClassRaw, "s"},
		ParsedKey("s", "r", "abc"):              {ClassParsed, "s"},
		SeenKey("books", "r"):                   {ClassSeen, ""},
		LedgerKey("s", "books", 1):              {ClassLedger, "s"},
		EndKey("s"):                             {ClassLedger, "s"},
		ReplayPlanKey("s", 1):                   {ClassReplays, "s"},
		ReplayBatchKey("s", 1, "books", 1):      {ClassReplays, "s"},
		StagedKey("s", 1):                       {ClassStaged, "s"},
		ShipmentKey("s"):                        {ClassPlans, "s"},
		QualityReportKey("s", "abc"):            {ClassLedger, "s"},
		DeliveredKey("acme", "s", "r"):          {ClassResults, "s"},
		ResultsKey("acme", "s", 1):              {ClassResults, "s"},
		FailuresKey("acme", "s"):                {ClassResults, "s"},
		ManifestKey("acme", "s"):                {ClassResults, "s"},
		ManifestSumKey("acme", "s"):             {ClassResults, "s"},
		GenerationKey(ManifestKey("a", "s"), 2): {ClassResults, "s"},
	} {
		class, submission, ok := SubmissionOfKey(key)
		require.True(t, ok, key)
		require.Equal(t, want.class, class, key)
		require.Equal(t, want.submission, submission, key)
		require.Contains(t, ObjectClasses(), class, key)
	}
}

func TestDeleteError(t *testing.T) {
	err := &DeleteError{Failed: []KeyFailure{{"a/b", "locked"}, {"c", "locked"}}}
	require.EqualError(t, err, "object a/b cannot be deleted: locked; and 1 more")
	require.EqualError(t, &DeleteError{}, "no object failed to be deleted")
}

func TestSweepResultSortsBySeverity(t *testing.T) {
	var r SweepResult
	r.Add(CheckResult{Check: CheckLeases, Looked: 2, Findings: []Finding{{Severity: SEV3, Kind: FindingOrphan, Subject: "b"}, {Severity: SEV2, Kind: FindingOrphan}}})
	r.Add(CheckResult{Check: CheckEnds, Findings: []Finding{{Severity: SEV1}, {Severity: SEV3, Kind: FindingOrphan, Subject: "a"}}, DeadLetters: []DeadLetterCount{{Records: 1}}})
	var got []string
	for _, f := range r.Findings {
		got = append(got, string(f.Severity)+f.Subject)
	}
	require.Equal(t, []string{"SEV1", "SEV2", "SEV3a", "SEV3b"}, got)
	require.Len(t, r.DeadLetters, 1)
	require.Len(t, r.Checks, 2)
	require.Empty(t, r.Checks[0].Findings, "each finding stands there once")
	require.Equal(t, 2, r.Checks[0].Looked)
}
