package telemetry

import (
	"context"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/workflow"
)

// NewLogInterceptor makes every line that a workflow or an activity logs carry the ids of its work: submission, record or
// source and batch, and in activities the attempt.
func NewLogInterceptor() interceptor.WorkerInterceptor { return &logInterceptor{} }

type logInterceptor struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity puts the logger of one activity attempt in the place of the SDK's.
func (*logInterceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	in := &activityInbound{}
	in.Next = next
	return in
}

// InterceptWorkflow puts the logger of one workflow run in the place of the SDK's.
func (*logInterceptor) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	in := &workflowInbound{}
	in.Next = next
	return in
}

type activityInbound struct {
	interceptor.ActivityInboundInterceptorBase
}

// Init wraps the calls that the activity makes.
func (i *activityInbound) Init(outbound interceptor.ActivityOutboundInterceptor) error {
	out := &activityOutbound{}
	out.Next = outbound
	return i.Next.Init(out)
}

type activityOutbound struct {
	interceptor.ActivityOutboundInterceptorBase
}

// GetLogger adds the ids.
func (o *activityOutbound) GetLogger(ctx context.Context) log.Logger {
	info := o.GetInfo(ctx)
	return log.With(o.Next.GetLogger(ctx), append(identity(info.WorkflowExecution.ID), "attempt", info.Attempt)...)
}

type workflowInbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

// Init wraps the calls that the workflow makes.
func (i *workflowInbound) Init(outbound interceptor.WorkflowOutboundInterceptor) error {
	out := &workflowOutbound{}
	out.Next = outbound
	return i.Next.Init(out)
}

type workflowOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

// GetLogger adds the ids.
func (o *workflowOutbound) GetLogger(ctx workflow.Context) log.Logger {
	logger := o.Next.GetLogger(ctx)
	if ids := identity(o.GetInfo(ctx).WorkflowExecution.ID); len(ids) > 0 {
		return log.With(logger, ids...)
	}
	return logger
}
