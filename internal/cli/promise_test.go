package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/promise"
	"github.com/weir-collect/weir/starter"
)

// week is a book of two customers: acme's records start in time, initech's do not, and some count for neither.
func week() *promise.Book {
	b := promise.NewBook()
	accepted := noon.Add(-day)
	row := func(customer string, wait time.Duration, o collection.Outcome, r collection.Reason) {
		first := accepted.Add(wait)
		b.Row(customer, accepted, collection.LedgerRow{RecordResult: collection.RecordResult{Outcome: o, Reason: r, FirstRequestAt: &first}})
	}
	b.Submission("acme", collection.Tally{{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Records: 2}})
	for i := range 1200 {
		row("acme", time.Duration(i)*200*time.Millisecond, collection.OutcomeDelivered, "")
	}
	for range 12 {
		row("acme", time.Second, collection.OutcomeDeadLettered, collection.ReasonParseEmpty)
	}
	b.Submission("initech", nil)
	for range 3 {
		row("initech", 8*time.Minute, collection.OutcomeGone, collection.ReasonGone)
	}
	b.Row("initech", accepted, collection.LedgerRow{RecordResult: collection.RecordResult{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonExpired}})
	b.Cancelled("initech", 4)
	b.Waiting("initech", 1, time.Minute)
	b.Waiting("initech", 2, time.Hour)
	b.UnderWay("initech", 7)
	return b
}

func TestPromise(t *testing.T) {
	t.Parallel()
	c := &fakeClient{past: fakePast{book: week()}}
	s := ask(t, c, "promise")
	require.Equal(t, ExitPromiseBroken, s.code, s.stderr)
	require.Equal(t, text(`
promised: 95 % of records start within 5 min; looked at since 2025-12-26 12:00:00 UTC (7 d ago)

CUSTOMER    P95 WAIT         P50         P99  IN TIME  RECORDS  LATE  NEVER  PROMISE
acme      3 min 48 s  1 min 59 s  3 min 57 s  100.0 %    1,212     0      0  kept
initech        never       8 min       never    0.0 %        6     6      1  broken
all       3 min 49 s  1 min 59 s  3 min 59 s   99.5 %    1,218     6      1

not counted: 4 cancelled, with no first request on record; 1 waiting still, and not too long yet; 7 under way, which may have started
2 records wait still, longer than promised: counted as late, with the wait so far
`), s.stdout, "all together are no customer, and have no promise")
	require.Empty(t, s.stderr)
	require.Equal(t, starter.Window{Since: noon.Add(-7 * day), Until: noon}, c.past.window)
}

func TestPromiseOfOneCustomer(t *testing.T) {
	t.Parallel()
	b := promise.NewBook()
	first := noon
	b.Row("acme", noon, collection.LedgerRow{RecordResult: collection.RecordResult{Outcome: collection.OutcomeDelivered, FirstRequestAt: &first}})
	c := &fakeClient{past: fakePast{book: b}}
	s := ask(t, c, "promise", "--customer", "acme", "--since", "36h", "--within", "10s", "--percent", "99.9", "--max-records", "5000")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, starter.Window{Customer: "acme", Since: noon.Add(-36 * time.Hour), Until: noon, MaxRecords: 5000}, c.past.window)
	require.Contains(t, s.stdout, "promised: 99.9 % of records start within 10 s; looked at since 2026-01-01 00:00:00 UTC (1 d 12 h ago)\n")
	require.NotContains(t, s.stdout, "\nall ", "one customer is all")
}

func TestPromiseAsJSON(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{past: fakePast{book: week(), covered: starter.Coverage{Submissions: 2, Records: 1216}}}, "promise", "-o", "json")
	require.Equal(t, ExitPromiseBroken, s.code)
	require.Equal(t, 1, strings.Count(s.stdout, "\n"))
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, []any{"initech"}, got["broken"])
	require.InDelta(t, 300, got["within_seconds"], 0)
	initech := got["customers"].([]any)[1].(map[string]any)
	require.Nil(t, initech["p95_seconds"])
	require.Contains(t, initech, "p95_seconds", "null, and not left out")
	require.Equal(t, "broken", initech["verdict"])
	require.InDelta(t, 2, got["covered"].(map[string]any)["submissions"], 0)

	s = ask(t, &fakeClient{past: fakePast{book: promise.NewBook()}}, "promise", "-o", "json")
	require.Zero(t, s.code)
	require.Contains(t, s.stdout, `"customers":[]`)
	require.Contains(t, s.stdout, `"broken":[]`)
}

