package collection

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// ReplayPlanKey is the plan of a submission's n-th replay (from 1): a ReplayPlan as JSON.
func ReplayPlanKey(submission string, n int) string {
	return fmt.Sprintf("replays/%s/%05d/plan.json", submission, n)
}

// ReplayCountKey holds the last number that a replay of a submission has taken. It lies with the submission's plan, and is written
// after it: without the plan nothing is replayed any more.
func ReplayCountKey(submission string) string {
	return path.Dir(PlanKey(submission)) + "/replays.json"
}

// ReplayBatchKey holds the rows of one part of the ledger that a replay runs again, as they were when it began: LedgerRow as
// JSON Lines.
func ReplayBatchKey(submission string, n int, source string, batch int) string {
	return fmt.Sprintf("replays/%s/%05d/%s/%05d.jsonl", submission, n, source, batch)
}

// GenerationKey is where a generation of an object is that is not where its first one is: "a/b.json" becomes "a/b.g2.json".
func GenerationKey(key string, generation int) string {
	stem, extension := cutExtension(key)
	return fmt.Sprintf("%s.g%d%s", stem, generation, extension)
}

// IsGenerationOf says whether a name is that of an object's first generation, key, or of a later one.
func IsGenerationOf(name, key string) bool {
	stem, extension := cutExtension(key)
	number, ok := strings.CutPrefix(name, stem+".g")
	if ok {
		number, ok = strings.CutSuffix(number, extension)
	}
	generation, err := strconv.Atoi(number)
	return name == key || ok && err == nil && name == GenerationKey(key, generation)
}

// cutExtension cuts a key before the first dot of its name.
func cutExtension(key string) (stem, extension string) {
	dir, name := path.Split(key)
	stem, extension, dotted := strings.Cut(name, ".")
	if dotted {
		extension = "." + extension
	}
	return dir + stem, extension
}
