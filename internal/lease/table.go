package lease

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// version is the form of the state; a change that an older owner could not read raises it.
const version = 1

// Settings hold for all sources.
type Settings struct {
	// TTL is how long a worker's lease lasts, by the worker's clock, from when it sent the request. Default 15 s.
	TTL Millis `json:"ttl_ms"`
	// EgressProbation is how long an egress stays retired the first time. Default 1 min; it doubles up to 30 min.
	EgressProbation Millis `json:"egress_probation_ms"`
}

const (
	defaultTTL       = Millis(15_000)
	shortestTTL      = Millis(100)
	defaultProbation = Millis(60_000)
)

func (s Settings) withDefaults() Settings {
	if s.TTL == 0 {
		s.TTL = defaultTTL
	}
	if s.EgressProbation == 0 {
		s.EgressProbation = defaultProbation
	}
	return s
}

func (s Settings) check() error {
	if s.TTL < shortestTTL || s.EgressProbation < 1 {
		return fmt.Errorf("lease settings: ttl_ms is %d and egress_probation_ms is %d; give at least %d and 1", s.TTL, s.EgressProbation, shortestTTL)
	}
	return nil
}

// ownerTTL is how long the owner holds a lease to last. The tenth on top lets a worker's clock run slow by as much, and
// covers the time in which cancelled requests end.
func (s Settings) ownerTTL() time.Duration { return ownerTTL(s.TTL) }

func ownerTTL(ttl Millis) time.Duration { return ttl.Std() + ttl.Std()/10 }

// interval is how often a worker renews, so that it can lose two renewals and still hold its lease.
func (s Settings) interval() time.Duration { return s.TTL.Std() / 3 }

// soon is how early a renewal is wished for while permits are on their way from one worker to another.
func (s Settings) soon() time.Duration { return s.TTL.Std() / 15 }

// Table owns every source's permits, for the whole fleet. It is one JSON value: what comes back from its JSON goes on
// where it left off. Use it from one goroutine, or inside a workflow.
type Table struct {
	Version  int      `json:"version"`
	Settings Settings `json:"settings"`
	// Now is the latest time the table was told; time never runs backwards in it.
	Now time.Time `json:"now,omitzero"`
	// SettlesAt is when the last lease of which the table may know nothing has ended; see Quarantine.
	SettlesAt time.Time `json:"settles_at,omitzero"`
	// ToldTTL is the longest lease that workers have told of meanwhile.
	ToldTTL Millis `json:"told_ttl_ms,omitempty"`
	// ToldLinger is the longest that workers' requests may go on, of those that have told of it meanwhile.
	ToldLinger Millis `json:"told_linger_ms,omitempty"`
	// Epoch is the owner's run, and Epochs are those whose grants the table knows; InDoubt says that it may have forgotten
	// some. See Begin.
	Epoch    string   `json:"epoch,omitempty"`
	Epochs   []string `json:"epochs,omitempty"`
	InDoubt  bool     `json:"in_doubt,omitempty"`
	Workers  []Worker `json:"workers"`
	Sources  []Source `json:"sources"`
	Egresses []Egress `json:"egresses,omitempty"`
}

// Worker is one process that renews, or did so lately.
type Worker struct {
	Worker string `json:"worker"`
	// Sequence is the highest request number that was handled.
	Sequence  int64     `json:"sequence"`
	LeaseEnds time.Time `json:"lease_ends"`
	// FirstSeen is when its first request was handled; the zero time if that is not known.
	FirstSeen time.Time `json:"first_seen,omitzero"`
	// From is the first of its requests since when its lease has not been interrupted.
	From int64 `json:"from,omitempty"`
	// Released workers are remembered for a while, so that a request that was under way does not bring them back.
	Released bool `json:"released,omitempty"`
	// Config names the configuration that it has; empty if that is not known.
	Config string `json:"config,omitempty"`
}

// New is an empty table. Zero settings are given their defaults.
func New(settings Settings) (*Table, error) {
	settings = settings.withDefaults()
	if err := settings.check(); err != nil {
		return nil, err
	}
	return &Table{Version: version, Settings: settings, Workers: []Worker{}, Sources: []Source{}}, nil
}

// Use changes the settings. Leases that were granted under other settings keep their length.
func (t *Table) Use(now time.Time, settings Settings) error {
	settings = settings.withDefaults()
	if err := settings.check(); err != nil {
		return err
	}
	t.advance(now)
	t.Settings = settings
	return nil
}

