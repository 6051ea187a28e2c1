package cli

import (
	"context"
	"fmt"
	"iter"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/promise"
	"github.com/weir-collect/weir/starter"
)

// fakePast is what a fakeClient tells of the past, and what it was asked of it.
type fakePast struct {
	book     *promise.Book
	measured starter.Measured
	covered  starter.Coverage
	sample   starter.Sample
	bodies   map[string][]byte
	fields   map[string]map[string]any

	window starter.Window
	n      int
	seed   uint64
	from   starter.Cursor
	// pageRows is how many rows a page has; all of them where it is zero.
	pageRows int
	// pending and ended are what the first page says of batches that still run.
	pending, ended int
}

func (f *fakeClient) Waits(_ context.Context, w starter.Window, progress func(starter.Coverage)) (*promise.Book, starter.Coverage, error) {
	f.past.window = w
	progress(f.past.covered)
	return f.past.book, f.coverage(w), f.err
}

func (f *fakeClient) Measured(_ context.Context, w starter.Window, progress func(starter.Coverage)) (starter.Measured, error) {
	f.past.window = w
	progress(f.past.covered)
	m := f.past.measured
	m.Coverage = f.coverage(w)
	return m, f.err
}

func (f *fakeClient) coverage(w starter.Window) starter.Coverage {
	covered := f.past.covered
	covered.Since, covered.Until = w.Since, w.Until
	return covered
}

func (f *fakeClient) Sample(_ context.Context, _ string, filter starter.Filter, n int, seed uint64) (starter.Sample, error) {
	f.filter, f.past.n, f.past.seed = filter, n, seed
	return f.past.sample, f.err
}

func (f *fakeClient) Captured(_ context.Context, raw collection.Raw) ([]byte, error) {
	body, ok := f.past.bodies[raw.Key]
	if !ok {
		return nil, fmt.Errorf("the captured body is not kept any more: %s: %w", raw.Key, starter.ErrNotFound)
	}
	return body, nil
}

func (f *fakeClient) Document(_ context.Context, d collection.Delivered) (collection.DeliveredDocument, error) {
	fields, ok := f.past.fields[d.Key]
	if !ok {
		return collection.DeliveredDocument{}, fmt.Errorf("the delivered document is not kept any more: %s: %w", d.Key, starter.ErrNotFound)
	}
	return collection.DeliveredDocument{Fields: fields}, nil
}

func (f *fakeClient) Pages(_ context.Context, _ string, filter starter.Filter, from starter.Cursor) iter.Seq2[starter.Page, error] {
	f.filter, f.past.from = filter, from
	return func(yield func(starter.Page, error) bool) {
		rows, part := f.rows, 1
		if f.past.pending > 0 && !yield(starter.Page{Pending: f.past.pending, Ended: f.past.ended}, nil) {
			return
		}
		for len(rows) > 0 {
			n := len(rows)
			if f.past.pageRows > 0 {
				n = min(f.past.pageRows, n)
			}
			page := starter.Page{Rows: rows[:n]}
			for i := range n {
				page.At = append(page.At, starter.Cursor{Source: "bookshop", Part: part, Row: i})
			}
			part++
			if rows = rows[n:]; len(rows) > 0 {
				page.Next = starter.Cursor{Source: "bookshop", Part: part}
			}
			if !yield(page, nil) {
				return
			}
		}
		if f.err != nil {
			yield(starter.Page{}, f.err)
		}
	}
}
