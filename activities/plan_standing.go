package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/weir-collect/weir/collection"
)

// standing is the plan that stands, if it is one of what is submitted now. It stays the plan of that id for good: what has been
// collected by it may have been delivered already.
func (p *Planner) standing(
	ctx context.Context, in collection.PlanInput, plan collection.PlanResult, beat *planBeat,
) (collection.PlanResult, error) {
	now := collection.Origin{Customer: in.Request.Customer}
	// Another customer's file is not looked at.
	if plan.Content != nil && plan.Customer == now.Customer {
		sum, err := p.digest(ctx, in.Request, beat)
		if err != nil {
			return collection.PlanResult{}, err
		}
		content := collection.ContentOf(in.Request, sum)
		now.Content = &content
	}
	if err := collection.CheckSame(in.Submission, plan.Origin(), now); err != nil {
		return collection.PlanResult{}, finalf(collection.ReasonSubmissionInvalid, "%w", err)
	}
	return plan, nil
}

// digest is that of the submitted file or records; empty where the file is not there any more.
func (p *Planner) digest(ctx context.Context, in collection.SubmissionInput, beat *planBeat) (string, error) {
	if in.Upload == "" {
		return recordsDigest(in)
	}
	info, err := p.Store.Head(ctx, in.Upload)
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		return "", nil
	case err != nil:
		return "", storeFailed(ctx, "look at the submitted file", err)
	case info.SHA256 != "":
		return info.SHA256, nil
	}
	body, _, err := p.Store.Open(ctx, in.Upload)
	if err != nil {
		return "", storeFailed(ctx, "open the submitted file", err)
	}
	defer body.Close()
	sum, err := hashAll(sha256.New(), beat.watching(body))
	if err != nil {
		return "", storeFailed(ctx, "read "+in.Upload, err)
	}
	return sum, nil
}

func recordsDigest(in collection.SubmissionInput) (string, error) {
	sum, err := collection.RecordsDigest(in.Records)
	if err != nil {
		return "", finalf(collection.ReasonSubmissionInvalid, "%w", err)
	}
	return sum, nil
}

// hashAll is the hex digest of what is left of a stream.
func hashAll(sum hash.Hash, r io.Reader) (string, error) {
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
