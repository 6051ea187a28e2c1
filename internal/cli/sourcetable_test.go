package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

// shown is all of weir sources -v on a terminal of a width.
func shown(width int, rows ...lease.SourceView) string {
	var out bytes.Buffer
	s := screen.NewTerminal(&out, width, screen.Options{NoColour: true})
	showSources(s, rows, noon, true)
	showHoldings(s, rows, noon)
	showCommands(s, rows, commandsOfAll)
	return out.String()
}

// TestSourcesOnANarrowTerminal: no line is broken, and no reason is cut.
func TestSourcesOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	row := pausedSource()
	row.Source = "stock-prices"
	row.Workers[0].Worker = "weir@worker-7c9f8d6b54-x2x9z:1/8c576a51"
	require.Equal(t, text(`
SOURCE        STATE   CEILING  IN FORCE  IN FLIGHT  WAITING  OLDEST    PACE
stock-prices  paused        2         0          1        0          30/min

stock-prices  paused by ann@ops, 4 min ago: they called: their database is down,
              and it will take until the morning to mend it
              its breaker is open as well
              ceiling set to 2 until 2026-01-02 13:58:00 UTC (in 1 h 58 min) by
              ann@ops, 2 min ago: slow
              pace set to 1/s by ann@ops, 1 h ago
              the pace in force is 30/min: the crawl delay that its robots.txt
              asks for holds
              fetched by api, set by ann@ops, 1 min ago: the page is broken
              its methods are page, api
              1 worker lost: up to 1 request may linger at the source, and count
              against the ceiling

SOURCE        GRANTED  IN FLIGHT  WAITING  PACE  LEASE         WORKER
stock-prices        0          1        0     0  lost 3 s ago  weir@…:1/8c576a51

LAST COMMANDS
stock-prices  2026-01-02 11:00:00 UTC set-pace 1/s by ann@ops
              2026-01-02 11:56:00 UTC pause by ann@ops: their database is down
              2026-01-02 11:58:00 UTC set-ceiling 2 until 2026-01-02T13:58:00Z
              by ann@ops: slow
`), shown(80, row))

	row.Workers[0].Lost, row.Workers[0].LeaseEnds = false, noon.Add(9*time.Second)
	require.Contains(t, shown(80, row), "\nstock-prices        0          1        0     0  9 s left  weir@wo…9z:1/8c576a51\n")
	require.Contains(t, shown(0, row), "BREAKER  METHOD\n", "what is no terminal gets every column")
}

// TestReasonsCannotSteer: whatever somebody wrote as a reason or a name, it is shown and does nothing.
func TestReasonsCannotSteer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		row := pausedSource()
		words := rapid.SliceOfN(rapid.String(), 4, 4).Draw(t, "words")
		row.Paused.Reason, row.Paused.By, row.Log[0].Reason, row.Workers[0].Worker = words[0], words[1], words[2], words[3]
		for _, r := range shown(rapid.IntRange(0, 120).Draw(t, "width"), row) {
			require.True(t, r == '\n' || unicode.IsPrint(r), "%q", r)
		}
	})
}

func TestCheckReason(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, wanted := rapid.String().Draw(t, "reason"), rapid.Bool().Draw(t, "wanted")
		kept, err := checkReason(raw, wanted)
		if strings.TrimSpace(raw) == "" {
			require.Equal(t, wanted, err != nil)
			return
		}
		require.NoError(t, err)
		require.NotContains(t, kept, "\n")
		again, err := checkReason(kept, wanted)
		require.NoError(t, err)
		require.Equal(t, kept, again)
	})
	_, err := checkReason(strings.Repeat("é", longestReason), true)
	require.NoError(t, err, "characters are counted, not bytes")
}
