package starter_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/mocks"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
	"github.com/weir-collect/weir/starter"
)

const (
	running    = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	paused     = enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED
	completed  = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	cancelled  = enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED
	failed     = enumspb.WORKFLOW_EXECUTION_STATUS_FAILED
	terminated = enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED
	timedOut   = enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT
)

// run is the run id of every workflow here.
const run = "run-1"

// bucket is a store in memory that also signs links, notes what is read, and can be told to fail.
type bucket struct {
	*memstore.Store
	// mu guards reads: parts of a ledger are read a few at once.
	mu    sync.Mutex
	reads []string
	// fails are the errors of single keys, of "sign " and a key, and of "upload".
	fails  map[string]error
	capped bool
}

func (b *bucket) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	b.mu.Lock()
	b.reads = append(b.reads, key)
	b.mu.Unlock()
	if err := b.fails[key]; err != nil {
		return nil, err
	}
	return b.Store.Get(ctx, key, limit)
}

func (b *bucket) GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error) {
	b.reads = append(b.reads, fmt.Sprintf("%s+%d", r.Key, r.Length))
	return b.Store.GetRange(ctx, r)
}

func (b *bucket) Upload(ctx context.Context, key string, r io.ReadSeeker, size int64, contentType string) (collection.ObjectInfo, error) {
	if err := b.fails["upload"]; err != nil {
		return collection.ObjectInfo{}, err
	}
	return b.Store.Upload(ctx, key, r, size, contentType)
}

func (b *bucket) PresignGet(_ context.Context, key string, expiry time.Duration) (starter.SignedURL, error) {
	if err := b.fails["sign "+key]; err != nil {
		return starter.SignedURL{}, err
	}
	return starter.SignedURL{URL: "https://s3.example/" + key + "?signed", ExpiresAt: accepted.Add(expiry), Capped: b.capped}, nil
}

// keys are the objects under a prefix.
func (b *bucket) keys(t testing.TB, prefix string) []string {
	t.Helper()
	var keys []string
	for info, err := range b.List(context.Background(), prefix) {
		require.NoError(t, err)
		keys = append(keys, info.Key)
	}
	return keys
}

// trial is a client over doubles of the engine and the bucket.
type trial struct {
	engine *mocks.Client
	store  *bucket
	client *starter.Client
}

// setup makes a trial. An engine that is asked for anything but what a test announces fails the test, and so does one
// that is not asked for it.
func setup(t *testing.T) *trial {
	t.Helper()
	tr := newTrial()
	tr.engine.Test(t)
	t.Cleanup(func() { tr.engine.AssertExpectations(t) })
	return tr
}

func newTrial() *trial {
	tr := &trial{engine: &mocks.Client{}, store: &bucket{Store: memstore.New(), fails: map[string]error{}}}
	tr.client = starter.New(tr.engine, tr.store, "weir-test", []collection.Source{{Name: "books"}, {Name: "films"}})
	return tr
}

type description = workflowservice.DescribeWorkflowExecutionResponse

// described is what the engine says of a workflow.
func described(kind string, status enumspb.WorkflowExecutionStatus) *description {
	return &description{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{RunId: run},
		Type:      &commonpb.WorkflowType{Name: kind},
		Status:    status,
		StartTime: timestamppb.New(accepted),
	}}
}

// knows lets the engine know a submission.
func (tr *trial) knows(status enumspb.WorkflowExecutionStatus) *mock.Call {
	d := described(collection.WorkflowSubmission, status)
	customer, err := converter.GetDefaultDataConverter().ToPayload("acme")
	if err != nil {
		panic(err)
	}
	d.WorkflowExecutionInfo.SearchAttributes = &commonpb.SearchAttributes{
		IndexedFields: map[string]*commonpb.Payload{collection.AttributeCustomer: customer},
	}
	return tr.describes(submission, d, nil)
}

func (tr *trial) describes(workflowID string, d *description, err error) *mock.Call {
	return tr.engine.On("DescribeWorkflowExecution", mock.Anything, workflowID, "").Return(d, err)
}

var errUnknown = serviceerror.NewNotFound("workflow not found")

// forgot lets the engine know nothing of a workflow.
func (tr *trial) forgot(workflowID string) *mock.Call {
	return tr.describes(workflowID, nil, errUnknown)
}

// ends lets a workflow return a value, or end in an error.
func ends[T any](tr *trial, workflowID string, value T, err error) {
	ended := &mocks.WorkflowRun{}
	ended.On("Get", mock.Anything, mock.Anything).Run(func(args mock.Arguments) {
		if into, ok := args.Get(1).(*T); ok && err == nil {
			*into = value
		}
	}).Return(err)
	tr.engine.On("GetWorkflow", mock.Anything, workflowID, mock.Anything).Return(ended)
}

// execution wraps a workflow's failure as the SDK does for who waits for its result.
type execution struct{ error }

func (e execution) Unwrap() error { return e.error }

func (e execution) As(target any) bool {
	into, ok := target.(**temporal.WorkflowExecutionError)
	if ok {
		*into = &temporal.WorkflowExecutionError{}
	}
	return ok
}

// ended is a workflow's failure after its way through the engine.
func ended(cause error) error {
	c := temporal.GetDefaultFailureConverter()
	return execution{c.FailureToError(c.ErrorToFailure(cause))}
}

// startedWith gives a record's workflow its first event.
func (tr *trial) startedWith(workflowID string, in any) {
	input, err := converter.GetDefaultDataConverter().ToPayloads(in)
	if err != nil {
		panic(err)
	}
	tr.history(workflowID, &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
		WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: input},
	}}, nil)
}

// history lets the engine give the first event of a workflow, once: nobody needs a second.
func (tr *trial) history(workflowID string, first *historypb.HistoryEvent, err error) {
	events := &mocks.HistoryEventIterator{}
	events.On("Next").Return(first, err).Once()
	tr.engine.On("GetWorkflowHistory", mock.Anything, workflowID, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Return(events)
}

// service is the part of the engine's API that the client calls by itself.
type service struct {
	workflowservice.WorkflowServiceClient
	err     error
	request *workflowservice.RequestCancelWorkflowExecutionRequest
}

// connected is the client of the examples. Its engine starts what it is given and has forgotten everything else; its bucket
// holds acme-1, settled.
func connected() *starter.Client {
	tr := newTrial().settled(collection.StatePartiallyFailed)
	tr.engine.On("WorkflowService").Return(&service{})
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	tr.starts(nil)
	return tr.client
}