// TestWeekly: start waits stand first, and how busy the fleet was nowhere (J11, J12).
func TestWeekly(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{past: fakePast{book: week()}}, "promise", "--weekly")
	require.Equal(t, ExitPromiseBroken, s.code, s.stderr)
	require.True(t, strings.HasPrefix(s.stdout, "2025-12-26 12:00:00 UTC to 2026-01-02 12:00:00 UTC\n\nCUSTOMER  P95 START WAIT  WITHIN 5 MIN  PROMISE  SUCCESS  "), s.stdout)
	require.Regexp(t, `(?m)^acme +3 min 48 s +100\.0 % +kept +99\.0 % +1,212 +12 +1$`, s.stdout)
	require.Regexp(t, `(?m)^initech +never +0\.0 % +broken +75\.0 % +4 +1 +1$`, s.stdout)
	require.Regexp(t, `(?m)^acme +dead_lettered +parse_empty +12 +0\.9 %$`, s.stdout)
	require.Regexp(t, `(?m)^acme +invalid +row_malformed +2 +0\.1 %$`, s.stdout)
	require.NotContains(t, strings.ToLower(s.stdout), "utili")
	require.NotContains(t, strings.ToLower(s.stdout), "busy")
}

func TestPromiseOfNothing(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{past: fakePast{book: promise.NewBook()}}, "promise", "--since", "1d", "--customer", "acme")
	require.Equal(t, session{stderr: "no submission of acme since 2026-01-01 12:00 UTC\n"}, s)
}

// TestPromiseTellsItsBounds: a bound that was reached is told, on stderr, whatever the form of the answer.
func TestPromiseTellsItsBounds(t *testing.T) {
	t.Parallel()
	covered := starter.Coverage{Submissions: 12, Records: 1_000_400, Omitted: 3, Oldest: noon.Add(-day)}
	s := ask(t, &fakeClient{past: fakePast{book: week(), covered: covered}}, "promise")
	require.Equal(t, "only the newest 12 submissions were read, with 1,000,400 records, back to 2026-01-01 12:00:00 UTC; "+
		"3 older submissions were not looked at\n", s.stderr)
}

func TestPromiseFails(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{err: errors.New("read plans/x: the store is gone")}, "promise")
	require.Equal(t, session{code: 1, stderr: "weir: read plans/x: the store is gone\n"}, s)
}

func TestPromiseUsage(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"promise acme":                              `unexpected argument "acme"`,
		"promise --since 0":                         "use more than zero, up to 3650d",
		"promise --since soon":                      "use a span such as 7d, 36h or 1d12h",
		"promise --since 99999d":                    "use more than zero, up to 3650d",
		"promise --since 99999999999999999999d":     "use more than zero, up to 3650d",
		"promise --since 100000h":                   "use more than zero, up to 3650d",
		"promise --within 0s":                       "--within 0s: use more than zero",
		"promise --percent 100":                     "--percent 100: use more than 0 and less than 100",
		"promise --percent NaN":                     "--percent NaN",
		"promise --customer Acme":                   `customer "Acme"`,
		"promise --max-records -1":                  "--max-records -1",
		"promise --drift --weekly":                  "--weekly and --drift are two answers",
		"promise --assumed x.json":                  "--assumed belongs to --drift",
		"promise --drift --assumed=":                "--assumed is empty",
		"promise --drift --within 3m":               "--drift compares arrivals: leave out --within",
		"promise --drift --assumed x.txt":           "x.txt: no such file",
		"size --since 3d":                           "--since and --customer belong to --from-measured",
		"size --from-measured --arrivals weir.yaml": "both say what arrived: give one",
		"size --from-measured --customer Acme":      `customer "Acme"`,
		"size --save .":                             "--save . is a folder",
		"size --save none/x.json":                   "--save none/x.json: there is no such folder",
		"size --save=":                              "--save is empty",
		"sample a --n 0":                            "--n 0: use 1 to 1000",
		"sample a --bytes -1":                       "--bytes -1: use a number of bytes",
		"sample a --save=":                          "--save is empty",
		"sample a --save weir.yaml":                 "--save weir.yaml is a file: name a folder",
		"sample a --outcome lost":                   "use delivered, gone",
		"sample a/b":                                "submission id",
		"records a --from bookshop":                 "--from: place \"bookshop\": write SOURCE/PART",
	} {
		s := ask(t, &fakeClient{}, strings.Fields(args)...)
		require.Equal(t, ExitUsage, s.code, args+s.stderr)
		require.Contains(t, s.stderr, says, args)
		require.Empty(t, s.stdout, args)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"7d": 7 * day, "36h": 36 * time.Hour, "1d12h": 36 * time.Hour, "90m": 90 * time.Minute, "3650d": 3650 * day} {
		var s span
		require.NoError(t, s.Set(text), text)
		require.Equal(t, want, time.Duration(s), text)
		var again span
		require.NoError(t, again.Set(s.String()))
		require.Equal(t, s, again)
	}
	for _, text := range []string{"", "d", "7", "-1d", "1d-2h", "3651d", "99999999999999999999d", "1.5d", "7days", "0d", "200000h"} {
		s := span(time.Hour)
		require.Error(t, s.Set(text), text)
		require.Equal(t, span(time.Hour), s, text)
	}
	s := span(7 * day)
	require.Equal(t, "7d", s.String())
}

func TestShareText(t *testing.T) {
	t.Parallel()
	for want, c := range map[string][2]int{"100.0 %": {7, 7}, "99.9 %": {99_999, 100_000}, "0.0 %": {0, 3}, "-": {0, 0}, "33.3 %": {1, 3}} {
		require.Equal(t, want, shareText(c[0], c[1]))
	}
}
