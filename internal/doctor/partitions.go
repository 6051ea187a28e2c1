package doctor

import (
	"context"
	"fmt"
	"strings"

	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
)

const (
	onePartition = "set matching.numTaskqueueReadPartitions and matching.numTaskqueueWritePartitions to 1 for the queues collect.* " +
		"in Temporal's dynamic configuration: order and fairness hold per partition, and small ceilings starve some"
	cannotSee = "the partitions of the source queues cannot be seen from here"
)

// partitions asks Temporal itself. It tells the partitions that tasks are written to; how many are read cannot be seen, and
// that many are written is the sign of a default.
func (x *exam) partitions(ctx context.Context, e *Engine) []Finding {
	if len(x.Config.Sources) == 0 {
		return skipped("no source is configured")
	}
	several, most := []string{}, 0
	for _, s := range x.Config.Sources {
		n, err := countPartitions(ctx, e, collection.QueueCollect(s.Name))
		if err != nil {
			return []Finding{warn(fmt.Sprintf("%s: %v", cannotSee, err), onePartition)}
		}
		if n > 1 {
			several, most = append(several, s.Name), max(most, n)
		}
	}
	if len(several) > 0 {
		return []Finding{warn(fmt.Sprintf("the queues of %s have up to %d partitions", list(several), most), onePartition)}
	}
	return []Finding{fine("one for each of %s", collection.Plural(len(x.Config.Sources), "source queue"))}
}

// countPartitions is how many partitions the activities of a queue are written to.
func countPartitions(ctx context.Context, e *Engine, queue string) (int, error) {
	answer, err := e.Service.ListTaskQueuePartitions(ctx, &workflowservice.ListTaskQueuePartitionsRequest{
		Namespace: e.Namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: queue},
	})
	if err != nil {
		return 0, err
	}
	return len(answer.GetActivityTaskQueuePartitions()), nil
}

// list is names as a person reads them.
func list(names []string) string {
	const most = 6
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
