package workflows_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// noon is when owners start in tests.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// owner is one run of the Ceilings workflow. What is to happen is planned first, as times since noon; run plays it, and
// ends the run by continue-as-new.
type owner struct {
	*engine
	in    workflows.CeilingsInput
	start time.Duration
	last  time.Duration
}

// newOwner is a run that starts at a time since noon.
func newOwner(t testing.TB, start time.Duration, in workflows.CeilingsInput) *owner {
	o := &owner{engine: newEngine(t), in: in, start: start, last: start}
	o.SetStartTime(noon.Add(start))
	o.RegisterWorkflowWithOptions(workflows.Ceilings, workflow.RegisterOptions{Name: collection.WorkflowCeilings})
	return o
}

// firstOwner is the first that there ever was.
func firstOwner(t testing.TB) *owner { return newOwner(t, 0, workflows.CeilingsInput{First: true}) }

// when does something at a time since noon.
func (o *owner) when(at time.Duration, do func()) {
	o.last = max(o.last, at)
	o.at(at-o.start, do)
}

// reply is what became of an update.
type reply struct {
	// accepted updates are in the history; the others leave no trace.
	accepted, rejected, completed bool
	value                         any
	err                           error

	onAccept func()
}

// update sends an update at a time since noon; the reply is there when the run is over.
func (o *owner) update(at time.Duration, name string, in any) *reply {
	r := &reply{}
	o.when(at, func() { o.send(r, name, in) })
	return r
}

// send sends an update at once.
func (o *owner) send(r *reply, name string, in any) {
	o.UpdateWorkflow(name, "", &testsuite.TestUpdateCallback{
		OnAccept: func() {
			r.accepted = true
			if r.onAccept != nil {
				r.onAccept()
			}
		},
		OnReject: func(err error) { r.rejected, r.err = true, err },
		OnComplete: func(value any, err error) {
			r.completed, r.value, r.err = true, value, err
		},
	}, in)
}

func (o *owner) renew(at time.Duration, in workflows.LeaseInput) *reply {
	return o.update(at, collection.UpdateLease, in)
}

func (o *owner) configure(at time.Duration, in workflows.ConfigureInput) *reply {
	return o.update(at, collection.UpdateConfigure, in)
}

// table asks for the table at a time since noon.
func (o *owner) table(at time.Duration) *[]lease.SourceView {
	rows := &[]lease.SourceView{}
	o.when(at, func() {
		value, err := o.QueryWorkflow(collection.QueryTable)
		require.NoError(o.t, err)
		require.NoError(o.t, value.Get(rows))
	})
	return rows
}

// egresses asks for the egresses at a time since noon.
func (o *owner) egresses(at time.Duration) *[]lease.EgressView {
	ways := &[]lease.EgressView{}
	o.when(at, func() {
		value, err := o.QueryWorkflow(collection.QueryEgresses)
		require.NoError(o.t, err)
		require.NoError(o.t, value.Get(ways))
	})
	return ways
}

// shown is what Temporal Web shows at a time since noon.
func (o *owner) shown(at time.Duration) *string {
	details := new(string)
	o.when(at, func() {
		value, err := o.QueryWorkflow("__temporal_workflow_metadata")
		require.NoError(o.t, err)
		var metadata sdkpb.WorkflowMetadata
		require.NoError(o.t, value.Get(&metadata))
		*details = metadata.GetCurrentDetails()
	})
	return details
}

// run plays what is planned, and returns what the run hands over to the next, after a way through JSON.
func (o *owner) run() workflows.CeilingsInput {
	o.t.Helper()
	o.when(o.last+time.Millisecond, func() {
		o.SetContinueAsNewSuggested(true)
		o.SignalWorkflow("wake", nil) // a task in which it is looked at
	})
	return o.handedOver()
}

// handedOver plays what is planned, which must make the run end by itself.
func (o *owner) handedOver() workflows.CeilingsInput {
	o.t.Helper()
	o.ExecuteWorkflow(collection.WorkflowCeilings, o.in)
	require.True(o.t, o.IsWorkflowCompleted())
	var again *workflow.ContinueAsNewError
	require.ErrorAs(o.t, o.GetWorkflowError(), &again)
	require.Equal(o.t, collection.WorkflowCeilings, again.WorkflowType.Name)
	var next workflows.CeilingsInput
	require.NoError(o.t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &next))
	return next
}

// state is what a run hands over, unpacked.
func (o *owner) state(in workflows.CeilingsInput) workflows.CeilingsState {
	o.t.Helper()
	state, err := in.HandedOver()
	require.NoError(o.t, err)
	require.NotNil(o.t, state)
	return *state
}

// granted is the answer to a renewal.
func (r *reply) granted(t testing.TB) workflows.LeaseResult {
	t.Helper()
	require.NoError(t, r.err)
	require.IsType(t, workflows.LeaseResult{}, r.value)
	return r.value.(workflows.LeaseResult)
}

// permits are those of the only source of a renewal.
func (r *reply) permits(t testing.TB) int {
	t.Helper()
	grants := r.granted(t).Answer.Grants
	require.Len(t, grants, 1)
	return grants[0].Permits
}

// row is the answer to a command.
func (r *reply) row(t testing.TB) lease.SourceView {
	t.Helper()
	require.NoError(t, r.err)
	require.IsType(t, lease.SourceView{}, r.value)
	return r.value.(lease.SourceView)
}

// refused checks that an update left no event, and will not be tried again.
func (r *reply) refused(t testing.TB, reason collection.Reason, sentence string) {
	t.Helper()
	require.True(t, r.rejected)
	require.False(t, r.accepted || r.completed)
	var app *temporal.ApplicationError
	require.ErrorAs(t, r.err, &app)
	require.True(t, app.NonRetryable())
	require.Equal(t, string(reason), app.Type())
	require.Equal(t, sentence, app.Message())
}

// books is a configuration of one source.
func books(ceiling int) workflows.ConfigureInput {
	return workflows.ConfigureInput{
		Config: "one", Since: noon.UnixMilli(), Settings: lease.Settings{TTL: 15_000},
		Sources: []lease.SourceConfig{{Source: "books", Ceiling: ceiling}},
	}
}

// wants is a worker's renewal with work for a number of permits at the source books.
func wants(worker string, sequence int64, waiting int) workflows.LeaseInput {
	return workflows.LeaseInput{
		Config: "one", Since: noon.UnixMilli(),
		Request: lease.Request{Worker: worker, Sequence: sequence, Sources: []lease.Want{{Source: "books", Waiting: waiting}}},
	}
}

// asJSON is a value as a history keeps it.
func asJSON(t testing.TB, v any) string {
	t.Helper()
	body, err := json.MarshalIndent(v, "", "  ")
	require.NoError(t, err)
	return string(body) + "\n"
}

func asCompactJSON(t testing.TB, v any) string {
	t.Helper()
	body, err := json.Marshal(v)
	require.NoError(t, err)
	return string(body)
}
