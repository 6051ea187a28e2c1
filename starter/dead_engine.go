package starter

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// maxDead bounds what is held of the engine's list.
const maxDead = 500_000

// deadOfEngine lists the records whose workflows have failed, submission by submission, as far as they still are dead. A
// submission that the store does not tell of keeps no other from being listed: the engine's word stands for it, with a note.
func (c *Client) deadOfEngine(ctx context.Context, f DeadFilter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		letters, err := c.failedRecords(ctx, f)
		if err != nil {
			yield(DeadLetter{}, err)
			return
		}
		var wait deadWaiting
		for of := range chunks(letters) {
			dead, err := c.deadOf(ctx, f, of)
			if err == nil || isOfOne(ctx, err) {
				dead, err = wait.take(dead, err)
			}
			if err != nil {
				yield(DeadLetter{}, err)
				return
			}
			for _, l := range dead {
				if !yield(l, nil) {
					return
				}
			}
		}
		if wait.failed != nil {
			yield(DeadLetter{}, wait.failed)
		}
	}
}

// chunks cuts a sorted list into those of one submission each.
func chunks(letters []DeadLetter) iter.Seq[[]DeadLetter] {
	return func(yield func([]DeadLetter) bool) {
		for start := 0; start < len(letters); {
			end := start + 1
			for end < len(letters) && letters[end].Submission == letters[start].Submission {
				end++
			}
			if !yield(letters[start:end]) {
				return
			}
			start = end
		}
	}
}

// failedRecords are the latest failed runs of records, sorted by submission and record.
func (c *Client) failedRecords(ctx context.Context, f DeadFilter) ([]DeadLetter, error) {
	query, err := f.query()
	if err != nil {
		return nil, err
	}
	if err := c.contact.Make(ctx); err != nil {
		return nil, fmt.Errorf("list the dead letters: %w", err)
	}
	latest := map[string]DeadLetter{}
	for info, err := range engine.Runs(ctx, c.engine, engine.Search{Namespace: c.namespace, Query: query}) {
		if err != nil {
			return nil, fmt.Errorf("list the dead letters: %w", err)
		}
		l, ok := ofWorkflow(info)
		if known, twice := latest[info.GetExecution().GetWorkflowId()]; ok && (!twice || known.Since.Before(*l.Since)) {
			latest[info.GetExecution().GetWorkflowId()] = l
		}
		if len(latest) > maxDead {
			return nil, fmt.Errorf("there are more than %d dead letters: ask by submission, source or reason", maxDead)
		}
	}
	letters := make([]DeadLetter, 0, len(latest))
	for _, l := range latest {
		letters = append(letters, l)
	}
	slices.SortFunc(letters, func(a, b DeadLetter) int {
		return cmp.Or(cmp.Compare(a.Submission, b.Submission), cmp.Compare(a.Record, b.Record))
	})
	return letters, nil
}

// query is the filter in the engine's words. Names are checked: they stand in it between quotes.
func (f DeadFilter) query() (string, error) {
	terms := []string{fmt.Sprintf("WorkflowType = %q AND ExecutionStatus = 'Failed'", collection.WorkflowRecord)}
	if f.Submission != "" {
		if err := collection.CheckSubmissionID(f.Submission); err != nil {
			return "", err
		}
		terms = append(terms, fmt.Sprintf("WorkflowId STARTS_WITH %q", f.Submission+"/"))
	}
	var customers, reasons []string
	if f.Customer != "" {
		customers = []string{f.Customer}
	}
	for _, r := range f.Select.Reasons {
		reasons = append(reasons, string(r))
	}
	for _, term := range []struct {
		attribute string
		values    []string
	}{
		{collection.AttributeCustomer, customers}, {collection.AttributeSource, f.Select.Sources}, {collection.AttributeReason, reasons},
	} {
		if len(term.values) == 0 {
			continue
		}
		quoted := make([]string, len(term.values))
		for i, v := range term.values {
			if err := collection.CheckName("name", v); err != nil {
				return "", err
			}
			quoted[i] = fmt.Sprintf("%q", v)
		}
		terms = append(terms, fmt.Sprintf("%s IN (%s)", term.attribute, strings.Join(quoted, ", ")))
	}
	return strings.Join(terms, " AND "), nil
}

func ofWorkflow(info *workflowpb.WorkflowExecutionInfo) (DeadLetter, bool) {
	submission, record, ok := strings.Cut(info.GetExecution().GetWorkflowId(), "/")
	since := info.GetCloseTime().AsTime()
	return DeadLetter{
		Submission: submission, Record: record, Source: engine.Keyword(info, collection.AttributeSource),
		Customer: engine.Keyword(info, collection.AttributeCustomer), Reason: collection.Reason(engine.Keyword(info, collection.AttributeReason)),
		Since: &since, Ground: "engine",
	}, ok && collection.IsRecordID(record)
}
