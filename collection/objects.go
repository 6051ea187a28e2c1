package collection

import (
	"fmt"
	"time"
)

// Where things are stored in weir's bucket. All names derive from what is stored, never from an attempt, so that doing
// a thing twice writes the same object twice.

// UploadPrefix is where all of a customer's submitted files are, and nobody else's.
func UploadPrefix(customer string) string { return fmt.Sprintf("uploads/%s/", customer) }

// UploadKey is where a submitted file is put. name is the file's base name.
func UploadKey(customer, submission, name string) string {
	return UploadPrefix(customer) + submission + "/" + name
}

// PlanKey is the plan of a submission: a PlanResult as JSON, written after everything that it counts.
func PlanKey(submission string) string { return fmt.Sprintf("plans/%s/plan.json", submission) }

// RejectedKey is the n-th part (from 1) of the rows that did not become records: FailureRow as JSON Lines.
func RejectedKey(submission string, n int) string {
	return fmt.Sprintf("plans/%s/rejected-%05d.jsonl", submission, n)
}

// BatchKey holds the records of one batch: Record as JSON Lines.
func BatchKey(submission, source string, n int) string {
	return fmt.Sprintf("plans/%s/%s/%05d.jsonl", submission, source, n)
}

// RawKey is a captured body. The digest is part of the name: two attempts may have fetched different bytes, and neither
// may change what the other has handed to the parser.
func RawKey(submission, record, sha256 string) string {
	return fmt.Sprintf("raw/%s/%s/%s", submission, record, sha256)
}

// RawMetaKey is what is known of a captured body besides its bytes: a RawMeta as JSON.
func RawMetaKey(submission, record, sha256 string) string {
	return RawKey(submission, record, sha256) + ".meta.json"
}

// SeenKey is what is known of the bytes that a record had when it was fetched last, whatever the submission: a Seen as
// JSON. Only sources that are asked conditionally have it.
func SeenKey(source, record string) string { return fmt.Sprintf("seen/%s/%s.json", source, record) }

// ParsedKey is a parsed document that is too large for a history, named by content like RawKey.
func ParsedKey(submission, record, sha256 string) string {
	return fmt.Sprintf("parsed/%s/%s/%s.json", submission, record, sha256)
}

// LedgerKey is the ledger part of one batch: LedgerRow as JSON Lines.
func LedgerKey(submission, source string, n int) string {
	return fmt.Sprintf("ledger/%s/%s/%05d.jsonl", submission, source, n)
}

// DeliveryPrefix is the folder of a submission's delivery, with a slash at its end.
func DeliveryPrefix(customer, submission string) string {
	return fmt.Sprintf("results/%s/%s/", customer, submission)
}

// DeliveredPrefix is the folder of a submission's records in weir's bucket, with a slash at its end.
func DeliveredPrefix(customer, submission string) string {
	return DeliveryPrefix(customer, submission) + "records/"
}

// DeliveredKey is one record's object in weir's bucket.
func DeliveredKey(customer, submission, record string) string {
	return DeliveredPrefix(customer, submission) + record + ".json"
}

// ResultsKey is the n-th part (from 1) of a delivery.
func ResultsKey(customer, submission string, n int) string {
	return fmt.Sprintf("%sresults-%05d.jsonl.gz", DeliveryPrefix(customer, submission), n)
}

// PartKey is the n-th part (from 1) of a delivery that has a layout of its own.
func PartKey(customer, submission string, l Layout, acceptedAt time.Time, n int) string {
	return DeliveryPrefix(customer, submission) + l.PartName(customer, submission, acceptedAt, n)
}

// StagedKey holds the documents of the n-th part (from 1) of a delivery of tables, as JSON Lines in gzip: what the part is
// made of once all columns are known.
func StagedKey(submission string, n int) string {
	return fmt.Sprintf("staged/%s/%05d.jsonl.gz", submission, n)
}

// ShipmentKey is the proof of the latest shipment to the customer's own destination: a ShipResult as JSON. It lies with the
// plan and is written after it, so that it is there for as long as anybody can ask for the submission.
func ShipmentKey(submission string) string { return fmt.Sprintf("plans/%s/shipment.json", submission) }

// FailuresKey lists every row that was not delivered.
func FailuresKey(customer, submission string) string {
	return DeliveryPrefix(customer, submission) + "failures.jsonl"
}

// ManifestKey is the last object written of a delivery, but for its checksum.
func ManifestKey(customer, submission string) string {
	return DeliveryPrefix(customer, submission) + "manifest.json"
}

// ManifestSumKey holds the manifest's digest in the form that `sha256sum -c` reads.
func ManifestSumKey(customer, submission string) string {
	return DeliveryPrefix(customer, submission) + "manifest.sha256"
}
