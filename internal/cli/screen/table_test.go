package screen

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// wide and narrow are screens as on terminals without colours; plain is one that no terminal is behind.
func plainScreen() (*Screen, *bytes.Buffer) {
	var out bytes.Buffer
	return New(&out, Options{}), &out
}

func terminalScreen(width int) (*Screen, *bytes.Buffer) {
	var out bytes.Buffer
	return NewTerminal(&out, width, Options{NoColour: true}), &out
}

// text is what a test expects: without the first line break.
func text(s string) string { return strings.TrimPrefix(s, "\n") }

func TestTable(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	table := s.NewTable(Column{Title: "NAME"}, Column{Title: "ROWS", Right: true}, Column{Title: "KEY"})
	table.Row(Text("a"), Text("1"), Text("https://a.example/"))
	table.Row(Text("longer"), Text("1,200"), Text(""))
	table.Row(Text("価格"), Text("3"), Text("tab\there"))
	table.End()
	require.Equal(t, text(`
NAME     ROWS  KEY
a           1  https://a.example/
longer  1,200
価格        3  tab here
`), out.String())
}

func TestTableWithoutRowsWritesNothing(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	s.NewTable(Column{Title: "NAME"}).End()
	require.Empty(t, out.String())
}

func TestTableIsCutToATerminal(t *testing.T) {
	t.Parallel()
	s, out := terminalScreen(24)
	table := s.NewTable(Column{Title: "LINE", Right: true}, Column{Title: "KEY"})
	table.Row(Text("7"), Text("https://a.example/books/17"))
	table.End()
	require.Equal(t, "LINE  KEY\n   7  https://a.example…\n", out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, Columns(strings.TrimSuffix(line, "\n")), 24)
	}

	// Where next to nothing would be left, all of it is.
	s, out = terminalScreen(20)
	table = s.NewTable(Column{Title: "LINE", Right: true}, Column{Title: "KEY"})
	table.Row(Text("7"), Text("https://a.example/books/17"))
	table.End()
	require.Equal(t, "LINE  KEY\n   7  https://a.example/books/17\n", out.String())
}

// TestSpareColumns: what is told elsewhere makes room on a narrow terminal, and nowhere else.
func TestSpareColumns(t *testing.T) {
	t.Parallel()
	draw := func(s *Screen, rows int) {
		table := s.NewTable(Column{Title: "NAME"}, Column{Title: "HELD", Right: true, Spare: true}, Column{Title: "ROWS", Right: true}, Column{Title: "STATE", Spare: true})
		for range rows {
			table.Row(Text("a"), Text("1"), Text("20"), Text("closed"))
		}
		table.End()
	}
	all := "NAME  HELD  ROWS  STATE\na        1    20  closed\n"
	for width, want := range map[int]string{
		0: all, 24: all, 23: "NAME  HELD  ROWS\na        1    20\n", 16: "NAME  HELD  ROWS\na        1    20\n",
		15: "NAME  ROWS\na       20\n", 5: "NAME  ROWS\na       20\n",
	} {
		s, out := terminalScreen(width)
		draw(s, 1)
		require.Equal(t, want, out.String(), "%d columns", width)
	}
	s, out := terminalScreen(15)
	draw(s, sampleRows+3)
	require.True(t, strings.HasSuffix(out.String(), "\na       20\na       20\n"), "rows that come later are fitted as well")
	require.NotContains(t, out.String(), "closed")
}

// TestFitByRank: what is wanted least leaves first, and comes back where a wide column has left more room than it needs.
func TestFitByRank(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		40: "N  RECORD       REASON  KEY\n1  0123456789a  gone    https://a.examp…\n",
		39: "RECORD       REASON  KEY\n0123456789a  gone    https://a.example…\n",
		36: "N  REASON  KEY\n1  gone    https://a.example/books/…\n",
		26: "REASON  KEY\ngone    https://a.example…\n",
	} {
		s, out := terminalScreen(width)
		table := s.NewTable(Column{Title: "N", Right: true, Spare: true}, Column{Title: "RECORD", Spare: true, Rank: 1}, Column{Title: "REASON"}, Column{Title: "KEY"})
		table.Row(Text("1"), Text("0123456789a"), Text("gone"), Text("https://a.example/books/17"))
		table.End()
		require.Equal(t, want, out.String(), "%d columns", width)
	}
}

