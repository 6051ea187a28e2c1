package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"
)

var (
	noon    = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	errDown = errors.New("the engine is down")
)

// service is the engine's API; it notes what it is asked.
type service struct {
	workflowservice.WorkflowServiceClient

	// polls are when the queue was polled.
	polls []time.Time
	err   error

	described *workflowservice.DescribeTaskQueueRequest
	cancelled []*workflowservice.RequestCancelWorkflowExecutionRequest
}

func (s *service) DescribeTaskQueue(_ context.Context, r *workflowservice.DescribeTaskQueueRequest, _ ...grpc.CallOption) (*workflowservice.DescribeTaskQueueResponse, error) {
	s.described = r
	answer := &workflowservice.DescribeTaskQueueResponse{}
	for _, at := range s.polls {
		answer.Pollers = append(answer.Pollers, &taskqueuepb.PollerInfo{LastAccessTime: timestamppb.New(at)})
	}
	return answer, s.err
}

func (s *service) RequestCancelWorkflowExecution(_ context.Context, r *workflowservice.RequestCancelWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.RequestCancelWorkflowExecutionResponse, error) {
	s.cancelled = append(s.cancelled, r)
	return &workflowservice.RequestCancelWorkflowExecutionResponse{}, s.err
}

// visibility lists runs, as many with one call as it is asked for. Like the engine's it hands out a token with every full page.
type visibility struct {
	runs []*workflowpb.WorkflowExecutionInfo
	// failAt is the call, from 1, that fails.
	failAt   int
	requests []*workflowservice.ListWorkflowExecutionsRequest
	// results are what runs returned, by run id; read are those that somebody has asked for.
	results map[string]any
	read    []string
}

func (v *visibility) ListWorkflow(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	asked := &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: r.GetNamespace(), Query: r.GetQuery(), PageSize: r.GetPageSize(), NextPageToken: r.GetNextPageToken(),
	}
	v.requests = append(v.requests, asked)
	if len(v.requests) == v.failAt {
		return nil, errDown
	}
	from := 0
	if token := r.GetNextPageToken(); len(token) > 0 {
		from, _ = strconv.Atoi(string(token)) // its own
	}
	page := v.runs[from:min(from+int(r.GetPageSize()), len(v.runs))]
	answer := &workflowservice.ListWorkflowExecutionsResponse{Executions: page}
	if len(page) == int(r.GetPageSize()) {
		answer.NextPageToken = []byte(strconv.Itoa(from + len(page)))
	}
	return answer, nil
}

func (v *visibility) GetWorkflow(_ context.Context, _, runID string) client.WorkflowRun {
	return &result{of: v, run: runID}
}

// result is a run that has ended.
type result struct {
	client.WorkflowRun
	of  *visibility
	run string
}

// Get hands the result over by way of JSON, as the engine does.
func (r *result) Get(_ context.Context, into any) error {
	r.of.read = append(r.of.read, r.run)
	value := r.of.results[r.run]
	if err, failed := value.(error); failed {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// ran is a run that ended so long after noon.
func ran(run string, after time.Duration) *workflowpb.WorkflowExecutionInfo {
	return &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: "weir/" + run, RunId: run}, CloseTime: timestamppb.New(noon.Add(after)),
	}
}
