package workflows_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// outside is a test environment for the workflows of the fleet's queue, with a stand-in for the activity that they call.
func outside[In, Out any](t *testing.T, name string, standIn func(In) (Out, error)) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	// On a machine that is busy with other tests, a second may pass without any workflow's fault.
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: 30 * time.Second})
	workflows.RegisterFleet(env)
	env.RegisterActivityWithOptions(func(_ context.Context, in In) (Out, error) { return standIn(in) }, activity.RegisterOptions{Name: name})
	return env
}

func resultOf[T any](t *testing.T, env *testsuite.TestWorkflowEnvironment) T {
	t.Helper()
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	var out T
	require.NoError(t, env.GetWorkflowResult(&out))
	return out
}

func TestSweepMakesEveryCheck(t *testing.T) {
	t.Parallel()
	var made []collection.Check
	env := outside(t, collection.ActivitySweepCheck, func(in collection.CheckInput) (collection.CheckResult, error) {
		require.Equal(t, collection.Duration(time.Hour), in.QuietAfter)
		made = append(made, in.Check)
		return collection.CheckResult{Check: in.Check, Looked: 2}, nil
	})
	env.ExecuteWorkflow(collection.WorkflowSweep, collection.SweepInput{QuietAfter: collection.Duration(time.Hour)})
	got := resultOf[collection.SweepResult](t, env)
	require.Equal(t, collection.SweepChecks(), made)
	require.Len(t, got.Checks, len(made))
	require.Empty(t, got.Findings)
	require.False(t, got.EndedAt.Before(got.StartedAt) || got.StartedAt.IsZero())
}

// TestSweepGoesOnPastAFailedCheck: what cannot be checked is a finding, and everything else is checked.
func TestSweepGoesOnPastAFailedCheck(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	tries := map[collection.Check]int{}
	env := outside(t, collection.ActivitySweepCheck, func(in collection.CheckInput) (collection.CheckResult, error) {
		mu.Lock()
		defer mu.Unlock()
		tries[in.Check]++
		switch in.Check {
		case collection.CheckQueues:
			return collection.CheckResult{}, errors.New("the engine | does not answer")
		case collection.CheckEnds:
			return collection.CheckResult{Check: in.Check, Findings: []collection.Finding{{Kind: collection.FindingSubmissionFailed, Severity: collection.SEV1, Subject: "s1"}}}, nil
		case collection.CheckDeadLetters:
			return collection.CheckResult{Check: in.Check, DeadLetters: []collection.DeadLetterCount{{Source: "books", Records: 2}}}, nil
		}
		return collection.CheckResult{Check: in.Check}, nil
	})
	env.ExecuteWorkflow(collection.WorkflowSweep, collection.SweepInput{})
	got := resultOf[collection.SweepResult](t, env)
	require.Len(t, tries, len(collection.SweepChecks()))
	require.Equal(t, 2, tries[collection.CheckQueues])
	require.Len(t, got.Findings, 2)
	require.Equal(t, collection.SEV1, got.Findings[0].Severity, "the gravest first")
	require.Equal(t, collection.FindingCheckFailed, got.Findings[1].Kind)
	require.Equal(t, "queues", got.Findings[1].Subject)
	require.Contains(t, got.Findings[1].Detail, "does not answer")
	require.Len(t, got.DeadLetters, 1)

	value, err := env.QueryWorkflow(collection.QueryStatus)
	require.NoError(t, err)
	var asked collection.SweepResult
	require.NoError(t, value.Get(&asked))
	require.Equal(t, got, asked)
}

func TestSweepIsCancelled(t *testing.T) {
	t.Parallel()
	env := outside(t, collection.ActivitySweepCheck, func(in collection.CheckInput) (collection.CheckResult, error) {
		return collection.CheckResult{Check: in.Check}, errors.New("later")
	})
	env.RegisterDelayedCallback(env.CancelWorkflow, 500*time.Millisecond)
	env.ExecuteWorkflow(collection.WorkflowSweep, collection.SweepInput{})
	require.ErrorContains(t, env.GetWorkflowError(), "canceled")
}

func TestJanitorTidiesEveryClass(t *testing.T) {
	t.Parallel()
	var asked []collection.TidyInput
	env := outside(t, collection.ActivityTidy, func(in collection.TidyInput) (collection.TidyResult, error) {
		asked = append(asked, in)
		return collection.TidyResult{Class: in.Class, Looked: 1}, nil
	})
	env.ExecuteWorkflow(collection.WorkflowJanitor, collection.JanitorInput{DryRun: true})
	got := resultOf[collection.JanitorResult](t, env)
	require.True(t, got.DryRun)
	require.Len(t, got.Classes, len(collection.ObjectClasses()))
	for i, in := range asked {
		require.Equal(t, collection.ObjectClasses()[i], in.Class)
		require.True(t, in.DryRun)
		require.True(t, in.Now.Equal(got.StartedAt), "ages count from one moment")
	}
}

// TestJanitorGoesOnPastAFailedClass: a class that cannot be gone through, however long that is tried, keeps none of the others.
func TestJanitorGoesOnPastAFailedClass(t *testing.T) {
	t.Parallel()
	env := outside(t, collection.ActivityTidy, func(in collection.TidyInput) (collection.TidyResult, error) {
		if in.Class == collection.ClassRaw {
			return collection.TidyResult{}, errors.New("the store does not answer")
		}
		return collection.TidyResult{Class: in.Class, Deleted: 1}, nil
	})
	env.ExecuteWorkflow(collection.WorkflowJanitor, collection.JanitorInput{})
	got := resultOf[collection.JanitorResult](t, env)
	require.Len(t, got.Classes, len(collection.ObjectClasses()))
	for _, c := range got.Classes {
		require.Equal(t, c.Class == collection.ClassRaw, c.Problem != "", c.Class)
		require.Equal(t, c.Class != collection.ClassRaw, c.Deleted == 1, c.Class)
	}
}