// Quarantine is for a table that may have forgotten grants: a new one whose predecessor was lost, or one whose workflow
// was reset to an earlier state. Until every lease that it may not know of has ended, it raises no grant. How long leases
// last it knows from its settings, and from its sources how long requests linger, and both from what workers tell: call it
// again when one of these has changed.
func (t *Table) Quarantine(now time.Time) { t.quarantine(now, 0, 0) }

// longestLease bounds what a worker tells of its lease: a mistaken one must not stop the fleet for a year.
const longestLease = Millis(time.Hour / time.Millisecond)

// quarantine is Quarantine where a worker tells of a lease that lasts so long, and of requests that may go on for so long after
// it. The lease was given by the owner that is forgotten, maybe under other settings than those of today, and others may have
// such a lease, and such requests, as well.
func (t *Table) quarantine(now time.Time, told, linger Millis) {
	now = t.advance(now)
	t.ToldTTL = max(t.ToldTTL, min(told, longestLease))
	t.ToldLinger = max(t.ToldLinger, linger)
	longest := t.ToldLinger.Std()
	for i := range t.Sources {
		longest = max(longest, t.Sources[i].longestLinger())
	}
	ttl := max(t.Settings.TTL, t.ToldTTL)
	t.SettlesAt = later(t.SettlesAt, now.Add(ownerTTL(ttl)+longest))
}

// advance moves the table's time and ends what has run out; it answers with the table's time. A clock that steps back
// makes leases longer, which is harmless.
func (t *Table) advance(now time.Time) time.Time {
	now = later(t.Now, now.Round(0).UTC())
	t.Now = now
	if t.Settled(now) {
		t.ToldTTL, t.ToldLinger = 0, 0
	}
	for i := range t.Sources {
		t.Sources[i].expire(now, t.Settings)
	}
	t.Sources = slices.DeleteFunc(t.Sources, Source.forgettable)
	t.Workers = slices.DeleteFunc(t.Workers, func(w Worker) bool {
		return !now.Before(w.LeaseEnds.Add(remembered * t.Settings.TTL.Std()))
	})
	t.expireEgresses(now)
	return now
}

// remembered is how many TTLs a worker's sequence number is kept after its lease has ended.
const remembered = 8

// source is the row of that name, or nil.
func (t *Table) source(name string) *Source {
	if i, ok := slices.BinarySearchFunc(t.Sources, name, func(s Source, name string) int { return strings.Compare(s.Config.Source, name) }); ok {
		return &t.Sources[i]
	}
	return nil
}

// worker is the row of that name, made if it is new.
func (t *Table) worker(name string) *Worker {
	i, ok := slices.BinarySearchFunc(t.Workers, name, func(w Worker, name string) int { return strings.Compare(w.Worker, name) })
	if !ok {
		t.Workers = slices.Insert(t.Workers, i, Worker{Worker: name})
	}
	return &t.Workers[i]
}

// UnknownSourceError says that a command named a source that the table does not have.
type UnknownSourceError struct {
	Source string
	Known  []string
}

func (e UnknownSourceError) Error() string {
	known := strings.Join(e.Known, ", ")
	if known == "" {
		known = "none yet; start a worker with its configuration first"
	}
	return fmt.Sprintf("source %q is not known: check the name against those that are (%s)", e.Source, known)
}

// find is the row of that name, for a command.
func (t *Table) find(name string) (*Source, error) {
	if s := t.source(name); s != nil {
		return s, nil
	}
	known := make([]string, len(t.Sources))
	for i, s := range t.Sources {
		known[i] = s.Config.Source
	}
	return nil, UnknownSourceError{Source: name, Known: known}
}

// Check tells whether the state can be used by this table, for instance after it was read from JSON.
func (t *Table) Check() error {
	if t.Version != version {
		return fmt.Errorf("lease table: its state has version %d and this program reads version %d; start the owner with a matching program", t.Version, version)
	}
	byName := func(a, b Source) int { return strings.Compare(a.Config.Source, b.Config.Source) }
	if !slices.IsSortedFunc(t.Sources, byName) {
		return errors.New("lease table: its sources are not in order, so the state was changed by hand; start the owner from a state it wrote")
	}
	return t.Settings.check()
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
