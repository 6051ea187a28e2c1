package starter_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// tried is a step that has been tried so often and, where a text is given, has failed.
func tried(step string, attempt int32, text string, again time.Time) *workflowpb.PendingActivityInfo {
	a := &workflowpb.PendingActivityInfo{ActivityType: &commonpb.ActivityType{Name: step}, Attempt: attempt}
	if text != "" {
		a.LastFailure = &failurepb.Failure{Message: text}
	}
	if !again.IsZero() {
		a.NextAttemptScheduleTime = timestamppb.New(again)
	}
	return a
}

// TestHindered: of a step that is tried again it is known why, and when; of one that runs for the first time there is nothing.
func TestHindered(t *testing.T) {
	t.Parallel()
	id := collection.RedeliverWorkflowID(submission)
	again := accepted.Add(time.Minute)
	for name, c := range map[string]struct {
		steps []*workflowpb.PendingActivityInfo
		want  starter.Hindrance
		is    bool
	}{
		"nothing waits":         {},
		"the first attempt":     {steps: []*workflowpb.PendingActivityInfo{tried("Ship", 1, "", time.Time{})}},
		"it waits":              {[]*workflowpb.PendingActivityInfo{tried("Ship", 4, "takes nothing of acme", again)}, starter.Hindrance{Step: "Ship", Failed: 3, Text: "takes nothing of acme", Again: again}, true},
		"it is tried right now": {[]*workflowpb.PendingActivityInfo{tried("Ship", 2, "no", time.Time{})}, starter.Hindrance{Step: "Ship", Failed: 1, Text: "no"}, true},
		"the worst of several": {[]*workflowpb.PendingActivityInfo{tried("A", 2, "a", time.Time{}), tried("B", 9, "b", time.Time{}), tried("C", 20, "", time.Time{})},
			starter.Hindrance{Step: "B", Failed: 8, Text: "b"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t)
			d := described(collection.WorkflowRedeliver, running)
			d.PendingActivities = c.steps
			tr.describes(id, d, nil)
			got, is, err := tr.client.Hindered(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, c.is, is)
			require.Equal(t, c.want, got)
		})
	}
}

func TestHinderedUnknown(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.forgot("x")
	_, is, err := tr.client.Hindered(t.Context(), "x")
	require.NoError(t, err)
	require.False(t, is)

	tr = setup(t)
	tr.describes("x", nil, errors.New("it is down"))
	_, _, err = tr.client.Hindered(t.Context(), "x")
	require.ErrorContains(t, err, "ask what keeps x: it is down")

	tr = setup(t)
	d := described(collection.WorkflowRedeliver, running)
	d.PendingActivities = []*workflowpb.PendingActivityInfo{tried("Ship", 2, strings.Repeat("long ", 1000), time.Time{})}
	tr.describes("x", d, nil)
	h, _, err := tr.client.Hindered(t.Context(), "x")
	require.NoError(t, err)
	require.Less(t, len(h.Text), 600)
}
