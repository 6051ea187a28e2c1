package lease

import (
	"slices"
	"strings"
	"time"
)

// Has notes which configuration a worker has, by a name that means nothing to the table.
func (t *Table) Has(worker, config string) {
	if w := t.known(worker); w != nil {
		w.Config = config
	}
}

// ConfigOf is the name of a worker's configuration; empty if it is not known.
func (t *Table) ConfigOf(worker string) string {
	if w := t.known(worker); w != nil {
		return w.Config
	}
	return ""
}

// FirstSeen is when a worker's first request was handled; the zero time if that is not known.
func (t *Table) FirstSeen(worker string) time.Time {
	if w := t.known(worker); w != nil {
		return w.FirstSeen
	}
	return time.Time{}
}

// Abandoned says whether no worker with a lease has that configuration. One whose configuration is not known may have it.
func (t *Table) Abandoned(now time.Time, config string) bool {
	return !slices.ContainsFunc(t.Workers, func(w Worker) bool {
		return !w.Released && now.Before(w.LeaseEnds) && (w.Config == "" || w.Config == config)
	})
}

// known is the row of a worker, or nil.
func (t *Table) known(name string) *Worker {
	i, ok := slices.BinarySearchFunc(t.Workers, name, func(w Worker, name string) int { return strings.Compare(w.Worker, name) })
	if !ok {
		return nil
	}
	return &t.Workers[i]
}
