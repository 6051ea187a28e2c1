package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// operated runs a command of an operator for a source that is before, and after, as given.
func operated(t *testing.T, before, after lease.SourceView, args ...string) (session, *fakeClient) {
	t.Helper()
	c := &fakeClient{table: []lease.SourceView{before}, after: after}
	return ask(t, c, args...), c
}

func pausedNow(reason string) lease.SourceView {
	after := openSource()
	n := note(0, reason)
	after.Open, after.Why, after.InForce, after.Granted, after.Paused = false, lease.WhyPaused, 0, 0, &n
	return after
}

func TestPause(t *testing.T) {
	t.Parallel()
	s, c := operated(t, openSource(), pausedNow("they called"), "pause", "bookshop", "--reason", " they\n called ")
	require.Equal(t, session{stdout: text(`
bookshop is paused: no new request

SOURCE    STATE   CEILING  IN FORCE  GRANTED  IN FLIGHT  WAITING  OLDEST  PACE  BREAKER
bookshop  paused        8         0        0          7       12   2 min  none  closed

bookshop  paused by ann@ops, just now: they called
`), stderr: text(`
workers follow with their next renewal, within 5 s; 7 requests are under way and end by themselves
take it back: weir resume bookshop
`)}, s)
	require.Equal(t, collection.UpdatePause, c.update)
	require.Regexp(t, `^[^@\s]*@\S+$`, c.command.By)
	c.command.By = ""
	require.Equal(t, collection.SourceCommand{Source: "bookshop", Reason: "they called"}, c.command)

	s, _ = operated(t, pausedNow("first"), pausedNow("second"), "pause", "bookshop", "--reason", "second")
	require.Zero(t, s.code)
	require.Contains(t, s.stdout, "bookshop was paused before, and stays so; the reason is now yours\n")
	require.Empty(t, s.stderr)
}

func TestResume(t *testing.T) {
	t.Parallel()
	s, c := operated(t, pausedNow("x"), openSource(), "resume", "bookshop")
	require.True(t, strings.HasPrefix(s.stdout, "bookshop is not paused any more\n\nSOURCE "), s.stdout)
	require.Equal(t, "workers follow with their next renewal, within 5 s\n", s.stderr)
	require.Equal(t, collection.UpdateResume, c.update)
	require.Empty(t, c.command.Reason)

	failing := openSource()
	failing.Open, failing.InForce, failing.InFlight, failing.Why, failing.Breaker, failing.OpensAt = false, 0, 1, lease.WhyBreakerOpen, lease.BreakerOpen, noon.Add(time.Minute)
	s, _ = operated(t, pausedNow("x"), failing, "resume", "bookshop")
	require.Contains(t, s.stdout, "bookshop is not paused any more; it still takes no requests, see below\n")
	require.Contains(t, s.stdout, "\nbookshop  breaker open until 2026-01-02 12:01:00 UTC (in 1 min): the source fails too often\n")
	require.Contains(t, s.stderr, "; 1 request is under way and ends by itself\n")

	s, _ = operated(t, openSource(), openSource(), "resume", "bookshop")
	require.Contains(t, s.stdout, "bookshop was not paused; nothing has changed\n")
	require.Empty(t, s.stderr)
}

