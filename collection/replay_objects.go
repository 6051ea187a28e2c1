package collection

import (
	"fmt"
	"path"
	"strings"
)

// ReplayPlanKey is the plan of a submission's n-th replay (from 1): a ReplayPlan as JSON.
func ReplayPlanKey(submission string, n int) string {
	return fmt.Sprintf("replays/%s/%05d/plan.json", submission, n)
}

// ReplayBatchKey holds the rows of one part of the ledger that a replay runs again, as they were when it began: LedgerRow as
// JSON Lines.
func ReplayBatchKey(submission string, n int, source string, batch int) string {
	return fmt.Sprintf("replays/%s/%05d/%s/%05d.jsonl", submission, n, source, batch)
}

// GenerationKey is where a generation of an object is that is not where its first one is: "a/b.json" becomes "a/b.g2.json".
func GenerationKey(key string, generation int) string {
	dir, name := path.Split(key)
	stem, extension, dotted := strings.Cut(name, ".")
	if dotted {
		extension = "." + extension
	}
	return fmt.Sprintf("%s%s.g%d%s", dir, stem, generation, extension)
}
