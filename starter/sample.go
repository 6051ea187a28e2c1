package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/weir-collect/weir/collection"
)

// MaxSample is how many records a person may ask to see at once.
const MaxSample = 1000

// Sample is a few records of a submission, chosen by chance for a person to look at.
type Sample struct {
	Rows []collection.LedgerRow
	// Of is how many rows there were to choose from.
	Of int
	// Pending and Ended are those of all pages: rows whose batch still runs, and those of them that have ended all the same.
	Pending, Ended int
}

// Sample chooses n of the rows that a filter takes, each equally likely, in the order of the plan. The same seed chooses the
// same rows for as long as the ledger stays the same. It reads the whole ledger, a part at a time.
func (c *Client) Sample(ctx context.Context, id string, f Filter, n int, seed uint64) (Sample, error) {
	if n < 1 || n > MaxSample {
		return Sample{}, fmt.Errorf("a sample of %d records: use 1 to %d", n, MaxSample)
	}
	type chosen struct {
		place int
		row   collection.LedgerRow
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var kept []chosen
	out, seen := Sample{}, 0
	for row, err := range rowsOf(counted(c.Pages(ctx, id, f, Cursor{}), &out)) {
		if err != nil {
			return Sample{}, err
		}
		// The k-th row takes the place of a kept one with probability n/k, so that all of them end up equally likely.
		if len(kept) < n {
			kept = append(kept, chosen{seen, row})
		} else if at := random.IntN(seen + 1); at < n {
			kept[at] = chosen{seen, row}
		}
		seen++
	}
	slices.SortFunc(kept, func(a, b chosen) int { return a.place - b.place })
	out.Of = seen
	for _, k := range kept {
		out.Rows = append(out.Rows, k.row)
	}
	return out, nil
}

// counted adds up what pages say of batches that still run.
func counted(pages iter.Seq2[Page, error], into *Sample) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for page, err := range pages {
			into.Pending += page.Pending
			into.Ended += page.Ended
			if !yield(page, err) {
				return
			}
		}
	}
}

// Bounds of what is read of one record.
const (
	maxRawShown   = 64 << 20
	maxDocumented = 64 << 20
)

// Captured is a record's captured body; ErrNotFound where it is not kept any more.
func (c *Client) Captured(ctx context.Context, raw collection.Raw) ([]byte, error) {
	return c.kept(ctx, raw.Key, maxRawShown, "the captured body")
}

// Document is a record's document as it stands at the destination; ErrNotFound where it is not there any more.
func (c *Client) Document(ctx context.Context, d collection.Delivered) (collection.DeliveredDocument, error) {
	var document collection.DeliveredDocument
	body, err := c.kept(ctx, d.Key, maxDocumented, "the delivered document")
	if err != nil {
		return document, err
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return document, fmt.Errorf("read %s: %w", d.Key, err)
	}
	return document, nil
}

func (c *Client) kept(ctx context.Context, key string, limit int64, what string) ([]byte, error) {
	body, err := c.store.Get(ctx, key, limit)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, fmt.Errorf("%s is not kept any more: %s: %w", what, key, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return body, nil
}