func TestCeiling(t *testing.T) {
	t.Parallel()
	after := openSource()
	after.Ceiling, after.InForce = 2, 2
	after.CeilingOverride = &lease.CeilingOverride{Ceiling: 2, Until: noon.Add(2 * time.Hour), Note: note(0, "slow")}
	s, c := operated(t, openSource(), after, "ceiling", "bookshop", "2", "--for", "2h", "--reason", "slow")
	require.Equal(t, session{stdout: text(`
the ceiling of bookshop is 2 now, and was 8

SOURCE    STATE  CEILING  IN FORCE  GRANTED  IN FLIGHT  WAITING  OLDEST  PACE  BREAKER
bookshop  open         2         2        8          7       12   2 min  none  closed

bookshop  ceiling set to 2 until 2026-01-02 14:00:00 UTC (in 2 h) by ann@ops, just now: slow
`), stderr: text(`
workers follow with their next renewal, within 5 s; 7 requests are under way and end by themselves
take it back: weir ceiling bookshop --reset
`)}, s)
	require.Equal(t, collection.UpdateSetCeiling, c.update)
	require.Equal(t, 2, *c.command.Ceiling)
	require.Equal(t, noon.Add(2*time.Hour), c.command.Until)

	s, c = operated(t, after, openSource(), "ceiling", "bookshop", "--reset")
	require.Contains(t, s.stdout, "the ceiling of bookshop is the configured one again, 8; it was 2\n")
	require.Nil(t, c.command.Ceiling)
	require.NotContains(t, s.stderr, "take it back")

	s, _ = operated(t, openSource(), openSource(), "ceiling", "bookshop", "--reset")
	require.Contains(t, s.stdout, "the ceiling of bookshop was the configured one, 8; nothing has changed\n")
	require.Empty(t, s.stderr)

	_, c = operated(t, openSource(), after, "ceiling", "bookshop", "0")
	require.NotNil(t, c.command.Ceiling)
	require.Zero(t, *c.command.Ceiling)
	require.True(t, c.command.Until.IsZero(), "for good")
}

func TestPace(t *testing.T) {
	t.Parallel()
	after := openSource()
	after.Pace = lease.PerSecond(0.5)
	after.PaceOverride = &lease.PaceOverride{Rate: after.Pace, Note: note(0, "")}
	s, c := operated(t, openSource(), after, "pace", "bookshop", "30/min", "--for", "1h30m")
	require.Contains(t, s.stdout, "the pace of bookshop is 30/min now, and was none\n")
	require.Contains(t, s.stdout, "bookshop  pace set to 30/min by ann@ops, just now\n")
	require.Contains(t, s.stderr, "take it back: weir pace bookshop --reset\n")
	require.Equal(t, collection.UpdateSetPace, c.update)
	require.InDelta(t, 0.5, *c.command.Pace, 1e-12)
	require.Equal(t, noon.Add(90*time.Minute), c.command.Until)

	_, c = operated(t, after, openSource(), "pace", "bookshop", "none")
	require.NotNil(t, c.command.Pace)
	require.Zero(t, *c.command.Pace, "zero means no pace")

	s, c = operated(t, after, openSource(), "pace", "bookshop", "--reset")
	require.Contains(t, s.stdout, "the pace of bookshop is the configured one again, none; it was 30/min\n")
	require.Nil(t, c.command.Pace)
	s, _ = operated(t, openSource(), openSource(), "pace", "bookshop", "--reset")
	require.Contains(t, s.stdout, "the pace of bookshop was the configured one, none; nothing has changed\n")
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	held := openSource()
	n := note(0, "login forms")
	held.Open, held.Why, held.InForce, held.BreakerHeld = false, lease.WhyBreakerHeld, 0, &n
	s, c := operated(t, openSource(), held, "breaker", "hold", "bookshop", "--reason", "login forms")
	require.Contains(t, s.stdout, "the breaker of bookshop is held open: no new request\n")
	require.Contains(t, s.stdout, "bookshop  breaker held open by ann@ops, just now: login forms\n")
	require.Contains(t, s.stderr, "take it back: weir breaker release bookshop --reason TEXT\n")
	require.Equal(t, collection.UpdateHoldBreaker, c.update)
	s, _ = operated(t, held, held, "breaker", "hold", "bookshop", "--reason", "y")
	require.Contains(t, s.stdout, "was held open before, and stays so")

	half := openSource()
	half.InForce, half.Breaker = 1, lease.BreakerHalfOpen
	s, c = operated(t, held, half, "breaker", "release", "bookshop", "--reason", "mended")
	require.Contains(t, s.stdout, "the breaker of bookshop is released: one request tries the source\n")
	require.Contains(t, s.stdout, "  half-open\n")
	require.Equal(t, collection.UpdateReleaseBreaker, c.update)
	s, _ = operated(t, openSource(), openSource(), "breaker", "release", "bookshop", "--reason", "x")
	require.Contains(t, s.stdout, "the breaker of bookshop was not open; nothing has changed\n")

	s, _ = operated(t, openSource(), openSource(), "breaker")
	require.Equal(t, session{code: ExitUsage, stderr: "weir: weir breaker needs a command: hold, release; see weir breaker --help\n"}, s)
	s, _ = operated(t, openSource(), openSource(), "breaker", "--help")
	require.Zero(t, s.code)
	require.Contains(t, s.stdout, "weir breaker [command]")
}

