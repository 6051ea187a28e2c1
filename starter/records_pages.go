package starter

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// Cursor is a place in the list of a submission's rows. The zero value is its beginning. A place is found without reading
// what stands before it, and stays the same for as long as the submission is there.
type Cursor struct {
	// Source and Part name a batch; an empty Source means a part of the rows that never became records.
	Source string
	Part   int
	// Row counts the part's rows from 0, those of other outcomes included.
	Row int
}

// noSource stands for the rows that belong to no batch where a cursor is written. No source is called so.
const noSource = "-"

// String is the cursor as ParseCursor reads it; empty for the beginning.
func (c Cursor) String() string {
	if c == (Cursor{}) {
		return ""
	}
	source := c.Source
	if source == "" {
		source = noSource
	}
	return fmt.Sprintf("%s/%d/%d", source, c.Part, c.Row)
}

// ParseCursor reads a cursor: SOURCE/PART, or SOURCE/PART/ROW.
func ParseCursor(text string) (Cursor, error) {
	if text == "" {
		return Cursor{}, nil
	}
	parts := strings.Split(text, "/")
	if len(parts) == 2 {
		parts = append(parts, "0")
	}
	wrong := fmt.Errorf("place %q: write SOURCE/PART or SOURCE/PART/ROW, for instance bookshop/7/120", text)
	if len(parts) != 3 {
		return Cursor{}, wrong
	}
	c := Cursor{Source: parts[0]}
	var errPart, errRow error
	c.Part, errPart = strconv.Atoi(parts[1])
	c.Row, errRow = strconv.Atoi(parts[2])
	if errPart != nil || errRow != nil || c.Part < 1 || c.Row < 0 {
		return Cursor{}, wrong
	}
	if c.Source == noSource {
		c.Source = ""
	} else if err := collection.CheckName("source", c.Source); err != nil {
		return Cursor{}, wrong
	}
	return c, nil
}

// Page is what one object of a submission holds: a part of the ledger, or of the plan while its batch runs.
type Page struct {
	// Rows are those that the filter takes, and At the places where they stand.
	Rows []collection.LedgerRow
	At   []Cursor
	// Next is where the next page begins; the zero value after the last.
	Next Cursor
	// Pending is how many rows of the part are told as pending, whatever the filter takes, because their batch still runs; Ended
	// is how many of these have ended all the same, otherwise than as dead letters.
	Pending, Ended int
}

// Pages lists rows as Records does, one stored object at a time, from a place on. Whatever the size of the submission, a page
// takes one read, the first also that of the plan, and no more memory than it holds.
func (c *Client) Pages(ctx context.Context, id string, f Filter, from Cursor) iter.Seq2[Page, error] {
	return c.pages(ctx, id, f, from, true)
}

// pages is Pages; live says whether the engine is asked for records whose batch still runs.
func (c *Client) pages(ctx context.Context, id string, f Filter, from Cursor, live bool) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		plan, err := c.planned(ctx, id)
		if err != nil {
			yield(Page{}, err)
			return
		}
		parts := partsOf(plan, f)
		begin, err := find(parts, from)
		if err != nil {
			yield(Page{}, fmt.Errorf("submission %s %w", id, err))
			return
		}
		reader := c.rows(plan)
		reader.live = live
		for i := begin; i < len(parts); i++ {
			rows, err := reader.part(ctx, parts[i])
			if err != nil {
				yield(Page{}, err)
				return
			}
			first := 0
			if i == begin {
				first = min(from.Row, len(rows))
			}
			page := pageOf(parts[i], rows, first, f)
			if i+1 < len(parts) {
				page.Next = parts[i+1]
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}

// partsOf lists where the parts of a plan begin that may hold rows for a filter.
func partsOf(plan collection.PlanResult, f Filter) []Cursor {
	var parts []Cursor
	for n := 1; n <= plan.RejectedParts; n++ {
		parts = append(parts, Cursor{Part: n})
	}
	for _, src := range plan.Sources {
		if f.Source != "" && f.Source != src.Source {
			continue
		}
		for _, batch := range src.Batches {
			parts = append(parts, Cursor{Source: src.Source, Part: batch.Number})
		}
	}
	return parts
}

func find(parts []Cursor, from Cursor) (int, error) {
	if from == (Cursor{}) {
		return 0, nil
	}
	at := slices.Index(parts, Cursor{Source: from.Source, Part: from.Part})
	if at < 0 {
		return 0, fmt.Errorf("has no place %s among the rows that are asked for: %w", from, ErrNotFound)
	}
	return at, nil
}

func pageOf(part Cursor, rows []collection.LedgerRow, first int, f Filter) Page {
	var page Page
	for _, row := range rows {
		if row.Outcome == OutcomePending {
			page.Pending++
			if row.Detail == endedUnbooked {
				page.Ended++
			}
		}
	}
	for i := first; i < len(rows); i++ {
		if f.takes(rows[i]) {
			page.Rows = append(page.Rows, rows[i])
			page.At = append(page.At, Cursor{Source: part.Source, Part: part.Part, Row: i})
		}
	}
	return page
}
