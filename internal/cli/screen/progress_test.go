package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func delivered(n int) collection.Tally {
	var t collection.Tally
	t.Add(collection.OutcomeDelivered, "", n)
	return t
}

// collecting is a submission of 200 rows, 10 of them invalid, of which so many have been delivered.
func collecting(shop, stock int) collection.SubmissionStatus {
	s := collection.SubmissionStatus{
		State: collection.StateProcessing, Stage: "collect", Expected: 200, Outcomes: delivered(shop + stock),
		Sources: []collection.SourceProgress{
			{Source: "shop", Records: 100, Outcomes: delivered(shop)}, {Source: "stock", Records: 90, Outcomes: delivered(stock)},
		},
	}
	s.Outcomes.Add(collection.OutcomeInvalid, collection.ReasonRowMalformed, 10)
	return s
}

func TestPace(t *testing.T) {
	t.Parallel()
	var p Pace
	require.Zero(t, p.PerSecond())
	p.Add(noon, 100)
	require.Zero(t, p.PerSecond(), "one sample is no pace")
	p.Add(noon.Add(2*time.Second), 110)
	require.InDelta(t, 5, p.PerSecond(), 1e-9)
	_, ok := p.Left(50)
	require.False(t, ok, "two seconds are too few to promise anything")
	p.Add(noon.Add(10*time.Second), 150)
	require.InDelta(t, 5, p.PerSecond(), 1e-9)
	left, ok := p.Left(50)
	require.True(t, ok)
	require.Equal(t, 10*time.Second, left)

	// The window moves: what was long ago does not count.
	for i := 11; i <= 60; i++ {
		p.Add(noon.Add(time.Duration(i)*time.Second), 150)
	}
	require.Zero(t, p.PerSecond())
	_, ok = p.Left(50)
	require.False(t, ok)
	require.LessOrEqual(t, len(p.samples), 17)
	_, ok = p.Left(0)
	require.True(t, ok)
}

// TestProgressWithoutNews: that nobody works is said once, and not every ten seconds, until there is something else to say.
func TestProgressWithoutNews(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	p := s.NewProgress()
	nobody := collection.SubmissionStatus{State: collection.StateAccepted, Notes: []string{"no worker answers"}}
	for i := range 60 {
		p.Show(nobody, noon.Add(time.Duration(i)*time.Second))
	}
	nobody.Stage = "plan"
	p.Show(nobody, noon.Add(time.Minute))
	p.Show(collecting(4, 0), noon.Add(61*time.Second))
	p.Show(collecting(4, 0), noon.Add(72*time.Second))
	require.Equal(t, text(`
12:00:00 UTC  no worker answers
12:01:00  no worker answers
12:01:01  collecting: 7 %, 14 of 200 rows, 0.0/s, 10 failed
12:01:12  collecting: 7 %, 14 of 200 rows, 0.0/s, 10 failed
`), out.String())
}

func TestProgressInPlainLines(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	p := s.NewProgress()
	p.Show(collection.SubmissionStatus{State: collection.StateAccepted, Stage: "plan"}, noon)
	for i := range 25 {
		p.Show(collecting(4*i, 0), noon.Add(time.Duration(1+i)*time.Second))
	}
	settling := collecting(100, 90)
	settling.Stage = "settle"
	p.Show(settling, noon.Add(30*time.Second))
	p.End()
	require.Equal(t, text(`
12:00:00 UTC  planning
12:00:01  collecting: 5 %, 10 of 200 rows, 0.0/s, 10 failed
12:00:11  collecting: 25 %, 50 of 200 rows, 4.0/s, about 38 s left, 10 failed
12:00:21  collecting: 45 %, 90 of 200 rows, 4.0/s, about 28 s left, 10 failed
12:00:30  settling: 100 %, 200 of 200 rows, 10 failed
`), out.String())
}

