package engine

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"
)

// ScheduleState is how a schedule stands.
type ScheduleState struct {
	ID     string `json:"id"`
	Paused bool   `json:"paused,omitempty"`
	Note   string `json:"note,omitempty"`
	// Next is when it starts its workflow next, zero if never; Missing says that there is no such schedule.
	Next    time.Time `json:"next,omitzero"`
	Missing bool      `json:"missing,omitempty"`
}

// Schedule looks at a schedule. Of one that does not exist it says so in the state, and IsUnknown holds for the error.
func Schedule(ctx context.Context, c client.ScheduleClient, id string) (ScheduleState, error) {
	state := ScheduleState{ID: id}
	d, err := c.GetHandle(ctx, id).Describe(ctx)
	if err != nil {
		state.Missing = IsUnknown(err)
		return state, err
	}
	if d.Schedule.State != nil {
		state.Paused, state.Note = d.Schedule.State.Paused, d.Schedule.State.Note
	}
	if len(d.Info.NextActionTimes) > 0 {
		state.Next = d.Info.NextActionTimes[0]
	}
	return state, nil
}
