package cli

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// TestAttended: whoever waits is told after three seconds that nobody works, once, and waits on; where somebody works, it
// is looked again.
func TestAttended(t *testing.T) {
	t.Parallel()
	w := work{"weir/x", []collection.Role{collection.RoleFleet}}
	const nobody = "no worker answers: is a worker with the role fleet running?"
	for name, c := range map[string]struct {
		client *fakeClient
		takes  time.Duration
		said   []string
		asked  int
	}{
		"nobody works":       {&fakeClient{unattended: w.roles}, time.Minute, []string{nobody}, 1},
		"it is over at once": {&fakeClient{unattended: w.roles}, silence - time.Second, nil, 0},
		"somebody works":     {&fakeClient{}, silence + 2*lookAgain + time.Second, nil, 3},
		"nobody can tell":    {&fakeClient{unattended: w.roles, unattendedErr: errors.New("no answer")}, silence + time.Second, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var said []string
				done := errors.New("done")
				err := attended(t.Context(), c.client, w, func(text string) { said = append(said, text) }, func(context.Context) error {
					time.Sleep(c.takes)
					return done
				})
				require.ErrorIs(t, err, done)
				require.Equal(t, c.said, said)
				require.Len(t, c.client.asked, c.asked)
				if c.asked > 0 {
					require.Equal(t, "unattended weir/x", c.client.asked[0])
					require.Equal(t, w.roles, c.client.lookedFor)
				}
			})
		})
	}
}

// TestHinderedWaits: whoever waits for what fails and is tried again hears why, once for every new reason.
func TestHinderedWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refused := starter.Hindrance{Step: "Ship", Failed: 1, Text: "takes nothing of\x1b[2J acme"}
		again := refused
		again.Failed = 2
		c := &fakeClient{unattended: []collection.Role{collection.RolePlan}, hindered: []starter.Hindrance{{}, refused, again, {Step: "Ship", Failed: 1200, Text: "no bucket"}}}
		var said []string
		err := attended(t.Context(), c, work{"weir/x", []collection.Role{collection.RolePlan}}, func(text string) { said = append(said, text) },
			func(context.Context) error {
				time.Sleep(silence + 6*lookAgain)
				return nil
			})
		require.NoError(t, err)
		require.Equal(t, []string{
			"no worker answers: is a worker with the role plan running?",
			`Ship has failed once and is tried again: takes nothing of\x1b[2J acme`,
			"Ship has failed 1,200 times and is tried again: no bucket",
		}, said)
	})
}

// TestBrokenOffWaits: who presses Ctrl-C is told what goes on, and how to end it.
func TestBrokenOffWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ args, workflow string }{
		"a sweep":   {"sweep", "weir/sweep-now"},
		"a plan":    {"plan", "weir/janitor-plan"},
		"a janitor": {"run", "weir/janitor-now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			client := &fakeClient{fakeSweeps: fakeSweeps{waits: func() { cancel(errInterrupted) }}}
			a := &app{world: testWorld(t)}
			var err error
			if c.args == "sweep" {
				_, err = a.sweepNow(ctx, client, collection.SweepInput{})
			} else {
				err = a.tidy(ctx, client, c.args == "plan")
			}
			require.Equal(t, ExitInterrupted, codeOf(err))
			require.ErrorContains(t, err, c.workflow+" goes on; to end it: temporal workflow terminate --workflow-id "+c.workflow)
		})
	}
}
