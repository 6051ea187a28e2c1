package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
)

// plainInterval is the time between two lines of progress where nobody's terminal can refresh one.
const plainInterval = 10 * time.Second

// Progress follows a submission: on a terminal as a block that is refreshed, elsewhere as a line every 10 s.
type Progress struct {
	screen *Screen
	live   *Live
	pace   Pace
	said   time.Time
	stage  string
	// before is the line that was written last, noted are the notes that were there then.
	before string
	noted  []string
	// zoned is set once a line has said in which zone the times are.
	zoned bool
}

// NewProgress begins to follow a submission.
func (s *Screen) NewProgress() *Progress { return &Progress{screen: s, live: s.NewLive()} }

// Show shows a status.
func (p *Progress) Show(status collection.SubmissionStatus, now time.Time) {
	v := p.look(status, now)
	if p.screen.IsTerminal() {
		p.live.Draw(v.block(p.screen.Width()))
		return
	}
	// A new stage is worth a line of its own; that nothing is known yet is not worth a second one.
	same := v.expected == 0 && v.line() == p.before
	if (now.Sub(p.said) >= plainInterval && !same) || v.stage != p.stage {
		p.said, p.stage, p.before = now, v.stage, v.line()
		p.line(p.before, now)
		p.note(v, now)
	}
}

// note writes the notes that are new. Before the rows are known, a note stands for them.
func (p *Progress) note(v view, now time.Time) {
	for _, note := range v.notes {
		if v.expected > 0 && !slices.Contains(p.noted, note) {
			p.line(note, now)
		}
	}
	p.noted = v.notes
}

// Remark shows a sentence in the place of what is followed, until there is news of that.
func (p *Progress) Remark(text string, now time.Time) {
	if p.screen.IsTerminal() {
		p.live.Draw([]string{text})
		return
	}
	p.line(text, now)
}

// line writes a line with its time; the first one says that it is in UTC.
func (p *Progress) line(text string, now time.Time) {
	form := "15:04:05"
	if !p.zoned {
		form, p.zoned = "15:04:05 UTC", true
	}
	p.screen.Line("%s  %s", now.UTC().Format(form), Clean(text))
}

// End takes the block away; what is written next, the outcome, stands in its place.
func (p *Progress) End() { p.live.Clear() }

// view is what is shown of a status.
type view struct {
	stage           string
	notes           []string
	ended, expected int
	failed          int
	rate            float64
	left            time.Duration
	leftKnown       bool
	sources         []collection.SourceProgress
}

func (p *Progress) look(s collection.SubmissionStatus, now time.Time) view {
	v := view{stage: s.Stage, ended: s.Outcomes.Total(), expected: s.Expected, failed: Failures(s.Outcomes), sources: s.Sources, notes: s.Notes}
	if v.stage == "" {
		v.stage = string(s.State)
	}
	if v.expected == 0 {
		return v
	}
	if s.State != collection.StateAccepted && s.State != collection.StateProcessing {
		v.notes = nil // they stand in the answer, which follows
	}
	// Rows that never became records ended with the plan, all at once: they say nothing about the pace.
	collected := 0
	for _, source := range s.Sources {
		collected += source.Outcomes.Total()
	}
	p.pace.Add(now, collected)
	v.rate = p.pace.PerSecond()
	v.left, v.leftKnown = p.pace.Left(v.expected - v.ended)
	return v
}

var stageTexts = map[string]string{"plan": "planning", "collect": "collecting", "settle": "settling", "ship": "shipping"}

func (v view) stageText() string {
	if text, ok := stageTexts[v.stage]; ok {
		return text
	}
	return v.stage
}

// numbers are what is counted, for either form.
func (v view) numbers() string {
	parts := []string{fmt.Sprintf("%s of %s", Count(v.ended), Plural(v.expected, "row"))}
	if v.ended < v.expected {
		parts = append(parts, fmt.Sprintf("%.1f/s", v.rate))
		if v.leftKnown {
			parts = append(parts, "about "+Duration(max(v.left.Round(time.Second), time.Second))+" left")
		}
	}
	parts = append(parts, Count(v.failed)+" failed")
	return strings.Join(parts, ", ")
}

func (v view) line() string {
	switch {
	case v.expected == 0 && len(v.notes) > 0:
		return v.notes[0]
	case v.expected == 0:
		return v.stageText()
	}
	return fmt.Sprintf("%s: %s, %s", v.stageText(), Percent(v.ended, v.expected), v.numbers())
}

// block is the refreshed form: one line for the submission, one for each note, and, with several sources, one for each.
func (v view) block(width int) []string {
	if v.expected == 0 {
		return []string{v.line()}
	}
	lines := []string{fmt.Sprintf("%s %5s  %s  %s", bar(v.ended, v.expected, barWidth(width)), Percent(v.ended, v.expected),
		v.stageText(), v.numbers())}
	lines = append(lines, v.notes...)
	if len(v.sources) < 2 {
		return lines
	}
	widest := 0
	for _, s := range v.sources {
		widest = max(widest, Columns(s.Source))
	}
	for _, s := range v.sources {
		ended := s.Outcomes.Total()
		lines = append(lines, fmt.Sprintf("%s %5s  %-*s  %s of %s, %s failed", bar(ended, s.Records, barWidth(width)),
			Percent(ended, s.Records), widest, s.Source, Count(ended), Count(s.Records), Count(Failures(s.Outcomes))))
	}
	return lines
}

// barWidth gives the bar a quarter of the line, within reason.
func barWidth(width int) int { return min(max(width/4, 8), 30) }

// bar is drawn in ASCII, which every terminal has.
func bar(part, whole, width int) string {
	filled := 0
	if whole > 0 {
		filled = min(width*part/whole, width)
	}
	return "[" + strings.Repeat("=", filled) + strings.Repeat(" ", width-filled) + "]"
}
