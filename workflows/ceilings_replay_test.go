package workflows_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// recordedUpdate is an update in a history: when it was handled, and what was answered.
type recordedUpdate struct {
	at     time.Time
	name   string
	in     []byte
	answer []byte
}

// recordedOwner is a history of Ceilings, and its updates in the order in which they were handled.
type recordedOwner struct {
	history *historypb.History
	updates []recordedUpdate
}

func recordedOwners(t *testing.T) map[string]recordedOwner {
	t.Helper()
	owners := map[string]recordedOwner{}
	for name, body := range recorded(t) {
		h := parseHistory(t, body)
		if h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName() == collection.WorkflowCeilings {
			owners[name] = recordedOwner{history: h, updates: updatesOf(t, h)}
		}
	}
	require.NotEmpty(t, owners, "without histories nothing is replayed")
	return owners
}

// input is what the run was started with.
func (r recordedOwner) input(t *testing.T) workflows.CeilingsInput {
	t.Helper()
	var in workflows.CeilingsInput
	started := r.history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(started.GetInput(), &in))
	return in
}

func updatesOf(t *testing.T, h *historypb.History) []recordedUpdate {
	t.Helper()
	var updates []recordedUpdate
	var now time.Time
	index := map[int64]int{}
	for _, e := range h.GetEvents() {
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED:
			now = e.GetEventTime().AsTime()
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
			input := e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest().GetInput()
			index[e.GetEventId()] = len(updates)
			updates = append(updates, recordedUpdate{at: now, name: input.GetName(), in: onlyPayload(t, input.GetArgs())})
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED:
			done := e.GetWorkflowExecutionUpdateCompletedEventAttributes()
			require.Nil(t, done.GetOutcome().GetFailure())
			u := &updates[index[done.GetAcceptedEventId()]]
			if success := done.GetOutcome().GetSuccess(); len(success.GetPayloads()) > 0 {
				u.answer = onlyPayload(t, success)
			}
		}
	}
	return updates
}

func onlyPayload(t *testing.T, p *commonpb.Payloads) []byte {
	t.Helper()
	require.Len(t, p.GetPayloads(), 1)
	return p.GetPayloads()[0].GetData()
}

// promises are what an answer to a renewal promises, and the owner must remember. When the worker is to ask again, and
// what it is told besides, may change.
func promises(t *testing.T, answer []byte) string {
	t.Helper()
	var result workflows.LeaseResult
	require.NoError(t, json.Unmarshal(answer, &result))
	text := fmt.Sprintf("request %d stale %t released %t ttl %d", result.Answer.Sequence, result.Answer.Stale, result.Answer.Released, result.Answer.TTL)
	for _, g := range result.Answer.Grants {
		text += fmt.Sprintf("; %s: %d permits, %s", g.Source, g.Permits, g.Pace.Rate)
	}
	for _, e := range result.Answer.Egress {
		text += fmt.Sprintf("; %s: trial %t", e.Egress, e.Trial)
	}
	return text
}

// TestCeilingsPromiseWhatTheyDid gives today's code every recorded series of updates. It must grant what was granted then:
// a deployed owner replays its history, and would otherwise come to another state than the one from which the workers were
// granted what they hold. A replay alone does not notice that. A change of the table that fails here needs a version in
// the workflow, unless no owner with such a history is running any more.
func TestCeilingsPromiseWhatTheyDid(t *testing.T) {
	t.Parallel()
	for name, recorded := range recordedOwners(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwner(t, recorded.history.GetEvents()[0].GetEventTime().AsTime().Sub(noon), recorded.input(t))
			replies := make([]*reply, len(recorded.updates))
			for i, u := range recorded.updates {
				replies[i] = o.update(u.at.Sub(noon), u.name, json.RawMessage(u.in))
			}
			o.run()
			for i, u := range recorded.updates {
				require.True(t, replies[i].completed, "%s at %s", u.name, u.at)
				require.NoError(t, replies[i].err)
				if u.name == collection.UpdateLease {
					require.Equal(t, promises(t, u.answer), promises(t, []byte(asCompactJSON(t, replies[i].value))), "at %s", u.at)
				}
			}
		})
	}
}

// TestRecordedOwnersCoverEveryUpdate says what must have happened in them.
func TestRecordedOwnersCoverEveryUpdate(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{
		collection.UpdateLease: true, "release": true, collection.UpdateConfigure: true, collection.UpdatePause: true,
		collection.UpdateResume: true, collection.UpdateSetCeiling: true, collection.UpdateSetPace: true,
		collection.UpdateHoldBreaker: true, collection.UpdateReleaseBreaker: true,
		"started first": true, "started after another": true, "started from a state": true, "permits granted": true,
	}
	for _, owner := range recordedOwners(t) {
		switch in := owner.input(t); {
		case in.First:
			delete(missing, "started first")
		case in.State != nil:
			delete(missing, "started from a state")
		default:
			delete(missing, "started after another")
		}
		for _, u := range owner.updates {
			delete(missing, u.name)
			if u.name != collection.UpdateLease {
				continue
			}
			var renewal workflows.LeaseInput
			require.NoError(t, json.Unmarshal(u.in, &renewal))
			var result workflows.LeaseResult
			require.NoError(t, json.Unmarshal(u.answer, &result))
			if renewal.Release {
				delete(missing, "release")
			}
			for _, g := range result.Answer.Grants {
				if g.Permits > 0 {
					delete(missing, "permits granted")
				}
			}
		}
	}
	require.Empty(t, missing)
}

// TestReplayNoticesAnUpdateThatIsGone replays histories with an update that no program ever had.
func TestReplayNoticesAnUpdateThatIsGone(t *testing.T) {
	t.Parallel()
	for name, body := range recorded(t) {
		if !strings.HasPrefix(name, "owner-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := bytes.ReplaceAll(body, []byte(`"name":"`+collection.UpdateLease+`"`), []byte(`"name":"lend"`))
			require.ErrorContains(t, replay(parseHistory(t, changed)), "[TMPRL1100]")
		})
	}
}

// TestRecordedOwnersNameNoHost: the names of workers stand in the payloads, too.
func TestRecordedOwnersNameNoHost(t *testing.T) {
	t.Parallel()
	for name, owner := range recordedOwners(t) {
		for _, u := range owner.updates {
			require.NotContains(t, string(u.in)+string(u.answer), "weir@", name)
		}
	}
}