// TestCutNames: long names give way before the terminal breaks lines, in their middle, in rows that come late as well.
func TestCutNames(t *testing.T) {
	t.Parallel()
	s, out := terminalScreen(24)
	table := s.NewTable(Column{Title: "SOURCE", Cut: true}, Column{Title: "RECORDS", Right: true})
	for range sampleRows + 1 {
		table.Row(Text("a-very-long-name-of-a-source"), Text("1,200"))
	}
	table.End()
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, Columns(strings.TrimSuffix(line, "\n")), 24)
	}
	require.Contains(t, out.String(), "\na-ver…-a-source    1,200\n")

	s, out = terminalScreen(10)
	table = s.NewTable(Column{Title: "SOURCE", Cut: true}, Column{Title: "RECORDS", Right: true})
	table.Row(Text("a-very-long-name-of-a-source"), Text("1,200"))
	table.End()
	require.Contains(t, out.String(), "…", "a name is never cut to nothing")
}

func TestTableStreams(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	table := s.NewTable(Column{Title: "N", Right: true}, Column{Title: "X"})
	for i := range sampleRows {
		require.Empty(t, out.String(), "row %d", i)
		table.Row(Text(fmt.Sprint(i)), Text("x"))
	}
	require.Equal(t, sampleRows+1, strings.Count(out.String(), "\n"))
	table.Row(Text("123456"), Text("later rows may be wider"))
	require.True(t, strings.HasSuffix(out.String(), "\n123456  later rows may be wider\n"))
	table.End()
	require.Equal(t, sampleRows+2, strings.Count(out.String(), "\n"), "End repeats nothing")
}

func TestColoursDoNotMoveColumns(t *testing.T) {
	t.Parallel()
	draw := func(o Options) string {
		var out bytes.Buffer
		s := NewTerminal(&out, 80, o)
		s.Outcomes(collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 3}, {Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Records: 12}})
		return out.String()
	}
	coloured := draw(Options{})
	require.Contains(t, coloured, "\x1b[32mdelivered\x1b[0m")
	for code := range codes {
		coloured = strings.ReplaceAll(coloured, codes[code], "")
	}
	require.Equal(t, draw(Options{NoColour: true}), strings.ReplaceAll(coloured, endStyle, ""))
}

func TestNoColoursWithoutTerminal(t *testing.T) {
	t.Parallel()
	s, _ := plainScreen()
	require.Equal(t, "text", s.Paint(Bad, "text"))
	require.Zero(t, s.Width())
	require.False(t, s.IsTerminal())
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	s.Outcomes(collection.Tally{
		{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Records: 1},
		{Outcome: collection.OutcomeDelivered, Records: 1500},
		{Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate, Records: 2},
		{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Records: 4},
	})
	require.Equal(t, text(`
OUTCOME        REASON          ROWS
delivered                     1,500
gone           gone               4
dead_lettered  parse_empty        1
duplicate      row_duplicate      2
all                           1,507
`), out.String())
	out.Reset()
	s.Outcomes(nil)
	require.Empty(t, out.String())
}

func TestSources(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	s.Sources([]collection.SourceProgress{
		{Source: "shop", Records: 2000, Released: 1200, Outcomes: collection.Tally{
			{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonTimeout, Records: 10}, {Outcome: collection.OutcomeDelivered, Records: 990}}},
		{Source: "stock", Records: 3},
	}, nil)
	require.Equal(t, text(`
SOURCE  RECORDS  RELEASED  ENDED  DELIVERED  FAILED  DONE
shop      2,000     1,200  1,000        990      10  50 %
stock         3         0      0          0       0   0 %
`), out.String())

	s, out = plainScreen()
	s.Sources([]collection.SourceProgress{{Source: "shop", Records: 9}, {Source: "unknown", Records: 3}}, map[string]Cell{"shop": {Text: "paused", Style: Notice}})
	require.Equal(t, text(`
SOURCE   STATE   RECORDS  RELEASED  ENDED  DELIVERED  FAILED  DONE
shop     paused        9         0      0          0       0   0 %
unknown                3         0      0          0       0   0 %
`), out.String())
}

