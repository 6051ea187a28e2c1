package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weir-collect/weir/collection"
)

// storedStatus tells what the plan and the manifest say. How its workflow ended, if nobody better is there to tell, the sweep
// has kept.
func (c *Client) storedStatus(ctx context.Context, id string, ended teller) (collection.SubmissionStatus, error) {
	plan, err := c.plan(ctx, id)
	if errors.Is(err, ErrNotFound) {
		if end, kept, endErr := c.keptEnd(ctx, id); endErr != nil || kept {
			return end, endErr
		}
	}
	if err != nil {
		return collection.SubmissionStatus{}, err
	}
	status := collection.SubmissionStatus{
		Submission: id, Customer: plan.Customer, State: collection.StateProcessing, Lane: plan.Lane,
		AcceptedAt: plan.AcceptedAt, Expected: plan.Expected, Notes: plan.Notes, Outcomes: collection.Tally{},
	}
	manifest, raw, err := c.manifest(ctx, plan)
	if errors.Is(err, collection.ErrObjectMissing) {
		end, kept, endErr := c.keptEnd(ctx, id)
		// That of a submission before under the same id says nothing of this one.
		if endErr != nil || kept && !collection.BeforeLife(plan.AcceptedAt, end.AcceptedAt) {
			return end, endErr
		}
		there := "no manifest"
		if former := (formerError{}); errors.As(err, &former) {
			there += " of it (" + former.Error() + ")"
		}
		status.Notes = append(status.Notes, "there is a plan but "+there+", and the engine does not know the submission any more: start it again under the same id")
		return status, nil
	}
	if err != nil {
		return status, err
	}
	status.State, status.Outcomes = manifest.State, manifest.Outcomes
	if manifest.Generation > 1 {
		status.Notes = append(slices.Clip(status.Notes), fmt.Sprintf(
			"its manifest is generation %d: it was settled again after its workflow had ended, for instance by a replay", manifest.Generation))
	}
	status.Result = &collection.SubmissionResult{
		State: manifest.State, Expected: manifest.Expected, Outcomes: manifest.Outcomes,
		Manifest: collection.ManifestKey(plan.Customer, id), ManifestSHA256: collection.Digest(raw),
		Breaches: collection.BreachesShown(manifest.Checks), Tolerance: manifest.Tolerance,
	}
	for _, s := range manifest.Sources {
		status.Sources = append(status.Sources, collection.SourceProgress{
			Source: s.Source, Records: s.Expected, Released: s.Expected, Outcomes: s.Outcomes,
		})
	}
	return status, c.shippedStatus(ctx, plan, &status, ended)
}

// forgotten tells a submission's end as the sweep has kept it.
func (c *Client) forgotten(id string) teller {
	return func(ctx context.Context) (collection.SubmissionStatus, bool, error) { return c.keptEnd(ctx, id) }
}

// keptEnd is how a submission ended that left no manifest, or whose delivery was not shipped, as the sweep has kept it. It may be
// one before under the same id.
func (c *Client) keptEnd(ctx context.Context, id string) (status collection.SubmissionStatus, kept bool, err error) {
	end, err := documentIfThere[collection.SubmissionStatus](ctx, c.store, collection.EndKey(id), maxDocument)
	if err != nil || end == nil {
		return status, false, err
	}
	if end.Outcomes == nil {
		end.Outcomes = collection.Tally{}
	}
	return *end, true, nil
}
