package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weir-collect/weir/collection"
)

// recordsNamed are the ids that names of records have in a submission: a key or a URL is one in each source of the plan. When
// these are more than a replay takes, the plan's index says which of them there are.
func (c *Client) recordsNamed(ctx context.Context, plan collection.PlanResult, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var ids []string
	for _, name := range names {
		ids = append(ids, idsIn(plan, name)...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > collection.MaxReplayRecords {
		var err error
		if ids, err = c.indexed(ctx, plan, ids); err != nil {
			return nil, err
		}
	}
	switch n := len(ids); {
	case n == 0:
		// Without any name all dead letters would be meant.
		return nil, fmt.Errorf("submission %s has none of the records that are listed: %w", plan.Submission, ErrNotFound)
	case n > collection.MaxReplayRecords:
		return nil, fmt.Errorf("the %d names in the list are %d records in the sources of %s, more than %d: cut the list, or name the records by id",
			len(names), n, plan.Submission, collection.MaxReplayRecords)
	}
	return ids, nil
}

// idsIn are the ids that the name of a record may have in a submission.
func idsIn(plan collection.PlanResult, name string) []string {
	if collection.IsRecordID(name) {
		return []string{name}
	}
	var ids []string
	for _, src := range plan.Sources {
		ids = append(ids, idsOf(src.Source, name)...)
	}
	return ids
}

// Unlisted are those of some names, by id, key or URL, that are no record of a submission. None are told where nobody can say
// so, since its plan was made without an index.
func (c *Client) Unlisted(ctx context.Context, submission string, names []string) ([]string, error) {
	plan, err := c.planned(ctx, submission)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
		all = append(all, idsIn(plan, name)...)
	}
	known, err := c.indexed(ctx, plan, all)
	if err != nil {
		return nil, err
	}
	slices.Sort(known)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(idsIn(plan, name), func(id string) bool {
			_, is := slices.BinarySearch(known, id)
			return is
		})
	}), nil
}

// indexed leaves of some ids those that the plan has; all of them where it was made without an index.
func (c *Client) indexed(ctx context.Context, plan collection.PlanResult, ids []string) ([]string, error) {
	key := collection.IndexKey(plan.Submission)
	index, err := c.store.Get(ctx, key, maxIndex)
	if errors.Is(err, collection.ErrObjectMissing) {
		return ids, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index %s: %w", key, err)
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		_, ok, _ := collection.FindInIndex(index, id, true, true)
		return !ok
	}), nil
}