func TestOperatorsAnswerAsJSON(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"pause bookshop --reason x", "resume bookshop", "ceiling bookshop 2", "ceiling bookshop --reset", "pace bookshop 2", "pace bookshop --reset",
		"breaker hold bookshop --reason x", "breaker release bookshop --reason x", "method bookshop api --reason x", "method bookshop --reset",
	} {
		s, _ := operated(t, byMethod("page"), pausedSource(), append(strings.Fields(line), "-o", "json")...)
		var got lease.SourceView
		require.NoError(t, json.Unmarshal([]byte(s.stdout), &got), line)
		require.Equal(t, pausedSource(), got, line)
		require.Empty(t, s.stderr, line)
	}
}

func TestOperatorsMeetErrors(t *testing.T) {
	t.Parallel()
	s, c := operated(t, openSource(), openSource(), "pause", "shop", "--reason", "x")
	require.Equal(t, session{code: ExitNotFound, stderr: "weir: the fleet has no source \"shop\"; its sources are bookshop\n"}, s)
	require.Empty(t, c.update, "nothing was commanded")

	c = &fakeClient{table: []lease.SourceView{openSource()}, commandErr: errors.New("set-ceiling bookshop: until 2026: give a time after now")}
	s = ask(t, c, "ceiling", "bookshop", "2", "--for", "1s")
	require.Equal(t, session{code: ExitFailure, stderr: "weir: set-ceiling bookshop: until 2026: give a time after now\n"}, s)

	idle := pausedNow("x")
	idle.Workers = nil
	s, _ = operated(t, openSource(), idle, "pause", "bookshop", "--reason", "x")
	require.True(t, strings.HasPrefix(s.stderr, "no worker holds a lease: it takes effect when one does\n"), s.stderr)
}

func TestParsePace(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]float64{"5": 5, "0.5": 0.5, "5/s": 5, "30/min": 0.5, "36/h": 0.01, "none": 0, "10000": 10_000} {
		got, err := parsePace(written)
		require.NoError(t, err, written)
		require.InDelta(t, want, got, 1e-12, written)
	}
	for want, rate := range map[string]lease.Rate{
		"none": lease.Unlimited, "0": 0, "5/s": lease.PerSecond(5), "30/min": lease.PerSecond(0.5), "10/min": lease.PerSecond(10.0 / 60),
		"1/min": lease.PerSecond(1.0 / 60), "36/h": lease.PerSecond(0.01), "3.33/s": lease.PerSecond(10.0 / 3), "10000/s": lease.PerSecond(10_000),
	} {
		require.Equal(t, want, paceText(rate))
	}
	// What is shown can be given back, and is nearly the same.
	rapid.Check(t, func(t *rapid.T) {
		rate := lease.Rate(rapid.Int64Range(1000, largestPace*int64(lease.OnePerSecond)).Draw(t, "rate"))
		pace, err := parsePace(paceText(rate))
		require.NoError(t, err)
		require.InEpsilon(t, rate.PerSecond(), pace, 0.006)
	})
}
