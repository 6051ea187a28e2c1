package starter

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// claim is what somebody wants an id to be of.
type claim struct {
	id     string
	origin collection.Origin
	// derived says that the id follows from the content.
	derived bool
}

// originOf is where a submission comes from; fileDigest is that of its file, if it has one.
func originOf(in collection.SubmissionInput, fileDigest string) (collection.Origin, error) {
	if in.Upload == "" {
		var err error
		if fileDigest, err = collection.RecordsDigest(in.Records); err != nil {
			return collection.Origin{}, fmt.Errorf("the submission cannot be accepted: %w", err)
		}
	}
	content := collection.ContentOf(in, fileDigest)
	return collection.Origin{Customer: in.Customer, Content: &content}, nil
}

// checkSame compares a submission with the one that had its id before: two callers may mean different things by one id. A file's
// name is of no account where its digest is known.
func (c *Client) checkSame(ctx context.Context, w claim, described *workflowservice.DescribeWorkflowExecutionResponse) error {
	before, known, err := c.originBefore(ctx, w.id, described)
	if err != nil {
		return fmt.Errorf("look what submission %s is of: %w", w.id, err)
	}
	if !known {
		return nil
	}
	if w.derived && before.Content != nil && before.Content.SHA256 == "" {
		// Its file is gone, or the store keeps no digest of it. The id says what the name would not.
		before.Content = nil
	}
	return collection.CheckSame(w.id, before, w.origin)
}

// originBefore is where the submission of an id comes from, by its plan, else by what its workflow was started with. A plan
// of before contents were kept says whose it is; the workflow's word counts besides if it is of the same customer. What ended
// without a plan has collected nothing, and binds nobody.
func (c *Client) originBefore(ctx context.Context, id string, described *workflowservice.DescribeWorkflowExecutionResponse) (before collection.Origin, known bool, err error) {
	plan, err := c.plan(ctx, id)
	planned := !errors.Is(err, ErrNotFound)
	switch {
	case planned && err != nil:
		return before, false, err
	case planned && (plan.Content != nil || described == nil):
		return plan.Origin(), true, nil
	case !planned && (described == nil || !stands(described)):
		return before, false, nil
	}
	in, err := startInput[collection.SubmissionInput](ctx, c, id, described.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	switch {
	case planned && (engine.IsUnknown(err) || err == nil && in.Customer != plan.Customer):
		return plan.Origin(), true, nil
	case err != nil:
		return before, false, err
	}
	sum, err := c.uploadDigest(ctx, in.Upload)
	if err == nil {
		before, err = originOf(in, sum)
	}
	return before, err == nil, err
}

// header is a Store that knows the digests of its objects.
type header interface {
	Head(ctx context.Context, key string) (collection.ObjectInfo, error)
}

// uploadDigest is the digest of an uploaded file; empty where the store has none, or the file not any more.
func (c *Client) uploadDigest(ctx context.Context, key string) (string, error) {
	store, ok := c.store.(header)
	if !ok || key == "" {
		return "", nil
	}
	info, err := store.Head(ctx, key)
	if errors.Is(err, collection.ErrObjectMissing) {
		return "", nil
	}
	return info.SHA256, err
}
