package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// byMethod is an open source that is fetched by one of its two methods.
func byMethod(method string) lease.SourceView {
	row := openSource()
	row.Method, row.Methods = method, []string{"page", "api"}
	return row
}

// chosen is the same by an operator's choice.
func chosen(method string) lease.SourceView {
	row := byMethod(method)
	row.MethodOverride = &lease.MethodOverride{Method: method, Note: note(0, "login forms")}
	return row
}

func TestMethod(t *testing.T) {
	t.Parallel()
	s, c := operated(t, byMethod("page"), chosen("api"), "method", "bookshop", "api", "--reason", "login forms")
	require.Equal(t, session{stdout: text(`
bookshop is fetched by api now, and was by page

SOURCE    STATE  CEILING  IN FORCE  GRANTED  IN FLIGHT  WAITING  OLDEST  PACE  BREAKER  METHOD
bookshop  open         8         8        8          7       12   2 min  none  closed   api

bookshop  fetched by api, set by ann@ops, just now: login forms
`), stderr: text(`
workers follow with their next renewal, within 5 s
take it back: weir method bookshop --reset
`)}, s)
	require.Equal(t, collection.UpdateUseMethod, c.update)
	c.command.By = ""
	require.Equal(t, collection.SourceCommand{Source: "bookshop", Method: "api", Reason: "login forms"}, c.command)

	failing := chosen("api")
	failing.Open, failing.InForce, failing.Why = false, 0, lease.WhyBreakerOpen
	s, _ = operated(t, byMethod("page"), failing, "method", "bookshop", "api", "--reason", "login forms")
	require.Contains(t, s.stdout, "bookshop is fetched by api now, and was by page; it still takes no requests, see below\n")

	s, _ = operated(t, chosen("api"), chosen("api"), "method", "bookshop", "api", "--reason", "again")
	require.Contains(t, s.stdout, "bookshop was fetched by api before, and stays so; the reason is now yours\n")
	require.Empty(t, s.stderr)

	s, _ = operated(t, byMethod("page"), chosen("page"), "method", "bookshop", "page", "--reason", "the api lies")
	require.Contains(t, s.stdout, "bookshop is fetched by page, as before, and now whatever its breaker does\n")
	require.Contains(t, s.stderr, "take it back: weir method bookshop --reset\n")
}

func TestMethodReset(t *testing.T) {
	t.Parallel()
	fallen := byMethod("api")
	fallen.MethodUntil = noon.Add(time.Hour)
	for name, c := range map[string]struct {
		before, after lease.SourceView
		says          string
		same          bool
	}{
		"another method": {chosen("api"), byMethod("page"), "bookshop is fetched by its first method again, page; it was by api\n", false},
		"the first one":  {chosen("page"), byMethod("page"), "bookshop is fetched by its first method, page, as before; its breaker may choose again\n", false},
		"the breaker's":  {fallen, byMethod("page"), "bookshop is fetched by its first method again, page; it was by api\n", false},
		"nothing chosen": {byMethod("page"), byMethod("page"), "bookshop was fetched by its first method, page; nothing has changed\n", true},
		"no methods":     {openSource(), openSource(), "bookshop has no methods to choose from; nothing has changed\n", true},
	} {
		s, client := operated(t, c.before, c.after, "method", "bookshop", "--reset")
		require.Zero(t, s.code, name)
		require.Contains(t, s.stdout, c.says, name)
		require.Equal(t, c.same, s.stderr == "", name)
		require.NotContains(t, s.stderr, "take it back", name)
		require.Equal(t, collection.UpdateUseMethod, client.update)
		require.Empty(t, client.command.Method)
	}
}

// TestMethodsThatAreNone are refused before anything is commanded.
func TestMethodsThatAreNone(t *testing.T) {
	t.Parallel()
	s, c := operated(t, byMethod("page"), byMethod("page"), "method", "bookshop", "mirror", "--reason", "x")
	require.Equal(t, session{code: ExitUsage, stderr: "weir: bookshop has no method \"mirror\"; its methods are page, api\n"}, s)
	require.Empty(t, c.update)
	s, c = operated(t, openSource(), openSource(), "method", "bookshop", "api", "--reason", "x")
	require.Equal(t, session{code: ExitUsage, stderr: "weir: bookshop has no methods to choose from: list them under methods in its configuration\n"}, s)
	require.Empty(t, c.update)
}
