package extract

import "fmt"

const (
	// maxEffort bounds the work on one response: an element looked at or a sibling passed over is one. That is some ten seconds,
	// and depends on the response and not on the machine.
	maxEffort = 1 << 32
	// lookEvery is how much work passes between two looks at whether the caller still waits.
	lookEvery = 1 << 18
	// stepEffort is what a step of the jq interpreter weighs, textEffort what a byte of an element's text does.
	stepEffort, textEffort = 64, 4
)

// errEffort stops a document that costs far more work than its size explains.
var errEffort = fmt.Errorf("reading the response takes more than %d steps; narrow the rules", maxEffort)

// strive counts work. Its error ends the document: the work is too much, or the caller has given up.
func (r *reader) strive(work int) error {
	if r.halt != nil {
		return r.halt
	}
	r.effort += work
	if r.effort > maxEffort {
		r.halt = errEffort
		return r.halt
	}
	if r.effort >= r.lookAt {
		r.lookAt = r.effort + lookEvery
		return r.look()
	}
	return nil
}

// look asks whether the caller still waits.
func (r *reader) look() error {
	if r.halt == nil && r.still != nil {
		if err := r.still(); err != nil {
			r.gaveUp = fmt.Errorf("the response was not read to its end: %w", err)
			r.halt = r.gaveUp
		}
	}
	return r.halt
}

// maxNodes bounds the nodes of a page's tree, or the values of a JSON document: about 96 MiB of memory.
const maxNodes = 3 << 18

// grow counts values of a JSON document that was read, as what they take in memory.
func (r *reader) grow(nodes int) error {
	if r.nodes += nodes; r.nodes > maxNodes {
		return fmt.Errorf("it holds more than %d values", maxNodes)
	}
	return nil
}

// weightOf is what a byte of a body may become in memory while it is read.
const weightOf = 32

// Weight is about how many bytes of memory the reading of a body takes at the worst, itself included, by its size; beside the
// values that are found, which no more than 64 MiB are. A body that IsPacked counts as one of MaxUnpacked.
func Weight(size int64) int64 { return size * weightOf }
