package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
)

// planWriter collects the rows of one plan.
type planWriter struct {
	*Planner
	in       collection.PlanInput
	customer collection.Customer
	resolve  rowResolver
	seen     map[string]struct{}
	batches  map[string]*batchWriter
	rejected rejectedWriter
	rows     int
	// unknownRows counts rows of unknown sources, and doubt says why others may know them.
	unknownRows int
	doubt       string
	// digest is that of what was submitted.
	digest func(context.Context) (string, error)
	// beat is told how far the rows have been read.
	beat *planBeat
}

func newPlanWriter(p *Planner, in collection.PlanInput, customer collection.Customer, rows rowSource, beat *planBeat) *planWriter {
	return &planWriter{
		Planner: p, in: in, customer: customer,
		resolve: rowResolver{
			directory: p.Directory, check: p.CheckRequest, fallback: in.Request.Source, customer: in.Request.Customer,
		},
		seen:     map[string]struct{}{},
		batches:  map[string]*batchWriter{},
		rejected: rejectedWriter{store: p.Store, submission: in.Submission},
		beat:     beat,
		digest:   rows.digest,
	}
}

func (w *planWriter) readAll(ctx context.Context, rows rowSource) error {
	for {
		row, err := rows.reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var bad *intake.RowError
		if err != nil && !errors.As(err, &bad) {
			return unreadable(ctx, rows.name, err)
		}
		w.rows++
		w.beat.reached(rows.reader.Position())
		if bad != nil {
			err = w.rejected.add(ctx, collection.FailureRow{
				Line: bad.Line, Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Detail: bad.Reason,
			})
		} else {
			err = w.take(ctx, row)
		}
		if err != nil {
			return err
		}
	}
}

// take turns one row into a record of a batch, or rejects it.
func (w *planWriter) take(ctx context.Context, row intake.Row) error {
	source, record, refusal := w.resolve.record(row)
	if refusal != nil {
		if refusal.Reason == collection.ReasonSourceUnknown {
			if err := w.unknownRow(ctx, *refusal); err != nil {
				return err
			}
		}
		return w.rejected.add(ctx, *refusal)
	}
	if _, twice := w.seen[record.ID]; twice {
		return w.rejected.add(ctx, collection.FailureRow{
			Line: record.Line, Key: collection.Clip(record.Key, collection.MaxKeyShown), Source: source, Record: record.ID,
			Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate,
			Detail: "an earlier row names the same record",
		})
	}
	w.seen[record.ID] = struct{}{}
	b := w.batches[source]
	if b == nil {
		b = &batchWriter{store: w.Store, submission: w.in.Submission, source: source, limit: w.BatchRecords}
		w.batches[source] = b
	}
	return b.add(ctx, record)
}

// maxBatches keeps a submission's history well under the engine's limit of 51,200 events: a batch costs it some ten.
const maxBatches = 3_000

func (w *planWriter) finish(ctx context.Context) (collection.PlanResult, error) {
	if w.rows == 0 {
		return collection.PlanResult{}, finalf(collection.ReasonSubmissionEmpty,
			"the submission holds no rows: nothing was collected")
	}
	plan, err := w.outline(ctx)
	if err != nil {
		return plan, err
	}
	for _, b := range w.batches {
		if err := b.flush(ctx); err != nil {
			return plan, err
		}
		src, _ := w.Directory.Source(b.source)
		plan.Accepted += b.records
		plan.Sources = append(plan.Sources, collection.SourcePlan{
			Source: b.source, Records: b.records, Batches: b.done, Policy: src.Policy(w.HeartbeatTimeout),
		})
	}
	if n := batchCount(plan); n > maxBatches {
		return collection.PlanResult{}, finalf(collection.ReasonSubmissionInvalid,
			"the submission makes %d batches, and one workflow can follow %d: split the file, or raise worker.batch_records", n, maxBatches)
	}
	slices.SortFunc(plan.Sources, func(a, b collection.SourcePlan) int { return strings.Compare(a.Source, b.Source) })
	if err := w.rejected.flush(ctx); err != nil {
		return plan, err
	}
	plan.RejectedParts = w.rejected.parts
	planDelivery(&plan, w.customer, w.Directory)
	if err := w.storeIndex(ctx, plan); err != nil {
		return plan, err
	}
	body, err := json.Marshal(plan)
	if err != nil {
		return plan, fmt.Errorf("encode the plan: %w", err)
	}
	if _, err := w.Store.Put(ctx, collection.PlanKey(plan.Submission), body, typeJSON); err != nil {
		return plan, storeFailed(ctx, "store the plan", err)
	}
	for _, c := range plan.Rejected {
		for range c.Records {
			w.Metrics.RecordEnded("", c.Outcome, c.Reason)
		}
	}
	return plan, nil
}

// outline is the plan without its records.
func (w *planWriter) outline(ctx context.Context) (collection.PlanResult, error) {
	plan := collection.PlanResult{
		Submission: w.in.Submission, Customer: w.in.Request.Customer, AcceptedAt: w.in.AcceptedAt,
		Expected: w.rows, Rejected: w.rejected.tally, Sources: []collection.SourcePlan{}, Tolerate: w.in.Request.Tolerate,
		Weight: float32(w.customer.Weight),
	}
	sum, err := w.digest(ctx)
	if err != nil {
		return plan, err
	}
	content := collection.ContentOf(w.in.Request, sum)
	plan.Content = &content
	plan.Lane, plan.Notes = grantLane(w.customer, w.in.Request.Lane)
	w.noteDoubt(&plan)
	return plan, nil
}

func batchCount(plan collection.PlanResult) int {
	n := 0
	for _, s := range plan.Sources {
		n += len(s.Batches)
	}
	return n
}

// grantLane gives the asked lane if the customer may use it; the urgent lane stands above every other customer's work.
func grantLane(c collection.Customer, asked collection.Lane) (collection.Lane, []string) {
	if asked == "" {
		asked = collection.LaneNormal
	}
	if asked == collection.LaneNormal || c.Allows(asked) {
		return asked, nil
	}
	return collection.LaneNormal, []string{fmt.Sprintf(
		"lane %s was asked for, but customer %s may not use it: the submission runs in the normal lane", asked, c.Name)}
}
