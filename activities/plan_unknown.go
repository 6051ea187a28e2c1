package activities

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// While a configuration is rolled out, some workers know a customer or a source and others do not yet, and any of them may be
// given the plan. What this worker does not know is called unknown only when another worker would not know it either: of
// sources the fleet can be asked, of customers time must tell.

// Fleet tells which sources the workers collect from.
type Fleet interface {
	// Table is every source's row, as the owner of the ceilings tells it. ErrUnknownToEngine says that there is no owner yet,
	// and so nobody who collects.
	Table(ctx context.Context) ([]lease.SourceView, error)
}

const (
	// rolloutTime is how long a configuration may take to reach every worker, from the acceptance of a submission on.
	rolloutTime = 10 * time.Minute
	// rolloutAttempts are made however old a submission is: it may have waited for its first worker.
	rolloutAttempts = 6
	// tableTimeout bounds the question to the owner of the ceilings; it is less than the silence that loses a worker its task.
	tableTimeout = 5 * time.Second
)

// rollingOut says whether a worker with a newer configuration may still come.
func rollingOut(ctx context.Context, acceptedAt time.Time) bool {
	info := activity.GetInfo(ctx)
	return info.Attempt < rolloutAttempts || info.StartedTime.Before(acceptedAt.Add(rolloutTime))
}

// leftToOthers lets another worker try.
func leftToOthers(format string, args ...any) error {
	return transient(collection.ReasonLeaseLost, around(unknownHereRetry, rand.Float64()), collection.AttemptFailure{Detail: fmt.Sprintf(format, args...)}, nil)
}

// customer is who submits.
func (p *Planner) customer(ctx context.Context, in collection.PlanInput) (collection.Customer, error) {
	name := in.Request.Customer
	customer, ok := p.Directory.Customer(name)
	switch {
	case ok:
		return customer, nil
	case rollingOut(ctx, in.AcceptedAt):
		return customer, leftToOthers("customer %q is not in this worker's configuration; until %s after the submission was accepted a worker that knows it may take over",
			name, collection.Duration(rolloutTime))
	}
	return customer, finalf(collection.ReasonCustomerUnknown, "customer %q is not in the configuration: add it under customers", name)
}

// knowsDefault checks the source of rows that name none.
func (p *Planner) knowsDefault(ctx context.Context, in collection.PlanInput) error {
	name := in.Request.Source
	if _, ok := p.Directory.Source(name); ok || name == "" {
		return nil
	}
	if doubt := p.outdated(ctx); doubt != "" && rollingOut(ctx, in.AcceptedAt) {
		return leftToOthers("source %q is not in this worker's configuration: %s", name, doubt)
	}
	return finalf(collection.ReasonSourceUnknown, "source %q is not in the configuration: add it under sources", name)
}

// outdated says why other workers may know sources that this one does not; empty if they do not.
func (p *Planner) outdated(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, tableTimeout)
	defer cancel()
	rows, err := p.Fleet.Table(ctx)
	switch {
	case errors.Is(err, ErrUnknownToEngine):
		return ""
	case err != nil:
		return fmt.Sprintf("whether other workers know more sources cannot be asked: %v", err)
	}
	var more []string
	for _, r := range rows {
		if _, ok := p.Directory.Source(r.Source); !ok && hasWorker(rows, r.Source) {
			more = append(more, r.Source)
		}
	}
	if len(more) == 0 {
		return ""
	}
	slices.Sort(more)
	const shown = 3
	return fmt.Sprintf("other workers collect from %d sources that it does not know (%s)", len(more), shownNames(more, shown))
}

func shownNames(names []string, most int) string {
	text := ""
	for i, name := range names {
		switch {
		case i == most:
			return text + ", ..."
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}

// unknownRow is a row whose source this worker does not know. The fleet is asked once for all of them.
func (w *planWriter) unknownRow(ctx context.Context, row collection.FailureRow) error {
	if w.unknownRows++; w.unknownRows == 1 {
		w.doubt = w.outdated(ctx)
	}
	if w.doubt != "" && rollingOut(ctx, w.in.AcceptedAt) {
		return leftToOthers("line %d: %s; %s, and one of them may take over", row.Line, row.Detail, w.doubt)
	}
	return nil
}

// noteDoubt says that rows were refused which somebody else may have known.
func (w *planWriter) noteDoubt(plan *collection.PlanResult) {
	if w.doubt == "" {
		return
	}
	plan.Notes = append(plan.Notes, fmt.Sprintf("%d rows of unknown sources were refused, and another worker might have known them: %s. "+
		"Give all workers one configuration, and submit these rows again", w.unknownRows, w.doubt))
}
