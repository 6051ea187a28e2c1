package cli

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestStatusShowsBreaches(t *testing.T) {
	t.Parallel()
	status := settled(collection.StateComplete)
	status.Result.Breaches = []collection.QualityCheck{{
		Source: "bookshop", Check: collection.QualityMissingRise, Field: "price", Result: collection.QualityBreach, Observed: 0.75, Of: 40,
		Detail: `30 of 40 documents lack "price" (75%); 0% did in recent submissions, and up to 10% may`,
	}}
	s := ask(t, &fakeClient{status: status}, "status", "acme-1")
	require.Zero(t, s.code, "a breach is for a person to look at, and changes no state")
	require.Contains(t, s.stdout,
		"note        bookshop, check missing_rise: 30 of 40 documents lack \"price\" (75%); 0% did in recent submissions, and up to 10% may\nmanifest")
	require.Contains(t, ask(t, &fakeClient{status: status}, "status", "acme-1", "-o", "json").stdout, `"breaches":[{"source":"bookshop","check":"missing_rise"`)

	status.Result.Breaches = slices.Repeat(status.Result.Breaches, collection.MaxBreaches)
	require.Contains(t, ask(t, &fakeClient{status: status}, "status", "acme-1").stdout, "there may be more breaches: see checks in its manifest\n")
}
