package starter

import (
	"context"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// errNoIndex says that a submission was planned by a version that wrote no index.
var errNoIndex = errors.New("no index")

// maxIndex bounds an index that has to be read as a whole, in bytes: 4.7 million records.
const maxIndex = 64 << 20

// locate finds the batch of the first of some records that the plan has; nil when it has none of them. It reads a part of
// the index for each: 9 KiB of one of 40,000 records, 33 KiB of one of 500,000.
func (c *Client) locate(ctx context.Context, plan collection.PlanResult, records []string) (*Cursor, error) {
	key := collection.IndexKey(plan.Submission)
	if plan.Accepted == 0 {
		return nil, nil
	}
	for _, record := range records {
		from, to := collection.IndexWindow(plan.Accepted, record)
		if to <= from {
			continue
		}
		part, err := c.store.GetRange(ctx, collection.ObjectRange{
			Key: key, Offset: int64(from) * collection.IndexEntrySize, Length: int64(to-from) * collection.IndexEntrySize,
		})
		if errors.Is(err, collection.ErrObjectMissing) {
			return nil, errNoIndex
		}
		if err != nil {
			return nil, fmt.Errorf("read the index %s: %w", key, err)
		}
		entry, ok, sure := collection.FindInIndex(part, record, from == 0, to == plan.Accepted)
		if !sure {
			if entry, ok, err = c.findInWhole(ctx, key, record); err != nil {
				return nil, err
			}
		}
		if ok && entry.Source < len(plan.Sources) {
			return &Cursor{Source: plan.Sources[entry.Source].Source, Part: entry.Batch}, nil
		}
	}
	return nil, nil
}

// findInWhole looks through all of an index, for the record in millions that is not where its digest says.
func (c *Client) findInWhole(ctx context.Context, key, record string) (collection.IndexEntry, bool, error) {
	index, err := c.store.Get(ctx, key, maxIndex)
	if err != nil {
		return collection.IndexEntry{}, false, fmt.Errorf("read the index %s: %w", key, err)
	}
	entry, ok, _ := collection.FindInIndex(index, record, true, true)
	return entry, ok, nil
}
