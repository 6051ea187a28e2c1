package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
)

// delivery is a settled one in weir's bucket.
type delivery struct {
	plan     collection.PlanResult
	manifest collection.Manifest
	sha256   string
	// last are the files that are written behind all others, in their order.
	last []lastFile
}

type lastFile struct {
	name, contentType string
	body              []byte
}

// readDelivery reads the plan and the manifest. errOtherDelivery says that another one is just taking its place.
func (s *Shipper) readDelivery(ctx context.Context, in collection.ShipInput) (*delivery, error) {
	plan, err := readPlan(ctx, s.Store, in.Submission)
	if errors.Is(err, collection.ErrObjectMissing) {
		err = planGone(in.Submission)
	}
	if err != nil {
		return nil, err
	}
	if plan.Customer != in.Customer {
		return nil, finalf(collection.ReasonSubmissionInvalid, "submission %s is of customer %s, not of %s", in.Submission, plan.Customer, in.Customer)
	}
	d := &delivery{plan: plan}
	manifest, err := s.read(ctx, in.Submission, collection.ManifestKey(in.Customer, in.Submission))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(manifest, &d.manifest); err != nil {
		return nil, lost(in.Submission, "its manifest is damaged (%w)", err)
	}
	if !d.manifest.IsOf(plan) {
		return nil, lost(in.Submission, "it has no manifest: the one that is there is of what was submitted under that id at %s, and not at %s",
			d.manifest.AcceptedAt.UTC().Format(time.RFC3339), plan.AcceptedAt.UTC().Format(time.RFC3339))
	}
	sum, err := s.read(ctx, in.Submission, collection.ManifestSumKey(in.Customer, in.Submission))
	if err != nil {
		return nil, err
	}
	d.sha256 = collection.Digest(manifest)
	if want := manifestSum(d.sha256); string(sum) != want {
		// It may be that of a manifest that was written between the two reads.
		if err := s.stands(ctx, d); err != nil {
			return nil, err
		}
		return nil, lost(in.Submission, "its manifest has SHA-256 %s, and the checksum's file says %.80q", d.sha256, sum)
	}
	d.last = []lastFile{{"manifest.json", typeJSON, manifest}, {"manifest.sha256", typeText, sum}}
	return d, nil
}

// manifestSum is the content of manifest.sha256, as Settle writes it.
func manifestSum(sha256 string) string { return sumLine(sha256, "manifest.json") }

// read reads an object of the delivery in weir's own bucket; one that is not there is delivery_lost.
func (s *Shipper) read(ctx context.Context, submission, key string) ([]byte, error) {
	body, err := s.Store.Get(ctx, key, maxPart)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, notThere(submission, key)
	}
	if err != nil {
		return nil, storeFailed(ctx, "read "+key, err)
	}
	return body, nil
}

// parts are the keys of JSON Lines that hold the delivered documents.
func (d *delivery) parts() []collection.ManifestFile {
	var parts []collection.ManifestFile
	for _, file := range d.manifest.Files {
		if isFailures(d.plan, file) {
			continue
		}
		if d.plan.Layout != nil && d.plan.Layout.IsTable() {
			// What the table was made of. No manifest knows its digest; see bookedDocuments.
			file = collection.ManifestFile{Key: collection.StagedKey(d.plan.Submission, len(parts)+1), Records: file.Records}
		}
		parts = append(parts, file)
	}
	return parts
}

// recordOf is the name of a document's record.
func recordOf(line []byte) (string, error) {
	var d struct {
		Record string `json:"record"`
	}
	if err := json.Unmarshal(line, &d); err != nil || !collection.IsRecordID(d.Record) {
		return "", fmt.Errorf("%w: it holds a line that is no document", errOtherContent)
	}
	return d.Record, nil
}
