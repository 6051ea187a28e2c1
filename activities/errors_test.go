package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// TestErrorShapes: the type is the reason, the message is the detail, and neither floods a history.
func TestErrorShapes(t *testing.T) {
	long := strings.Repeat("ü", collection.MaxDetail)
	cause := errors.New("the cause")
	for name, c := range map[string]struct {
		err   error
		final bool
		after time.Duration
	}{
		"final":     {final(collection.ReasonParseEmpty, collection.AttemptFailure{Detail: long, Attempts: 2}, cause), true, 0},
		"transient": {transient(collection.ReasonParseEmpty, time.Second, collection.AttemptFailure{Detail: long, Attempts: 2}, cause), false, time.Second},
	} {
		var app *temporal.ApplicationError
		require.ErrorAs(t, c.err, &app, name)
		require.Equal(t, "parse_empty", app.Type())
		require.Equal(t, c.final, app.NonRetryable())
		require.Equal(t, c.after, app.NextRetryDelay())
		require.Equal(t, temporal.ApplicationErrorCategoryBenign, app.Category(), "attempts log their own end")
		require.Equal(t, collection.Clip(long, collection.MaxDetail), app.Message())
		require.ErrorIs(t, c.err, cause)
		var f collection.AttemptFailure
		require.NoError(t, app.Details(&f))
		require.Equal(t, collection.AttemptFailure{Detail: app.Message(), Attempts: 2}, f)
	}
	require.ErrorIs(t, finalf(collection.ReasonInternal, "while reading: %w", cause), cause)
}

// TestStoreFailed: the store is asked again soon when it does not answer, in a minute when it refuses us (O04), and not
// blamed when it was we who gave up.
func TestStoreFailed(t *testing.T) {
	err := storeFailed(t.Context(), "read the plan", errOutage)
	require.Zero(t, requireTransient(t, err, collection.ReasonStoreUnavailable, "read the plan: "+errOutage.Error()).after)

	err = storeFailed(t.Context(), "read the plan", fmt.Errorf("get: %w", collection.ErrStoreDenied))
	require.Equal(t, time.Minute, requireTransient(t, err, collection.ReasonStoreUnavailable, "read the plan: get: ").after)

	err = storeFailed(t.Context(), "read the plan", fmt.Errorf("get: %w", &collection.TooLargeError{Key: "k", Size: 9, Limit: 5}))
	requireFinal(t, err, collection.ReasonInternal, "read the plan: get: ", "9 bytes")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, storeFailed(ctx, "read the plan", errOutage), context.Canceled)
}

// TestCountDeadLetter: only what ends the record is counted.
func TestCountDeadLetter(t *testing.T) {
	for _, c := range []struct {
		err  error
		want []endedCall
	}{
		{nil, nil},
		{errors.New("anything"), nil},
		{context.Canceled, nil},
		{transient(collection.ReasonReset, 0, collection.AttemptFailure{}, nil), nil},
		{final(collection.ReasonBlocked, collection.AttemptFailure{}, nil), []endedCall{{"books", collection.OutcomeDeadLettered, collection.ReasonBlocked}}},
		{fmt.Errorf("wrapped: %w", final(collection.ReasonBlocked, collection.AttemptFailure{}, nil)),
			[]endedCall{{"books", collection.OutcomeDeadLettered, collection.ReasonBlocked}}},
	} {
		m := &ledgerOfMetrics{}
		countDeadLetter(m, "books", c.err)
		require.Equal(t, c.want, m.ended, "%v", c.err)
	}
}

// requireAround: a wait with jitter, by a Random that a test does not set.
func requireAround(t require.TestingT, want, got time.Duration) {
	require.GreaterOrEqual(t, got, want/2)
	require.LessOrEqual(t, got, want*3/2)
}

// TestFixedWaitsHaveJitter: records that were sent away at one moment do not come back at one (E07), nor before half the wait.
func TestFixedWaitsHaveJitter(t *testing.T) {
	lost := func(c *collecting) {
		c.permits.acquire = func(context.Context) error { return errors.New("the lease has ended") }
	}
	for name, tt := range map[string]struct {
		wait   time.Duration
		number int
		meet   func(c *collecting)
	}{
		"a source that is not known here": {unknownHereRetry, 1, func(c *collecting) { c.Directory = directory{} }},
		"a method that is not known here": {unknownHereRetry, 1, func(c *collecting) { c.permits.method = "api" }},
		"no room": {noRoomRetry, 1, func(c *collecting) {
			c.Fetcher = unchanged(collection.SmallBody)
			c.Memory = impatient{}
			known(t, c, strings.Repeat("x", collection.SmallBody))
		}},
		"no egress": {noEgressRetry, 1, func(c *collecting) {
			src := patience
			src.Egress.Use = []string{"east"}
			c.Directory, c.ways.bad = directory{sources: []collection.Source{src}}, map[string]bool{"east": true}
		}},
		"no permit":             {firstRetry, 1, lost},
		"no permit once more":   {4 * firstRetry, 3, lost},
		"no permit for an hour": {longestRetry, 60, lost},
	} {
		t.Run(name, func(t *testing.T) {
			for rnd, want := range map[float64]time.Duration{0: tt.wait / 2, 0.25: tt.wait * 3 / 4, 0.5: tt.wait, 1: tt.wait * 3 / 2} {
				c := newCollecting(answers(success))
				c.Random = func() float64 { return rnd }
				tt.meet(c)
				_, err := run(t, &trial{number: tt.number, before: collection.AttemptProgress{Ended: tt.number - 1}}, c.Collect, collectInput)
				require.Equal(t, want, refusal(t, err).after)
			}
		})
	}
}
