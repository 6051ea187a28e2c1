package lease

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestScripts plays testdata/*.txt. With -rewrite the expected output is written anew: only after having understood why
// it changed.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		s := newScript(t)
		datadriven.RunTest(t, path, s.run)
	})
}

// script plays one file: a table, and workers whose messages arrive at once unless the script says otherwise.
type script struct {
	table   *Table
	start   time.Time
	now     time.Time
	holders map[string]*Holder
	// last is the last answer that each worker was sent, and the request that it belongs to.
	lastRequest map[string]Request
	lastAnswer  map[string]Answer
	london      *time.Location
}

func newScript(t *testing.T) *script {
	t.Helper()
	table, err := New(Settings{TTL: 15_000})
	if err != nil {
		t.Fatal(err)
	}
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2025, 10, 25, 12, 0, 0, 0, time.UTC)
	return &script{
		table: table, start: start, now: start, london: london,
		holders: map[string]*Holder{}, lastRequest: map[string]Request{}, lastAnswer: map[string]Answer{},
	}
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	// Whatever happens, the owner may be continued as new before it.
	s.table = roundTrip(t, s.table)
	switch d.Cmd {
	case "configure":
		return s.configure(t, d)
	case "after":
		wait, err := time.ParseDuration(d.CmdArgs[0].Key)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		s.now = s.now.Add(wait)
		return ""
	case "renew":
		return s.renew(t, d)
	case "resend":
		// The last request of the worker arrives once more.
		return answerText(s.table.Renew(s.now, s.lastRequest[d.CmdArgs[0].Key]))
	case "release":
		s.table.Release(s.now, d.CmdArgs[0].Key)
		s.holders[d.CmdArgs[0].Key].Release()
		return ""
	case "quarantine":
		s.table.Quarantine(s.now)
		return ""
	case "view":
		return s.view(d.HasArg("workers"))
	case "log":
		return s.log(d.CmdArgs[0].Key)
	case "egresses":
		return s.egresses()
	}
	return s.operate(t, d)
}

func (s *script) configure(t *testing.T, d *datadriven.TestData) string {
	var sources []SourceConfig
	for line := range strings.Lines(d.Input) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		var c SourceConfig
		if err := decoder.Decode(&c); err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
		if c.Hours != nil {
			c.Hours.Zone = ZoneOf(s.london, s.start.AddDate(-1, 0, 0), s.start.AddDate(1, 0, 0))
		}
		sources = append(sources, c)
	}
	if err := s.table.Configure(s.now, sources); err != nil {
		return err.Error() + "\n"
	}
	return ""
}

// renew sends a request of one worker: "renew a books in=3 wait=2 ok=5". With "lost" the answer does not arrive; with
// "held=" and "rate=" the worker says something else than its holder would.
func (s *script) renew(t *testing.T, d *datadriven.TestData) string {
	name := d.CmdArgs[0].Key
	h, ok := s.holders[name]
	if !ok {
		h = NewHolder(name)
		s.holders[name] = h
	}
	var uses []Use
	var egress []EgressReport
	lines := d.Input
	if lines == "" && len(d.CmdArgs) > 1 {
		words := make([]string, 0, len(d.CmdArgs))
		for _, a := range d.CmdArgs[1:] {
			words = append(words, a.String())
		}
		lines = strings.Join(words, " ")
	}
	for line := range strings.Lines(lines) {
		u, e := parseUse(t, strings.Fields(line))
		if e.Egress != "" {
			egress = append(egress, e)
		}
		if u.Source != "" {
			uses = append(uses, u)
		}
	}
	req := h.Next(s.now, uses, egress)
	answer := s.table.Renew(s.now, req)
	s.lastRequest[name], s.lastAnswer[name] = req, answer
	if d.HasArg("lost") {
		return "lost: " + answerText(answer)
	}
	h.Receive(s.now, answer)
	return answerText(answer)
}

func parseUse(t *testing.T, words []string) (u Use, e EgressReport) {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		n := 0
		if value != "" {
			if _, err := fmt.Sscan(value, &n); err != nil && key != "egress" {
				t.Fatalf("%s: %v", w, err)
			}
		}
		switch key {
		case "in":
			u.InFlight = n
		case "peak":
			u.Peak = n
		case "wait":
			u.Waiting = n
		case "full":
			u.Full = true
		case "crawl":
			m := Millis(n)
			u.CrawlDelay = &m
		case "ok":
			u.Seen.Successes, u.Seen.Requests = n, u.Seen.Requests+n
			e.Successes = n
		case "fault":
			u.Seen.TargetFaults, u.Seen.Requests = n, u.Seen.Requests+n
			e.Faults = n
		case "throttled":
			u.Seen.Throttled, u.Seen.Requests = n, u.Seen.Requests+n
		case "after":
			u.Seen.LongestRetryAfter = Millis(n)
		case "egress":
			e.Egress = value
		case "trailing":
			e.Trailing = n
		case "lost":
		default:
			u.Source = key
		}
	}
	if e.Egress == "" {
		return u, EgressReport{}
	}
	return Use{}, e
}

// answerText is an answer as the scripts show it: one line for each source.
func answerText(a Answer) string {
	if a.Stale {
		if a.Released {
			return "stale, released\n"
		}
		return "stale\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "renew in %s\n", a.RenewIn.Std())
	for _, g := range a.Grants {
		fmt.Fprintf(&b, "%s: %d permits", g.Source, g.Permits)
		if g.Pace.Rate < Unlimited && (g.Permits > 0 || g.Pace.Rate > 0) {
			fmt.Fprintf(&b, " at %s", g.Pace.Rate)
			if g.Pace.Fill > 0 {
				fmt.Fprintf(&b, " from %d", g.Pace.Fill)
			}
		}
		if g.Spare > 0 {
			fmt.Fprintf(&b, ", %d spare", g.Spare)
		}
		if g.Method != "" {
			fmt.Fprintf(&b, ", by %s", g.Method)
		}
		if g.ClosesIn > 0 {
			fmt.Fprintf(&b, ", closes in %s", g.ClosesIn.Std())
		}
		if !g.Open {
			fmt.Fprintf(&b, ", closed: %s", g.Why)
			if !g.OpensAt.IsZero() {
				fmt.Fprintf(&b, " until %s", g.OpensAt.Format(time.DateTime))
			}
		}
		b.WriteString("\n")
	}
	for _, e := range a.Egress {
		fmt.Fprintf(&b, "egress %s: retired, trial %t\n", e.Egress, e.Trial)
	}
	return b.String()
}

func (s *script) view(workers bool) string {
	var b strings.Builder
	for _, v := range s.table.View(s.now) {
		fmt.Fprintf(&b, "%s: ceiling %d in force %d granted %d exposed %d in flight %d waiting %d pace %s breaker %s",
			v.Source, v.Ceiling, v.InForce, v.Granted, v.Exposed, v.InFlight, v.Waiting, v.Pace, v.Breaker)
		if v.BreakerLevel > 0 {
			fmt.Fprintf(&b, " up to %d", v.BreakerLevel)
		}
		if !v.Open {
			fmt.Fprintf(&b, " closed: %s", v.Why)
		}
		b.WriteString("\n")
		for _, w := range v.Workers {
			if workers {
				fmt.Fprintf(&b, "  %s: granted %d exposed %d in flight %d lost %t\n", w.Worker, w.Granted, w.Exposed, w.InFlight, w.Lost)
			}
		}
	}
	return b.String()
}

func (s *script) log(source string) string {
	var b strings.Builder
	for _, v := range s.table.View(s.now) {
		for _, c := range v.Log {
			if v.Source == source {
				fmt.Fprintf(&b, "%s %s %q by %q because %q\n", c.At.Format(time.TimeOnly), c.Command, c.Detail, c.By, c.Reason)
			}
		}
	}
	return b.String()
}

func (s *script) egresses() string {
	var b strings.Builder
	for _, e := range s.table.ViewEgresses(s.now) {
		fmt.Fprintf(&b, "%s: %s row %d, %d of %d, retirements %d trial %q%s\n", e.Egress, e.State, e.FaultsInRow, e.Faults, e.Requests,
			e.Retirements, e.Trial, spanText(e.Since, e.Until))
	}
	return b.String()
}

func spanText(since, until time.Time) string {
	text := ""
	if !since.IsZero() {
		text += " since " + since.Format(time.TimeOnly)
	}
	if !until.IsZero() {
		text += " until " + until.Format(time.TimeOnly)
	}
	return text
}

// operate gives an operator's command: "set-ceiling books n=2 for=2h".
func (s *script) operate(t *testing.T, d *datadriven.TestData) string {
	source := d.CmdArgs[0].Key
	n, method, wait := 0, "", ""
	rate := 0.0
	d.MaybeScanArgs(t, "n", &n)
	d.MaybeScanArgs(t, "method", &method)
	d.MaybeScanArgs(t, "for", &wait)
	for _, a := range d.CmdArgs[1:] {
		if a.Key == "rate" {
			if _, err := fmt.Sscan(a.Vals[0], &rate); err != nil {
				d.Fatalf(t, "%v", err)
			}
		}
	}
	var until time.Time
	if wait != "" {
		length, err := time.ParseDuration(wait)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		until = s.now.Add(length)
	}
	note := Note{By: "ops", Reason: "drill"}
	commands := map[string]func() error{
		"pause":           func() error { return s.table.Pause(s.now, source, note) },
		"resume":          func() error { return s.table.Resume(s.now, source, note) },
		"set-ceiling":     func() error { return s.table.SetCeiling(s.now, source, n, until, note) },
		"reset-ceiling":   func() error { return s.table.ResetCeiling(s.now, source, note) },
		"set-pace":        func() error { return s.table.SetPace(s.now, source, PerSecond(rate), until, note) },
		"reset-pace":      func() error { return s.table.ResetPace(s.now, source, note) },
		"hold-breaker":    func() error { return s.table.HoldBreaker(s.now, source, note) },
		"release-breaker": func() error { return s.table.ReleaseBreaker(s.now, source, note) },
		"use-method":      func() error { return s.table.UseMethod(s.now, source, method, note) },
	}
	command, ok := commands[d.Cmd]
	if !ok {
		d.Fatalf(t, "unknown command")
	}
	if err := command(); err != nil {
		return err.Error() + "\n"
	}
	return ""
}

// roundTrip is the table after its workflow has continued as new.
func roundTrip(t tester, table *Table) *Table {
	t.Helper()
	b, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var next Table
	if err := json.Unmarshal(b, &next); err != nil {
		t.Fatal(err)
	}
	if err := next.Check(); err != nil {
		t.Fatal(err)
	}
	return &next
}

// tester is what the tests need of a testing.T or a rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
	FailNow()
}
