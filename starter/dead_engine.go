package starter

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/weir-collect/weir/collection"
)

const (
	// deadPage is how many workflows are listed with one call.
	deadPage = 1000
	// maxDead bounds what is held of the engine's list.
	maxDead = 500_000
)

// deadOfEngine lists the records whose workflows have failed, submission by submission, as far as they still are dead.
func (c *Client) deadOfEngine(ctx context.Context, f DeadFilter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		letters, err := c.failedRecords(ctx, f)
		if err != nil {
			yield(DeadLetter{}, err)
			return
		}
		for of := range chunks(letters) {
			dead, err := c.confirmed(ctx, f, of)
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
	latest := map[string]DeadLetter{}
	request := &workflowservice.ListWorkflowExecutionsRequest{Namespace: c.namespace, PageSize: deadPage, Query: query}
	for {
		page, err := c.engine.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list the dead letters: %w", err)
		}
		for _, info := range page.GetExecutions() {
			l, ok := ofWorkflow(info)
			if known, twice := latest[info.GetExecution().GetWorkflowId()]; ok && (!twice || known.Since.Before(*l.Since)) {
				latest[info.GetExecution().GetWorkflowId()] = l
			}
		}
		if len(latest) > maxDead {
			return nil, fmt.Errorf("there are more than %d dead letters: ask by submission, source or reason", maxDead)
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			break
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
	fields := info.GetSearchAttributes().GetIndexedFields()
	keyword := func(name string) (value string) {
		if payload := fields[name]; payload != nil {
			// One that cannot be read is as good as none.
			_ = converter.GetDefaultDataConverter().FromPayload(payload, &value)
		}
		return value
	}
	return DeadLetter{
		Submission: submission, Record: record, Source: keyword(collection.AttributeSource),
		Customer: keyword(collection.AttributeCustomer), Reason: collection.Reason(keyword(collection.AttributeReason)),
		Since: &since, Ground: "engine",
	}, ok && collection.IsRecordID(record)
}
