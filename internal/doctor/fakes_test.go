package doctor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/doctor"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// engine is as much of Temporal as the checks see. The zero value of what may be wrong is that nothing is.
type engine struct {
	workflowservice.WorkflowServiceClient
	operatorservice.OperatorServiceClient

	version    string
	state      enumspb.NamespaceState
	retention  time.Duration
	attributes map[string]enumspb.IndexedValueType
	partitions map[string]int // one where it says nothing
	unpolled   []string
	ownerErr   error
	owner      enumspb.WorkflowExecutionStatus
	ahead      time.Duration
	unfair     bool
	// err is the answer to every call, pollErr to polls alone.
	err, pollErr error
	table        []lease.SourceView
	tableErr     error

	mu sync.Mutex
	// ready are the keys of workflows whose first task has not been taken, waiting those of activities.
	ready, waiting               []string
	started, terminated, deleted []string
}

func healthy() *engine {
	keyword := enumspb.INDEXED_VALUE_TYPE_KEYWORD
	return &engine{
		version: "1.32.2", state: enumspb.NAMESPACE_STATE_REGISTERED, retention: 240 * time.Hour,
		attributes: map[string]enumspb.IndexedValueType{"WeirCustomer": keyword, "WeirSource": keyword, "WeirReason": keyword},
		owner:      enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
		table: []lease.SourceView{
			{Source: "books", Open: true, Workers: []lease.WorkerView{{Worker: "a"}, {Worker: "b", Lost: true}}},
			{Source: "films", Open: true, Workers: []lease.WorkerView{{Worker: "a"}, {Worker: "c"}}},
		},
	}
}

func (e *engine) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest, ...grpc.CallOption) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{ServerVersion: e.version}, e.err
}

func (e *engine) DescribeNamespace(context.Context, *workflowservice.DescribeNamespaceRequest, ...grpc.CallOption) (*workflowservice.DescribeNamespaceResponse, error) {
	return &workflowservice.DescribeNamespaceResponse{
		NamespaceInfo: &namespacepb.NamespaceInfo{State: e.state},
		Config:        &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(e.retention)},
	}, e.err
}

func (e *engine) ListSearchAttributes(context.Context, *operatorservice.ListSearchAttributesRequest, ...grpc.CallOption) (*operatorservice.ListSearchAttributesResponse, error) {
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: e.attributes}, e.err
}

func (e *engine) ListTaskQueuePartitions(_ context.Context, r *workflowservice.ListTaskQueuePartitionsRequest, _ ...grpc.CallOption) (*workflowservice.ListTaskQueuePartitionsResponse, error) {
	n := max(e.partitions[r.GetTaskQueue().GetName()], e.partitions["*"], 1)
	return &workflowservice.ListTaskQueuePartitionsResponse{ActivityTaskQueuePartitions: make([]*taskqueuepb.TaskQueuePartitionMetadata, n)}, e.err
}

func (e *engine) DescribeTaskQueue(_ context.Context, r *workflowservice.DescribeTaskQueueRequest, _ ...grpc.CallOption) (*workflowservice.DescribeTaskQueueResponse, error) {
	last := noon.Add(-time.Second)
	if slices.Contains(e.unpolled, r.GetTaskQueue().GetName()) {
		last = noon.Add(-4 * time.Minute) // Temporal remembers pollers for five
	}
	return &workflowservice.DescribeTaskQueueResponse{Pollers: []*taskqueuepb.PollerInfo{{LastAccessTime: timestamppb.New(last)}}}, e.err
}

func (e *engine) DescribeWorkflowExecution(_ context.Context, r *workflowservice.DescribeWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	info := &workflowpb.WorkflowExecutionInfo{Status: e.owner, StartTime: timestamppb.New(noon.Add(e.ahead))}
	if r.GetExecution().GetWorkflowId() == collection.CeilingsID {
		return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: info}, e.ownerErr
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: info}, e.err
}

func (e *engine) StartWorkflowExecution(_ context.Context, r *workflowservice.StartWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.StartWorkflowExecutionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.started = append(e.started, r.GetWorkflowId())
		if r.GetPriority().GetFairnessKey() != "clock" { // whose tasks are on another queue, and nobody takes them
			e.ready = append(e.ready, r.GetPriority().GetFairnessKey())
		}
	}
	return &workflowservice.StartWorkflowExecutionResponse{RunId: "run"}, e.err
}

func (e *engine) PollWorkflowTaskQueue(context.Context, *workflowservice.PollWorkflowTaskQueueRequest, ...grpc.CallOption) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pollErr != nil || len(e.ready) == 0 {
		return &workflowservice.PollWorkflowTaskQueueResponse{}, e.pollErr
	}
	key := e.ready[0]
	e.ready = e.ready[1:]
	return &workflowservice.PollWorkflowTaskQueueResponse{TaskToken: []byte(key)}, nil
}

// RespondWorkflowTaskCompleted has the scheduled activities wait: each at the end, or, with fairness, a key's first before
// another's second.
func (e *engine) RespondWorkflowTaskCompleted(_ context.Context, r *workflowservice.RespondWorkflowTaskCompletedRequest, _ ...grpc.CallOption) (*workflowservice.RespondWorkflowTaskCompletedResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range r.GetCommands() {
		at := len(e.waiting)
		if !e.unfair {
			at = min(2*i+1, at)
		}
		e.waiting = slices.Insert(e.waiting, at, string(r.GetTaskToken()))
	}
	return &workflowservice.RespondWorkflowTaskCompletedResponse{}, nil
}

