package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
)

func TestContact(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	down := errors.New("down")
	answer, asked := down, 0
	c := NewContact(func(context.Context) error { asked++; return answer }, func() time.Time { return now })
	require.False(t, c.Ever())
	for range 3 {
		require.ErrorIs(t, c.Make(t.Context()), down)
	}
	require.Equal(t, 1, asked, "a failure is believed for a while")
	now = now.Add(again)
	answer = nil
	require.NoError(t, c.Make(t.Context()))
	require.NoError(t, c.Make(t.Context()))
	require.Equal(t, 2, asked, "what stands is not made again")

	c.Lose(down)
	require.ErrorIs(t, c.Make(t.Context()), down)
	require.True(t, c.Ever())
	now = now.Add(again)
	require.NoError(t, c.Make(t.Context()))
	require.Equal(t, 3, asked)
}

// TestContactThatIsBrokenOff teaches nobody anything of the side.
func TestContactThatIsBrokenOff(t *testing.T) {
	t.Parallel()
	c := NewContact(func(ctx context.Context) error { return ctx.Err() }, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.Make(ctx), context.Canceled)
	require.NoError(t, c.Make(t.Context()))
}

func TestContactThatNobodyHasToMake(t *testing.T) {
	t.Parallel()
	var c *Contact
	c.Lose(errors.New("down"))
	require.NoError(t, c.Make(t.Context()))
	require.True(t, c.Ever())
}

func TestWhoDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		err           error
		engine, store bool
	}{
		"no error":            {},
		"another":             {err: errors.New("connection refused")},
		"away":                {err: fmt.Errorf("x: %w", serviceerror.NewUnavailable("refused")), engine: true},
		"late":                {err: serviceerror.NewDeadlineExceeded("late"), engine: true},
		"out of time":         {err: fmt.Errorf("x: %w", context.DeadlineExceeded), engine: true, store: true},
		"broken off":          {err: context.Canceled},
		"not found":           {err: serviceerror.NewNotFound("no")},
		"refused connection":  {err: fmt.Errorf("x: %w", &net.OpError{Op: "dial", Err: errors.New("refused")}), store: true},
		"no engine, as found": {err: fmt.Errorf("x: %w", &NoEngineError{Cause: errors.New("refused")}), engine: true},
	} {
		require.Equal(t, c.engine, EngineLost(c.err), what)
		require.Equal(t, c.store, StoreLost(c.err), what)
	}
}

// silentPort is an address that takes connections and says nothing, as that of a process that is stopped.
func silentPort(t *testing.T) string {
	t.Helper()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	return silent.Addr().String()
}

func TestTemporalWhenNeeded(t *testing.T) {
	cleanEnvironment(t)
	for name, address := range map[string]string{"nothing listens": "127.0.0.1:1", "it listens and is silent": silentPort(t)} {
		c, contact, err := TemporalWhenNeeded(load(t, `temporal: {address: "`+address+`"}`), secretsOf(nil), TemporalOptions{})
		require.NoError(t, err, name)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		began := time.Now()
		err = contact.Make(ctx)
		cancel()
		c.Close()
		var silent *NoEngineError
		require.ErrorAs(t, err, &silent, name)
		require.Equal(t, "Temporal does not answer at "+address, silent.Short())
		require.ErrorContains(t, err, "temporal.address", name)
		require.Less(t, time.Since(began), 30*time.Second, name)
	}
	_, _, err := TemporalWhenNeeded(load(t, `temporal: {api_key: "env:NOT_SET"}`), secretsOf(nil), TemporalOptions{})
	require.ErrorContains(t, err, "temporal.api_key", "the configuration is read at once")
}

// TestStoreWhenNeeded: nothing is sent before it is needed, and then every request says that nobody answers.
func TestStoreWhenNeeded(t *testing.T) {
	t.Parallel()
	keys := secretsOf(map[string]string{"ACCESS": "a", "SECRET": "b"})
	s, err := StoreWhenNeeded(t.Context(), load(t), keys)
	require.NoError(t, err)
	for what, ask := range map[string]func() error{
		"get":     func() error { _, err := s.Get(t.Context(), "k", 1); return err },
		"presign": func() error { _, err := s.PresignGet(t.Context(), "k", time.Hour); return err },
		"head":    func() error { _, err := s.Head(t.Context(), "k"); return err },
		"rules":   func() error { _, _, err := s.Expiries(t.Context()); return err },
		"list": func() error {
			for _, err := range s.List(t.Context(), "k") {
				return err
			}
			return nil
		},
	} {
		err := ask()
		require.True(t, StoreLost(err), "%s: %v", what, err)
		require.ErrorContains(t, err, "127.0.0.1:1", what)
		require.ErrorContains(t, err, "cannot be reached", what)
	}
	_, err = StoreWhenNeeded(t.Context(), load(t), secretsOf(nil))
	require.ErrorContains(t, err, "s3.access_key", "the configuration is read at once")
}
