package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

var errDown = errors.New("the engine is down")

// owner is an engine with a Ceilings workflow, as far as a renewer can see. Its table is a real one.
type owner struct {
	client.Client

	mu    sync.Mutex
	table *lease.Table
	// exists says whether the workflow runs; existed, whether it once did.
	exists, existed bool
	config          string
	// trouble is what a call meets before it is handled, by its number from 1. It may block.
	trouble func(ctx context.Context, n int) error
	calls   []call
	// first are the inputs with which the workflow was started.
	first []bool
}

// call is one call of the engine.
type call struct {
	at     time.Time
	update string
	config string
	lease.Request
	released bool
}

// starting is the operation that starts the workflow.
type starting struct {
	client.WithStartWorkflowOperation
	options client.StartWorkflowOptions
	input   workflows.CeilingsInput
}

func (o *owner) NewWithStartWorkflowOperation(options client.StartWorkflowOptions, _ any, args ...any) client.WithStartWorkflowOperation {
	return &starting{options: options, input: args[0].(workflows.CeilingsInput)}
}

func (o *owner) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.existed {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{}, nil
}

func (o *owner) UpdateWithStartWorkflow(ctx context.Context, in client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	op := in.StartWorkflowOperation.(*starting)
	if op.options.ID != collection.CeilingsID || op.options.TaskQueue != collection.QueueFleet {
		return nil, fmt.Errorf("started as %s on %s", op.options.ID, op.options.TaskQueue)
	}
	o.mu.Lock()
	o.exists, o.existed = true, true
	o.first = append(o.first, op.input.First)
	o.mu.Unlock()
	return o.UpdateWorkflow(ctx, in.UpdateOptions)
}

// UpdateWorkflow handles an update as the workflow does.
func (o *owner) UpdateWorkflow(ctx context.Context, in client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	if in.WorkflowID != collection.CeilingsID || in.WaitForStage != client.WorkflowUpdateStageCompleted || in.RunID != "" {
		return nil, fmt.Errorf("an update that nobody answers: %+v", in)
	}
	o.mu.Lock()
	c := call{at: time.Now(), update: in.UpdateName}
	if renewal, ok := in.Args[0].(workflows.LeaseInput); ok {
		c.Request, c.released, c.config = renewal.Request, renewal.Release, renewal.Config
	}
	o.calls = append(o.calls, c)
	n, trouble := len(o.calls), o.trouble
	o.mu.Unlock()
	if trouble != nil {
		if err := trouble(ctx, n); err != nil {
			return nil, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.exists {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	return o.handle(in.Args[0])
}

func (o *owner) handle(in any) (client.WorkflowUpdateHandle, error) {
	var out workflows.LeaseResult
	switch in := in.(type) {
	case workflows.LeaseInput:
		if in.Release {
			o.table.Release(time.Now(), in.Request.Worker)
			break
		}
		out = workflows.LeaseResult{Answer: o.table.Renew(time.Now(), in.Request), Configure: in.Config != o.config}
	case workflows.ConfigureInput:
		if err := o.table.Configure(time.Now(), in.Sources); err != nil {
			return nil, err
		}
		o.config = in.Config
	}
	return answered{value: out}, nil
}

// answered is an update that has been handled.
type answered struct {
	client.WorkflowUpdateHandle
	value any
}

// Get hands the result over by way of JSON, as the engine does.
func (a answered) Get(_ context.Context, into any) error {
	if into == nil {
		return nil
	}
	text, err := json.Marshal(a.value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// seen are the calls so far.
func (o *owner) seen() []call {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]call(nil), o.calls...)
}

// with does something while no call is handled.
func (o *owner) with(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	do()
}

// meet sets what calls meet from now on.
func (o *owner) meet(trouble func(ctx context.Context, n int) error) {
	o.with(func() { o.trouble = trouble })
}

// hang is an engine that does not answer, down one that refuses.
func hang(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

func down(context.Context, int) error { return errDown }