func (e *engine) PollActivityTaskQueue(context.Context, *workflowservice.PollActivityTaskQueueRequest, ...grpc.CallOption) (*workflowservice.PollActivityTaskQueueResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		return &workflowservice.PollActivityTaskQueueResponse{}, nil
	}
	key := e.waiting[0]
	e.waiting = e.waiting[1:]
	return &workflowservice.PollActivityTaskQueueResponse{TaskToken: []byte("t"), Priority: &commonpb.Priority{FairnessKey: key}}, nil
}

func (e *engine) TerminateWorkflowExecution(_ context.Context, r *workflowservice.TerminateWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.TerminateWorkflowExecutionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.terminated = append(e.terminated, r.GetWorkflowExecution().GetWorkflowId())
	return nil, nil
}

func (e *engine) DeleteWorkflowExecution(_ context.Context, r *workflowservice.DeleteWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.DeleteWorkflowExecutionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deleted = append(e.deleted, r.GetWorkflowExecution().GetWorkflowId())
	return nil, nil
}

// bucket keeps objects in memory, and may be as bad as a real one.
type bucket struct {
	*memstore.Store
	checkErr, createErr, deleteErr, headErr, lifecycleErr error
	// overwrites makes it take whatever it is given; plain makes it keep no checksums, lying other ones.
	overwrites, plain, lying bool
	ahead                    time.Duration
	dateless                 bool
}

func (b *bucket) Check(context.Context) error { return b.checkErr }

func (b *bucket) Create(ctx context.Context, key string, body []byte, kind string) (collection.ObjectInfo, error) {
	if b.createErr != nil {
		return collection.ObjectInfo{}, b.createErr
	}
	if b.overwrites {
		return b.Put(ctx, key, body, kind)
	}
	return b.Store.Create(ctx, key, body, kind)
}

func (b *bucket) Replace(ctx context.Context, key string, body []byte, kind string, existing collection.ObjectInfo) (collection.ObjectInfo, error) {
	if b.overwrites {
		return b.Put(ctx, key, body, kind)
	}
	return b.Store.Replace(ctx, key, body, kind, existing)
}

func (b *bucket) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	info, err := b.Store.Head(ctx, key)
	switch {
	case b.headErr != nil:
		return info, b.headErr
	case b.plain:
		info.SHA256 = ""
	case b.lying:
		info.SHA256 = fmt.Sprintf("%064d", 1)
	}
	return info, err
}

func (b *bucket) Delete(ctx context.Context, keys []string) error {
	if b.deleteErr != nil {
		return b.deleteErr
	}
	return b.Store.Delete(ctx, keys)
}

func (b *bucket) Expiries(context.Context) ([]objectstore.Expiry, int, error) {
	return []objectstore.Expiry{{Name: "raw"}}, 2, b.lifecycleErr
}

// left are the objects that are still there.
func (b *bucket) left(t *testing.T) []string {
	var keys []string
	for info, err := range b.List(t.Context(), "") {
		require.NoError(t, err)
		keys = append(keys, info.Key)
	}
	return keys
}

const healthyConfig = `
user_agent: example-bot/1.0 (+https://example.com/bot)
s3: {bucket: weir, region: us-east-1, access_key: "env:KEY", secret_key: "env:KEY"}
sources:
  - {name: books, hosts: [books.example], ceiling: 2, request: {secret_headers: {Authorization: "env:TOKEN"}}, parse: {type: json, fields: [{name: t, jq: .t}]}}
  - {name: films, hosts: [films.example], ceiling: 2, parse: {type: json, fields: [{name: t, jq: .t}]}}
customers:
  - {name: acme}
`

func load(t *testing.T, text string) config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weir.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	cfg, err := config.Load(config.Options{File: file, CPUs: 2, Version: "test", Env: func(string) (string, bool) { return "", false }})
	require.NoError(t, err)
	return cfg
}

// patient is a patient whose engine and bucket are these.
func patient(t *testing.T, text string, e *engine, b *bucket) doctor.Patient {
	n := 0
	var mu sync.Mutex
	return doctor.Patient{
		Config: load(t, text), Now: func() time.Time { return noon },
		Secret: func(string) (string, error) { return "hush", nil },
		Dial: func(context.Context) (*doctor.Engine, error) {
			return &doctor.Engine{
				Service: e, Operator: e, Address: "127.0.0.1:7233", Namespace: "default",
				Table: func(context.Context) ([]lease.SourceView, error) { return e.table, e.tableErr },
			}, nil
		},
		Open: func(context.Context) (doctor.Bucket, func() (time.Duration, bool), error) {
			return b, func() (time.Duration, bool) { return b.ahead, !b.dateless }, nil
		},
		Unique: func() string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("trial-%d", n)
		},
	}
}

func examined(t *testing.T, p doctor.Patient, only ...string) []doctor.Finding {
	t.Helper()
	checks, err := doctor.Only(doctor.Checks(t.Context(), p), only)
	require.NoError(t, err)
	return doctor.Run(t.Context(), checks, 5*time.Minute)
}

var errMissing = serviceerror.NewNotFound("no such workflow")
