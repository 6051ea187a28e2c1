package doctor

import (
	"context"
	"fmt"
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/lease"
)

// asked is how many queues are asked about side by side.
const asked = 8

// workers looks at who polls. A source that takes no requests now is not polled, and need not be.
func (x *exam) workers(ctx context.Context, e *Engine) []Finding {
	queues := collection.StageQueues()
	for _, s := range x.Config.Sources {
		queues = append(queues, collection.StageQueue{Queue: collection.QueueCollect(s.Name), Role: collection.RoleCollect})
	}
	polled := make([]bool, len(queues))
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(asked)
	for i, q := range queues {
		group.Go(func() (err error) {
			polled[i], err = x.polled(asking, e, q)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return []Finding{warn(fmt.Sprintf("who polls cannot be seen from here: %v", err), "see weir sources, and that workers run")}
	}
	if !slices.Contains(polled, true) {
		return []Finding{fail("no worker runs: no queue is polled", "start one, which takes every role and every source: weir worker")}
	}
	rows, err := e.Table(ctx)
	found, gone := x.unpolled(queues, polled, openSources(rows)), x.gone(rows, err)
	if len(gone) > 0 {
		// That all is polled is no comfort then.
		found = slices.DeleteFunc(found, func(f Finding) bool { return f.Level == OK })
	}
	return append(found, gone...)
}

// unpolled says which queues are not polled, of which sources are closed. The sources' queues come last, in their order.
func (x *exam) unpolled(queues []collection.StageQueue, polled []bool, open map[string]bool) []Finding {
	var found []Finding
	var unpolled, closed []string
	stages := len(queues) - len(x.Config.Sources)
	for i, q := range queues {
		if polled[i] {
			continue
		}
		if q.Role != collection.RoleCollect {
			found = append(found, fail("nobody polls "+q.Queue, fmt.Sprintf("start a worker with the role %s: weir worker --role %[1]s", q.Role)))
			continue
		}
		source := x.Config.Sources[i-stages].Name
		if isOpen, known := open[source]; known && !isOpen {
			closed = append(closed, source)
		} else {
			unpolled = append(unpolled, source)
		}
	}
	if len(unpolled) > 0 {
		found = append(found, warn("nobody collects from "+list(unpolled),
			"start a worker with the role collect; with more workers than a source has permits, see weir sources for who holds them"))
	}
	if len(closed) > 0 {
		found = append(found, fine("closed, so not polled: %s; see weir sources", list(closed)))
	}
	if len(found) == 0 {
		found = append(found, fine("every queue was polled within two minutes, %d in all", len(queues)))
	}
	return found
}

func (x *exam) polled(ctx context.Context, e *Engine, q collection.StageQueue) (bool, error) {
	polled, err := engine.Polled(ctx, e.Service, engine.Queue{Namespace: e.Namespace, Name: q.Queue, Workflows: q.Workflows}, x.Now())
	if err != nil {
		return false, fmt.Errorf("queue %s: %w", q.Queue, err)
	}
	return polled, nil
}

// openSources says which sources take requests now; nothing where nobody answers, which the check owner says.
func openSources(rows []lease.SourceView) map[string]bool {
	open := make(map[string]bool, len(rows))
	for _, r := range rows {
		open[r.Source] = r.Open
	}
	return open
}

const startFleet = "start a worker with the role fleet, one at least at any time: weir worker"

// owner looks at the workflow that every permit comes from.
func (x *exam) owner(ctx context.Context, e *Engine) []Finding {
	answer, err := e.Service.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: e.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: collection.CeilingsID},
	})
	switch {
	case engine.IsUnknown(err):
		return []Finding{warn(collection.CeilingsID+" does not run yet, so nobody can have a permit", "start a worker: weir worker")}
	case err != nil:
		return []Finding{fail(fmt.Sprintf("%s: %v", collection.CeilingsID, err), "look into Temporal's log")}
	}
	if status := answer.GetWorkflowExecutionInfo().GetStatus(); status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return []Finding{fail(fmt.Sprintf("%s is %s, so nobody gets a permit", collection.CeilingsID, status),
			"start a worker, which starts it anew: weir worker; no request is made until old leases have run out")}
	}
	rows, err := e.Table(ctx)
	if err != nil {
		return []Finding{fail(fmt.Sprintf("%s runs, and does not answer: %v", collection.CeilingsID, err), startFleet)}
	}
	return x.leases(rows)
}

// leases says who holds any, and whether the fleet knows the configured sources.
func (x *exam) leases(rows []lease.SourceView) []Finding {
	holders, known := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		known[r.Source] = true
		for _, w := range r.Workers {
			if !x.lost(w) {
				holders[w.Worker] = true
			}
		}
	}
	var found []Finding
	if len(holders) == 0 {
		found = append(found, warn(collection.CeilingsID+" runs, and no worker holds a lease", "start a worker with the role collect: weir worker"))
	} else {
		found = append(found, fine("%s runs; %s leases", collection.CeilingsID, holding(len(holders))))
	}
	var unknown []string
	for _, s := range x.Config.Sources {
		if !known[s.Name] {
			unknown = append(unknown, s.Name)
		}
	}
	if len(unknown) > 0 {
		found = append(found, warn("the fleet does not know "+list(unknown),
			"start the workers anew with this configuration, or look here with the workers'"))
	}
	return found
}

func holding(workers int) string {
	if workers == 1 {
		return "1 worker holds"
	}
	return fmt.Sprintf("%d workers hold", workers)
}