// TestProgressWithNotes: that the workers have gone is told once, in the rhythm of the other lines, and again when it happens again.
func TestProgressWithNotes(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	p := s.NewProgress()
	alone := collecting(4, 0)
	alone.Notes = []string{"no lane", "no worker answers"}
	for i, status := range []collection.SubmissionStatus{collecting(4, 0), alone, alone, collecting(4, 0), alone} {
		p.Show(status, noon.Add(time.Duration(10*i)*time.Second))
		p.Show(status, noon.Add(time.Duration(10*i+5)*time.Second))
	}
	require.Equal(t, text(`
12:00:00 UTC  collecting: 7 %, 14 of 200 rows, 0.0/s, 10 failed
12:00:10  collecting: 7 %, 14 of 200 rows, 0.0/s, 10 failed
12:00:10  no lane
12:00:10  no worker answers
12:00:20  collecting: 7 %, 14 of 200 rows, 0.0/s, 10 failed
12:00:30  collecting: 7 %, 14 of 200 rows, 0.0/s, 10 failed
12:00:40  collecting: 7 %, 14 of 200 rows, 0.0/s, 10 failed
12:00:40  no lane
12:00:40  no worker answers
`), out.String())

	s, out = plainScreen()
	over := alone
	over.State = collection.StateComplete
	s.NewProgress().Show(over, noon)
	require.NotContains(t, out.String(), "no worker answers", "the answer tells it")

	s, out = terminalScreen(80)
	s.NewProgress().Show(alone, noon)
	require.Equal(t, text(`
[=                   ]   7 %  collecting  14 of 200 rows, 0.0/s, 10 failed
no lane
no worker answers
[                    ]   4 %  shop   4 of 100, 0 failed
[                    ]   0 %  stock  0 of 90, 0 failed
`), out.String())
}

func TestProgressWithoutWorker(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	p := s.NewProgress()
	p.Show(collection.SubmissionStatus{State: collection.StateProcessing, Notes: []string{"no worker answers"}}, noon)
	require.Equal(t, "12:00:00 UTC  no worker answers\n", out.String())
}

// TestProgressRemarks: what is not progress stands in its place on a terminal, and is a line of its own elsewhere.
func TestProgressRemarks(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	p := s.NewProgress()
	p.Remark("nobody works", noon)
	p.Remark("nobody works still", noon.Add(time.Second))
	require.Equal(t, "12:00:00 UTC  nobody works\n12:00:01  nobody works still\n", out.String(), "the zone is said once")

	s, out = terminalScreen(80)
	p = s.NewProgress()
	p.Remark("nobody works", noon)
	p.Show(collecting(50, 9), noon)
	require.True(t, strings.HasPrefix(out.String(), "nobody works\n\x1b[1A\r\x1b[J["), "%q", out.String())
}

func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	s, out := terminalScreen(80)
	p := s.NewProgress()
	p.Show(collecting(50, 9), noon)
	require.Equal(t, text(`
[======              ]  34 %  collecting  69 of 200 rows, 0.0/s, 10 failed
[==========          ]  50 %  shop   50 of 100, 0 failed
[==                  ]  10 %  stock  9 of 90, 0 failed
`), out.String())

	out.Reset()
	p.Show(collecting(100, 90), noon.Add(10*time.Second))
	require.True(t, strings.HasPrefix(out.String(), "\x1b[3A\r\x1b[J"), "the second block stands in the place of the first: %q", out.String())
	require.Contains(t, out.String(), "[====================] 100 %  collecting  200 of 200 rows, 10 failed\n")

	out.Reset()
	p.End()
	require.Equal(t, "\x1b[3A\r\x1b[J", out.String())
	out.Reset()
	p.End()
	require.Empty(t, out.String(), "what is gone is not erased twice")
}

func TestProgressOfOneSourceIsOneLine(t *testing.T) {
	t.Parallel()
	s, out := terminalScreen(120)
	status := collecting(50, 0)
	status.Sources = status.Sources[:1]
	s.NewProgress().Show(status, noon)
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
}

// TestProgressNeverBreaksLines: a line that the terminal breaks would leave rubbish behind.
func TestProgressNeverBreaksLines(t *testing.T) {
	t.Parallel()
	for width := 1; width < 120; width += 7 {
		s, out := terminalScreen(width)
		p := s.NewProgress()
		p.Show(collecting(1, 2), noon)
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, Columns(strings.TrimSuffix(line, "\n")), max(width-1, 1), "width %d", width)
		}
	}
}
