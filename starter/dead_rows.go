package starter

import (
	"context"
	"errors"

	"github.com/weir-collect/weir/collection"
)

// withRows adds to the dead letters of one submission what their rows tell: line, key, and where the bytes are. It reads a
// part of the index and a batch for each, and every batch once. What is not kept any more is left out, and with an error they
// come as far as they are known.
func (c *Client) withRows(ctx context.Context, letters []DeadLetter) ([]DeadLetter, error) {
	if len(letters) == 0 {
		return letters, nil
	}
	plan, err := c.plan(ctx, letters[0].Submission)
	if errors.Is(err, ErrNotFound) {
		return letters, nil
	}
	if err != nil {
		return letters, err
	}
	wanted := make(map[string]*DeadLetter, len(letters))
	for i := range letters {
		if letters[i].Key == "" {
			wanted[letters[i].Record] = &letters[i]
		}
	}
	reader := c.rows(plan)
	for _, l := range letters {
		if wanted[l.Record] == nil {
			continue
		}
		at, err := c.locate(ctx, plan, []string{l.Record})
		if errors.Is(err, errNoIndex) {
			return letters, reader.fillAll(ctx, wanted)
		}
		if err == nil && at != nil {
			err = reader.fill(ctx, *at, wanted)
		}
		if err != nil {
			return letters, err
		}
		delete(wanted, l.Record)
	}
	return letters, nil
}

// fillAll looks through the rows of a submission that was planned without an index.
func (r *rowReader) fillAll(ctx context.Context, wanted map[string]*DeadLetter) error {
	for _, at := range partsOf(r.plan, Filter{}) {
		if len(wanted) == 0 || at.Source == "" {
			continue
		}
		if err := r.fill(ctx, at, wanted); err != nil {
			return err
		}
	}
	return nil
}

// fill takes what a batch's rows tell, and those that it has found out of wanted.
func (r *rowReader) fill(ctx context.Context, at Cursor, wanted map[string]*DeadLetter) error {
	rows, err := r.part(ctx, at)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, row := range rows {
		l := wanted[row.Record]
		if l == nil {
			continue
		}
		l.Line, l.Key = row.Line, row.Key
		if row.Raw != nil {
			l.Raw = row.Raw.Key
		}
		delete(wanted, row.Record)
	}
	return nil
}
