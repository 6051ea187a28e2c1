package workflows_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

func ptr[T any](v T) *T { return &v }

// by is a command for the source books that says who gave it.
func by(in collection.SourceCommand) collection.SourceCommand {
	in.Source, in.By, in.Reason = "books", "ann", "a test"
	return in
}

// TestCeilingsCarryOutCommands gives each command and looks at its answer, at the table and at what a worker is granted.
func TestCeilingsCarryOutCommands(t *testing.T) {
	t.Parallel()
	const at = 10 * time.Second
	given := lease.Note{By: "ann", Reason: "a test", At: noon.Add(at)}
	until := noon.Add(time.Minute)
	tests := map[string]struct {
		before, update string
		in             collection.SourceCommand
		log            string
		permits        int
		method         string
		look           func(*testing.T, lease.SourceView)
	}{
		"pause": {update: collection.UpdatePause, log: "pause", look: func(t *testing.T, r lease.SourceView) {
			require.Equal(t, &given, r.Paused)
			require.Equal(t, lease.WhyPaused, r.Why)
		}},
		"resume": {before: collection.UpdatePause, update: collection.UpdateResume, log: "resume", permits: 4,
			look: func(t *testing.T, r lease.SourceView) { require.Nil(t, r.Paused); require.True(t, r.Open) }},
		"resume what was not paused": {update: collection.UpdateResume, log: "resume: was not paused", permits: 4,
			look: func(t *testing.T, r lease.SourceView) { require.True(t, r.Open) }},
		"set-ceiling": {update: collection.UpdateSetCeiling, in: collection.SourceCommand{Ceiling: ptr(2)}, log: "set-ceiling: 2", permits: 2,
			look: func(t *testing.T, r lease.SourceView) {
				require.Equal(t, 2, r.Ceiling)
				require.Equal(t, &lease.CeilingOverride{Ceiling: 2, Note: given}, r.CeilingOverride)
			}},
		"set-ceiling until": {update: collection.UpdateSetCeiling, in: collection.SourceCommand{Ceiling: ptr(0), Until: until},
			log: "set-ceiling: 0 until 2026-11-29T12:01:00Z",
			look: func(t *testing.T, r lease.SourceView) {
				require.Equal(t, &lease.CeilingOverride{Ceiling: 0, Until: until, Note: given}, r.CeilingOverride)
				require.Equal(t, lease.WhyCeiling, r.Why)
			}},
		"set-ceiling back": {before: collection.UpdateSetCeiling, update: collection.UpdateSetCeiling, log: "set-ceiling: 1; reset-ceiling: 4", permits: 4,
			look: func(t *testing.T, r lease.SourceView) {
				require.Nil(t, r.CeilingOverride)
				require.Equal(t, 4, r.Ceiling)
			}},
		"set-pace": {update: collection.UpdateSetPace, in: collection.SourceCommand{Pace: ptr(0.5), Until: until},
			log: "set-pace: 0.5/s until 2026-11-29T12:01:00Z", permits: 4,
			look: func(t *testing.T, r lease.SourceView) {
				require.Equal(t, &lease.PaceOverride{Rate: lease.PerSecond(0.5), Until: until, Note: given}, r.PaceOverride)
				require.Equal(t, lease.PerSecond(0.5), r.Pace)
			}},
		"set-pace to none": {update: collection.UpdateSetPace, in: collection.SourceCommand{Pace: ptr(0.0)}, log: "set-pace: unlimited", permits: 4,
			look: func(t *testing.T, r lease.SourceView) { require.Equal(t, lease.Rate(lease.Unlimited), r.Pace) }},
		"set-pace back": {before: collection.UpdateSetPace, update: collection.UpdateSetPace, log: "set-pace: 1/s; reset-pace: unlimited", permits: 4,
			look: func(t *testing.T, r lease.SourceView) { require.Nil(t, r.PaceOverride) }},
		"hold-breaker": {update: collection.UpdateHoldBreaker, log: "hold-breaker", look: func(t *testing.T, r lease.SourceView) {
			require.Equal(t, &given, r.BreakerHeld)
			require.Equal(t, lease.WhyBreakerHeld, r.Why)
		}},
		"release-breaker": {before: collection.UpdateHoldBreaker, update: collection.UpdateReleaseBreaker, permits: 1,
			look: func(t *testing.T, r lease.SourceView) {
				require.Nil(t, r.BreakerHeld)
				require.Equal(t, lease.BreakerHalfOpen, r.Breaker)
			}},
		"use-method": {update: collection.UpdateUseMethod, in: collection.SourceCommand{Method: "api"}, log: "use-method: api", permits: 4,
			method: "api", look: func(t *testing.T, r lease.SourceView) {
				require.Equal(t, "api", r.Method)
				require.Equal(t, &lease.MethodOverride{Method: "api", Note: given}, r.MethodOverride)
			}},
		"use-method back": {before: collection.UpdateUseMethod, update: collection.UpdateUseMethod, log: "use-method: api; use-method: page", permits: 4,
			look: func(t *testing.T, r lease.SourceView) {
				require.Nil(t, r.MethodOverride)
				require.Equal(t, []string{"page", "api"}, r.Methods)
			}},
	}
	covered := map[string]bool{}
	for name, test := range tests {
		covered[test.update] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := firstOwner(t)
			config := books(4)
			config.Sources[0].Methods = []string{"page", "api"}
			o.configure(time.Second, config)
			if test.before != "" {
				o.update(5*time.Second, test.before, by(collection.SourceCommand{Ceiling: ptr(1), Pace: ptr(1.0), Method: "api"}))
			}
			r := o.update(at, test.update, by(test.in))
			rows := o.table(at + time.Millisecond)
			granted := o.renew(11*time.Second, wants("a", 1, 9))
			next := o.run()
			require.True(t, r.accepted)
			require.Equal(t, []lease.SourceView{r.row(t)}, *rows, "the answer is the row as it is then")
			test.look(t, r.row(t))
			require.Equal(t, test.permits, granted.permits(t))
			require.Equal(t, cmp.Or(test.method, "page"), granted.granted(t).Answer.Grants[0].Method)
			if test.log != "" {
				require.True(t, strings.HasSuffix(logText(r.row(t)), test.log), logText(r.row(t)))
			}
			require.Equal(t, given, r.row(t).Log[len(r.row(t).Log)-1].Note, "who, why and when")
			require.Equal(t, r.row(t).Log, next.State.Table.Sources[0].Log)
		})
	}
	require.Len(t, covered, 7, "every command of an operator")
}