// TestFailedOutcomes: what is looked at after a failure is there.
func TestFailedOutcomes(t *testing.T) {
	t.Parallel()
	var tally collection.Tally
	require.Empty(t, FailedOutcomes(tally))
	tally.Add(collection.OutcomeDelivered, "", 3)
	tally.Add(collection.OutcomeGone, collection.ReasonGone, 2)
	require.Empty(t, FailedOutcomes(tally))
	tally.Add(collection.OutcomeInvalid, collection.ReasonRowMalformed, 1)
	require.Equal(t, []collection.Outcome{collection.OutcomeInvalid}, FailedOutcomes(tally))
	tally.Add(collection.OutcomeDeadLettered, collection.ReasonTimeout, 1)
	require.Equal(t, []collection.Outcome{collection.OutcomeDeadLettered, collection.OutcomeInvalid}, FailedOutcomes(tally))
	require.Equal(t, 2, Failures(tally))
}

// TestFilledColumns: on a terminal a column that nothing stands in takes no room; who reads a file finds every column.
func TestFilledColumns(t *testing.T) {
	t.Parallel()
	for detail, header := range map[string]string{"": "NAME  KEY\n", "no answer": "NAME  KEY              DETAIL\n"} {
		s, out := terminalScreen(60)
		table := s.NewTable(Column{Title: "NAME"}, Column{Title: "KEY", Middle: true}, Column{Title: "DETAIL", Spare: true, Filled: true})
		table.Row(Text("a"), Text("https://a.test/"), Text(detail))
		table.End()
		require.Equal(t, header, strings.SplitAfter(out.String(), "\n")[0])
		s, out = plainScreen()
		table = s.NewTable(Column{Title: "NAME"}, Column{Title: "DETAIL", Filled: true})
		table.Row(Text("a"), Text(detail))
		table.End()
		require.Contains(t, out.String(), "DETAIL")
	}
}

// TestSentencesAmongAddresses: an address is cut in its middle, a sentence at its end.
func TestSentencesAmongAddresses(t *testing.T) {
	t.Parallel()
	s, out := terminalScreen(20)
	table := s.NewTable(Column{Title: "KEY", Middle: true})
	table.Row(Text("https://a.example/books/17"))
	table.Row(Cell{Text: "the row has 4 values, and the header 3", End: true})
	table.End()
	lines := strings.Split(out.String(), "\n")
	require.True(t, strings.HasSuffix(lines[1], "/17"), lines[1])
	require.True(t, strings.HasPrefix(lines[2], "the row has 4 value"), lines[2])
}

// TestEveryOutcomeHasItsPlace: what is counted must be shown.
func TestEveryOutcomeHasItsPlace(t *testing.T) {
	t.Parallel()
	var tally collection.Tally
	for i, o := range collection.Outcomes() {
		tally.Add(o, "", i+1)
	}
	s, out := plainScreen()
	s.Outcomes(tally)
	for _, o := range collection.Outcomes() {
		require.Contains(t, out.String(), string(o))
	}
	failed := tally.Total()
	for _, o := range []collection.Outcome{collection.OutcomeDelivered, collection.OutcomeGone, collection.OutcomeDuplicate, collection.OutcomeCancelled} {
		failed -= tally.Of(o)
	}
	require.Equal(t, failed, Failures(tally))
	require.Equal(t, Good, StyleOfState(collection.StateComplete))
	require.Equal(t, Bad, StyleOfState(collection.StateFailed))
	require.Equal(t, Notice, StyleOfState(collection.StatePartiallyFailed))
	require.Equal(t, Plain, StyleOfState(collection.StateProcessing))
}
