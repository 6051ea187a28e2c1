package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// The files that a manifest lists are read by two. A shipment brings them to a destination, and has a delivery made again of which
// one is not there as it was settled; a settlement takes the failures for what a ledger told that has expired, and must not settle
// without them. So what is wrong with a file is told here by its kind, and what is to be done about it by whoever reads.

// notAsListed is the error for a file that weir's bucket does not hold as the manifest lists it.
type notAsListed struct {
	file collection.ManifestFile
	// got is the digest of what is there instead; empty where nothing is.
	got string
}

// Error says which file, and what is there instead.
func (n *notAsListed) Error() string {
	if n.got == "" {
		return n.file.Key + " is not there any more"
	}
	return fmt.Sprintf("%s has SHA-256 %s, and the manifest says %s", n.file.Key, n.got, n.file.SHA256)
}

// damagedFailures is the error for failures that are there as they are listed, and cannot be read.
type damagedFailures struct {
	key   string
	cause error
}

// Error says where.
func (d *damagedFailures) Error() string { return d.key + " is damaged in " + d.cause.Error() }

// Unwrap gives what is wrong with the line.
func (d *damagedFailures) Unwrap() error { return d.cause }

// readListed reads a file that a manifest lists, and compares it with what the manifest says. Its error is a *notAsListed, or
// the store's in its shape.
func readListed(ctx context.Context, store Store, file collection.ManifestFile) ([]byte, error) {
	body, err := store.Get(ctx, file.Key, maxPart)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, &notAsListed{file: file}
	}
	if err != nil {
		return nil, storeFailed(ctx, "read "+file.Key, err)
	}
	if got := collection.Digest(body); got != file.SHA256 {
		return nil, &notAsListed{file: file, got: got}
	}
	return body, nil
}

// listedFailures are the rows of the failures that the manifest of a planned submission lists, in their order; none where it
// lists no failures. Its error is one of readListed, or a *damagedFailures.
func listedFailures(
	ctx context.Context, store Store, plan collection.PlanResult, files []collection.ManifestFile,
) ([]collection.FailureRow, error) {
	var failures []collection.FailureRow
	for _, file := range files {
		if !isFailures(plan, file) {
			continue
		}
		body, err := readListed(ctx, store, file)
		if err != nil {
			return nil, err
		}
		rows, err := collection.DecodeLines[collection.FailureRow](body)
		if err != nil {
			return nil, &damagedFailures{file.Key, err}
		}
		failures = append(failures, rows...)
	}
	return failures, nil
}

// isFailures says whether a file of a delivery is the list of what was not delivered, of whatever generation.
func isFailures(plan collection.PlanResult, file collection.ManifestFile) bool {
	return collection.IsGenerationOf(file.Key, collection.FailuresKey(plan.Customer, plan.Submission))
}
