package integration

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// served notes for whom a site was asked, in order: the first part of a path is a customer's name.
type served struct {
	mu  sync.Mutex
	who []string
	// noted are the paths that were asked for: a request that is broken off is made again, out of turn.
	noted map[string]bool
}

func (s *served) note(_ http.ResponseWriter, r *http.Request) bool {
	if who, _, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.noted[r.URL.Path] {
			s.noted[r.URL.Path] = true
			s.who = append(s.who, who)
		}
	}
	return false
}

// first counts the first n requests by customer.
func (s *served) first(n int) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := map[string]int{}
	for _, who := range s.who[:n] {
		counts[who]++
	}
	return counts
}

// backlogOf has customers submit n records each to a source that is paused, one after the other, lets it go once all of
// them wait in its queue, and returns for whom it was asked in which order.
func backlogOf(t *testing.T, n int, customers []harness.Customer) *served {
	t.Helper()
	books, order := site(t, "127.0.0.1"), &served{noted: map[string]bool{}}
	books.SetAnswer(order.note)
	books.SetLatency(20 * time.Millisecond)
	f := ownFleet(t, steady(harness.Options{Customers: customers, Sources: []harness.Source{{
		Name: "books", Host: books.Host, Ceiling: 2, More: []string{fmt.Sprintf("window: %d", n), "prefetch: 0"},
	}}}))
	startWorker(t, f)
	until(t, time.Minute, "the worker to hand over its sources", func() bool {
		rows, err := f.Client.Sources(t.Context())
		return err == nil && len(rows) > 0
	})
	command(t, f, collection.UpdatePause, collection.SourceCommand{Source: "books", Reason: "the queue is to fill"})
	until(t, time.Minute, "the source to stand still", func() bool { return row(t, f, "books").Exposed == 0 })
	var submissions []string
	for _, c := range customers {
		var list strings.Builder
		list.WriteString("url\n")
		for i := range n {
			fmt.Fprintf(&list, "%s/%s/%d\n", books.URL, c.Name, i)
		}
		submissions = append(submissions, submit(t, f, starter.Request{
			Customer: c.Name, ID: id(t) + "-" + c.Name, File: strings.NewReader(list.String()), FileName: "list.csv",
		}))
	}
	for _, s := range submissions {
		until(t, time.Minute, "all records to wait", func() bool {
			status, err := f.Client.Status(t.Context(), s)
			require.NoError(t, err)
			return len(status.Sources) == 1 && status.Sources[0].Released == n
		})
	}
	// A record that is released has yet to reach the queue, and a worker may have two in hand.
	until(t, time.Minute, "the queue to hold them", func() bool { return backlog(t, f, collection.QueueCollect("books")) >= n*len(customers)-2 })
	require.Zero(t, books.Ledger().Requests)
	command(t, f, collection.UpdateResume, collection.SourceCommand{Source: "books"})
	for _, s := range submissions {
		require.Equal(t, collection.StateComplete, wait(t, f, s, 2*time.Minute).State)
	}
	require.Len(t, order.who, n*len(customers), "%v", order.who)
	return order
}

// backlog is about how many activities wait in a queue.
func backlog(t *testing.T, f *harness.Fleet, queue string) int {
	t.Helper()
	described, err := f.Engine.WorkflowService().DescribeTaskQueue(t.Context(), &workflowservice.DescribeTaskQueueRequest{
		Namespace: f.Stack.Namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: queue},
		TaskQueueType: enumspb.TASK_QUEUE_TYPE_ACTIVITY, ReportStats: true,
	})
	require.NoError(t, err)
	return int(described.GetStats().GetApproximateBacklogCount())
}

// TestFieldCaseC7x89CustomersTakeTurns: what one customer has waiting does not stand before another's. The two that a worker
// has in hand when the source is let go may be anybody's, and neighbours may swap, so turns are counted: no customer is ever
// more than these three ahead of its turn.
func TestFieldCaseC7x89CustomersTakeTurns(t *testing.T) {
	const each, ahead = 12, 3
	order := backlogOf(t, each, []harness.Customer{{Name: "a"}, {Name: "b"}, {Name: "c"}})
	t.Logf("figure: three customers with %d records each, served in the order %s", each, strings.Join(order.who, ""))
	for n := 1; n <= 3*each; n++ {
		for who, count := range order.first(n) {
			require.LessOrEqual(t, count, (n+2)/3+ahead, "%s among the first %d of %v", who, n, order.who)
		}
	}
}

// TestFieldCaseC7x90SharesFollowWeights: while all have work waiting, customers are served by their weights.
func TestFieldCaseC7x90SharesFollowWeights(t *testing.T) {
	const each, counted = 25, 40
	order := backlogOf(t, each, []harness.Customer{{Name: "five", Weight: 5}, {Name: "three", Weight: 3}, {Name: "two", Weight: 2}})
	got := order.first(counted)
	t.Logf("figure: weights 5 : 3 : 2, the first %d requests are %d : %d : %d", counted, got["five"], got["three"], got["two"])
	require.InDelta(t, 20, got["five"], 3, "%v", order.who)
	require.InDelta(t, 12, got["three"], 3, "%v", order.who)
	require.InDelta(t, 8, got["two"], 3, "%v", order.who)
}
