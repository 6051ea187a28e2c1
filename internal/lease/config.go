package lease

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// SourceConfig is what the configuration says of one source's ceiling, pace, hours and breaker.
type SourceConfig struct {
	Source string `json:"source"`
	// Ceiling is how many requests may be in flight against the source, over the whole fleet.
	Ceiling int `json:"ceiling"`
	// Rate is the source's pace; zero means that it has none.
	Rate Rate `json:"rate,omitempty"`
	// Burst is how many requests may start at once at a source with a pace, and so how many workers can share the pace,
	// since each needs a bucket for one request. Default 2.
	Burst int `json:"burst,omitempty"`
	// MinInterval is the least time between the starts of two requests; only one worker at a time can keep it.
	MinInterval Millis `json:"min_interval_ms,omitempty"`
	// Linger is how long a request may go on at the source when its worker has died or hangs and cannot cancel it. The
	// permits of a lost worker stay counted for so long after its lease.
	Linger Millis `json:"linger_ms,omitempty"`
	// Methods are the ways to fetch from the source, the preferred one first.
	Methods []string `json:"methods,omitempty"`
	// FallbackAfter is how often in a row the breaker opens before the next method is used; zero means never.
	FallbackAfter int           `json:"fallback_after,omitempty"`
	Hours         *Hours        `json:"hours,omitempty"`
	Breaker       BreakerConfig `json:"breaker,omitzero"`
}

// BreakerConfig says when a source's breaker opens. Zero fields are given their defaults.
type BreakerConfig struct {
	// Window is how far back faults count. Default 1 min.
	Window Millis `json:"window_ms,omitempty"`
	// Faults is the least number of faults within the window at which the breaker opens. Default 5.
	Faults int `json:"faults,omitempty"`
	// Percent is the least share of faults among the requests within the window, besides. Default 50.
	Percent int `json:"percent,omitempty"`
	// Open is how long the breaker stays open the first time; it doubles up to MaxOpen. Defaults 15 s and 10 min.
	Open    Millis `json:"open_ms,omitempty"`
	MaxOpen Millis `json:"max_open_ms,omitempty"`
}

const defaultBurst = 2

// MostCeiling is the largest ceiling that a source can be given, configured or by an operator: one that is larger is a slip
// of the finger, and the owner shares permits out one by one.
const MostCeiling = 10_000

func (c BreakerConfig) withDefaults() BreakerConfig {
	or := func(v *Millis, byDefault Millis) {
		if *v == 0 {
			*v = byDefault
		}
	}
	or(&c.Window, 60_000)
	or(&c.Open, 15_000)
	or(&c.MaxOpen, 600_000)
	if c.Faults == 0 {
		c.Faults = 5
	}
	if c.Percent == 0 {
		c.Percent = 50
	}
	c.MaxOpen = max(c.MaxOpen, c.Open)
	return c
}

func (c SourceConfig) withDefaults() SourceConfig {
	if c.Burst == 0 {
		c.Burst = defaultBurst
	}
	c.Breaker = c.Breaker.withDefaults()
	return c
}

// check reports everything that is wrong with the configuration of a source.
func (c SourceConfig) check() error {
	var problems []error
	bad := func(wrong bool, key, advice string) {
		if wrong {
			problems = append(problems, fmt.Errorf("source %q: %s: %s", c.Source, key, advice))
		}
	}
	bad(c.Source == "", "source", "give it a name")
	bad(c.Ceiling < 0 || c.Ceiling > MostCeiling, "ceiling", fmt.Sprintf("give between 0 and %d requests in flight", MostCeiling))
	bad(c.Rate < 0 || c.Rate > FastestRate, "rate", "give between 0 (no pace) and 1000000 requests per second")
	bad(c.Burst < 0, "burst", "give 1 or more, or leave it out")
	bad(c.MinInterval < 0, "min_interval_ms", "give 0 or more milliseconds")
	bad(c.Linger < 0, "linger_ms", "give 0 or more milliseconds")
	bad(c.FallbackAfter < 0, "fallback_after", "give 0 (never) or more")
	bad(slices.Contains(c.Methods, ""), "methods", "give every method a name")
	b := c.Breaker
	bad(b.Window < 0 || b.Open < 0 || b.MaxOpen < 0 || b.Faults < 0, "breaker", "give no negative numbers")
	bad(b.Percent < 0 || b.Percent > 100, "breaker.percent", "give between 1 and 100")
	if c.Hours != nil {
		if err := c.Hours.check(); err != nil {
			problems = append(problems, fmt.Errorf("source %q: hours: %w", c.Source, err))
		}
	}
	return errors.Join(problems...)
}

// Configure makes the table have exactly these sources. What operators have overridden stays so, also for a source that
// goes and comes back; a source that goes is closed, and its row stays until its permits are back and no breaker is open.
// With an error, which names every problem, nothing has changed.
func (t *Table) Configure(now time.Time, sources []SourceConfig) error {
	sorted := slices.Clone(sources)
	slices.SortStableFunc(sorted, func(a, b SourceConfig) int { return strings.Compare(a.Source, b.Source) })
	var problems []error
	for i, c := range sorted {
		if err := c.check(); err != nil {
			problems = append(problems, err)
		}
		if i > 0 && sorted[i-1].Source == c.Source {
			problems = append(problems, fmt.Errorf("source %q: configured twice: keep one", c.Source))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	t.advance(now)
	rows := make([]Source, 0, len(sorted))
	for _, c := range sorted {
		row := Source{}
		if old := t.source(c.Source); old != nil {
			row = *old
		}
		row.configure(c.withDefaults())
		rows = append(rows, row)
	}
	for _, old := range t.Sources {
		if !slices.ContainsFunc(sorted, func(c SourceConfig) bool { return c.Source == old.Config.Source }) {
			old.Removed = true
			rows = append(rows, old)
		}
	}
	slices.SortFunc(rows, func(a, b Source) int { return strings.Compare(a.Config.Source, b.Config.Source) })
	t.Sources = slices.DeleteFunc(rows, Source.forgettable)
	return nil
}
