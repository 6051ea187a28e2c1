package collection

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// recordIDLength is the number of hex digits kept of the digest: 80 bits, so that a billion records collide with a
// probability below one in a million.
const recordIDLength = 20

// RecordID is the stable name of a record within its source: the same target submitted twice has the same id.
func RecordID(source, key string) string {
	// The line feed keeps ("a", "bc") and ("ab", "c") apart; a source's name cannot contain one.
	return Digest([]byte(source + "\n" + key))[:recordIDLength]
}

// Digest is the SHA-256 of some content as lower-case hex digits: what stands in manifests, ledgers and object names.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// BatchWorkflowID names the workflow of the n-th batch (from 1) of one source.
func BatchWorkflowID(submission, source string, n int) string {
	return fmt.Sprintf("%s/%s/%d", submission, source, n)
}

// RecordWorkflowID names the workflow of one record of a submission.
func RecordWorkflowID(submission, record string) string { return submission + "/" + record }

// RedeliverWorkflowID names the workflow that writes a submission's delivery again. It is no record's: those are hex digits.
func RedeliverWorkflowID(submission string) string { return submission + "/redeliver" }

var (
	namePattern         = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	submissionIDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	recordIDPattern     = regexp.MustCompile(`^[0-9a-f]{20}$`)
)

// CheckName says whether a customer or a source may be called so; kind ("customer", "source") is for the message.
// Names become parts of object keys, queue names and fairness keys (which Temporal limits to 64 bytes).
func CheckName(kind, name string) error {
	if namePattern.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%s %q: use 1 to 63 lower-case letters, digits, - or _, starting with a letter or digit", kind, name)
}

// CheckSubmissionID says whether a submission may have this id. A slash would make its children's ids ambiguous.
func CheckSubmissionID(id string) error {
	if submissionIDPattern.MatchString(id) && !strings.Contains(id, "..") {
		return nil
	}
	return fmt.Errorf("submission id %q: use 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit, without '..'", id)
}

// IsRecordID says whether s has the form of a record's id.
func IsRecordID(s string) bool { return recordIDPattern.MatchString(s) }