func logText(r lease.SourceView) string {
	var lines []string
	for _, c := range r.Log {
		line := c.Command
		if c.Detail != "" {
			line += ": " + c.Detail
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// TestCeilingsEndOverridesInTime looks at an override before and after its time.
func TestCeilingsEndOverridesInTime(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	o.configure(time.Second, books(4))
	o.update(2*time.Second, collection.UpdateSetCeiling, by(collection.SourceCommand{Ceiling: ptr(2), Until: noon.Add(time.Minute)}))
	during := o.renew(time.Minute-time.Millisecond, wants("a", 1, 9))
	after := o.renew(time.Minute, wants("a", 2, 9))
	rows := o.table(time.Minute + time.Second)
	o.run()
	require.Equal(t, 2, during.permits(t))
	require.Equal(t, 4, after.permits(t))
	require.Equal(t, "set-ceiling: 2 until 2026-11-29T12:01:00Z; reset-ceiling: 4, since its time was over", logText((*rows)[0]))
}

func TestCeilingsRefuseCommands(t *testing.T) {
	t.Parallel()
	past := noon.Add(-time.Hour)
	tests := map[string]struct {
		update string
		in     collection.SourceCommand
		reason collection.Reason
		want   string
	}{
		"negative ceiling": {collection.UpdateSetCeiling, collection.SourceCommand{Source: "books", Ceiling: ptr(-1)}, "",
			"set-ceiling books: ceiling -1: give between 0 and 10000 requests in flight"},
		"ceiling until the past": {collection.UpdateSetCeiling, collection.SourceCommand{Source: "books", Ceiling: ptr(1), Until: past}, "",
			"set-ceiling books: until 2026-11-29T11:00:00Z: give a time after now, 2026-11-29T12:00:02Z"},
		"until without a ceiling": {collection.UpdateSetCeiling, collection.SourceCommand{Source: "books", Until: noon.Add(time.Hour)}, "",
			"set-ceiling books: until without a ceiling: give both, or neither to go back to the configured ceiling"},
		"negative pace": {collection.UpdateSetPace, collection.SourceCommand{Source: "books", Pace: ptr(-0.5)}, "",
			"set-pace books: pace -0.5: give between 0 (no pace) and 1000000 requests per second"},
		"too fast a pace": {collection.UpdateSetPace, collection.SourceCommand{Source: "books", Pace: ptr(1e9)}, "",
			"set-pace books: pace 1e+09: give between 0 (no pace) and 1000000 requests per second"},
		"pace until the past": {collection.UpdateSetPace, collection.SourceCommand{Source: "books", Pace: ptr(1.0), Until: past}, "",
			"set-pace books: until 2026-11-29T11:00:00Z: give a time after now, 2026-11-29T12:00:02Z"},
		"until without a pace": {collection.UpdateSetPace, collection.SourceCommand{Source: "books", Until: noon.Add(time.Hour)}, "",
			"set-pace books: until without a pace: give both, or neither to go back to the configured pace"},
		"method of a source without any": {collection.UpdateUseMethod, collection.SourceCommand{Source: "books", Method: "api"}, "",
			`use-method books: method "api": the source has no methods to choose from; list them in its configuration`},
		"unknown method": {collection.UpdateUseMethod, collection.SourceCommand{Source: "films", Method: "mirror"}, "",
			`use-method films: method "mirror": choose one of the source's own (page, api)`},
		"a long reason": {collection.UpdatePause, collection.SourceCommand{Source: "books", Reason: strings.Repeat("x", 1001)}, "",
			"by or reason has 1001 bytes: give at most 1000"},
		"a long name": {collection.UpdatePause, collection.SourceCommand{Source: "books", By: strings.Repeat("x", 1001)}, "",
			"by or reason has 1001 bytes: give at most 1000"},
	}
	for _, update := range []string{
		collection.UpdatePause, collection.UpdateResume, collection.UpdateSetCeiling, collection.UpdateSetPace,
		collection.UpdateHoldBreaker, collection.UpdateReleaseBreaker, collection.UpdateUseMethod,
	} {
		test := tests[update]
		test.update, test.in, test.reason = update, collection.SourceCommand{Source: "boks", Ceiling: ptr(1), Pace: ptr(1.0)}, collection.ReasonSourceUnknown
		test.want = `source "boks" is not known: check the name against those that are (books, films)`
		tests["unknown source of "+update] = test
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := firstOwner(t)
			config := books(4)
			config.Sources = append(config.Sources, lease.SourceConfig{Source: "films", Ceiling: 1, Methods: []string{"page", "api"}})
			o.configure(time.Second, config)
			o.renew(time.Second+time.Millisecond, wants("a", 1, 9))
			before := o.table(1500 * time.Millisecond)
			r := o.update(2*time.Second, test.update, test.in)
			after := o.table(2500 * time.Millisecond)
			o.run()
			reason := test.reason
			if reason == "" {
				reason = collection.ReasonCommandRefused
			}
			r.refused(t, reason, test.want)
			require.Equal(t, *before, *after, "nothing was tried on the table itself")
			require.Empty(t, (*after)[0].Log)
		})
	}
}

// TestCeilingsRefuseWithoutASource: before any worker has brought a configuration there is nothing to command.
func TestCeilingsRefuseWithoutASource(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	r := o.update(time.Second, collection.UpdatePause, by(collection.SourceCommand{}))
	rows := o.table(2 * time.Second)
	o.run()
	r.refused(t, collection.ReasonSourceUnknown,
		`source "books" is not known: check the name against those that are (none yet; start a worker with its configuration first)`)
	require.Empty(t, *rows)
}
