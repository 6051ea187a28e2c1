package activities

import (
	"context"
	"errors"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// Execution is a run of a workflow as a search finds it.
type Execution struct {
	WorkflowID, RunID, Type string
	// Root is the id of the workflow at the top of its tree.
	Root           string
	Customer       string
	Source         string
	Reason         collection.Reason
	Running        bool
	Started, Ended time.Time
}

// Described is a run of a workflow as the engine itself knows it.
type Described struct {
	Execution
	Children []Child
	// ActiveAt is when one of its activities was last started or told something; zero when it has none.
	ActiveAt time.Time
}

// Child is a child that a workflow waits for.
type Child struct{ WorkflowID, RunID string }

// ScheduleState is how a schedule stands.
type ScheduleState struct {
	ID     string
	Paused bool
	Note   string
	// Next is when it starts something next; zero if never.
	Next time.Time
}

// ErrUnknownToEngine says that the engine knows no workflow or schedule of that name, or no longer.
var ErrUnknownToEngine = errors.New("the engine knows nothing of that name")

// Watch is what a sweep asks of the engine.
type Watch interface {
	// Find lists at most limit runs that a visibility query finds; more says that there were others.
	Find(ctx context.Context, query string, limit int) (found []Execution, more bool, err error)
	Count(ctx context.Context, query string) (int, error)
	// Describe is exact. An empty run is the latest.
	Describe(ctx context.Context, workflowID, runID string) (Described, error)
	// LastEvent is when something last happened in a run.
	LastEvent(ctx context.Context, workflowID, runID string) (time.Time, error)
	// Failure is the error of a run that has ended, as who waits for its result gets it; nil if it ended well.
	Failure(ctx context.Context, workflowID, runID string) error
	// Polled says whether anybody has asked a queue for work lately.
	Polled(ctx context.Context, queue string, workflows bool) (bool, error)
	// Table is every source's row, as the owner of the ceilings tells it.
	Table(ctx context.Context) ([]lease.SourceView, error)
	// ScheduleIDs are the names of all of weir's schedules.
	ScheduleIDs(ctx context.Context) ([]string, error)
	Schedule(ctx context.Context, id string) (ScheduleState, error)
	// Cancel asks one run to stop. A run that has ended stays as it is, and that is no error.
	Cancel(ctx context.Context, workflowID, runID, reason string) error
}

// EndStore is what the sweep needs of the store.
type EndStore interface {
	Get(ctx context.Context, key string, limit int64) ([]byte, error)
	Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error)
	Replace(ctx context.Context, key string, body []byte, contentType string, existing collection.ObjectInfo) (collection.ObjectInfo, error)
	Head(ctx context.Context, key string) (collection.ObjectInfo, error)
}
