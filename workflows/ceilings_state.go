package workflows

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/weir-collect/weir/internal/lease"
)

// CeilingsInput starts a Ceilings workflow. The zero value starts an empty table, which grants nothing until every lease
// that an owner before it may have given has run out.
type CeilingsInput struct {
	// First says that there was no owner before.
	First bool `json:"first,omitempty"`
	// State is what an earlier run handed over.
	State *CeilingsState `json:"state,omitempty"`
	// Packed is a State that is large: its JSON in gzip. The engine takes no message above 2 MB, which is what 8,000 pairs of
	// a source and a worker come to.
	Packed []byte `json:"packed,omitempty"`
}

// CeilingsState is everything that a run hands over to the next.
type CeilingsState struct {
	Table lease.Table `json:"table"`
	// Unsettled says that an owner before this one may have given leases, and that it is not known yet how long they last.
	Unsettled bool `json:"unsettled,omitempty"`
	// Config says which configuration the table has, and Since from when the process is that brought it.
	Config string `json:"config,omitempty"`
	Since  int64  `json:"since_ms,omitempty"`
}

// outdatedBy says whether a configuration is to replace the table's: it is another, of a process that started later. Of
// two that started in the same millisecond, one must win.
func (s CeilingsState) outdatedBy(config string, since int64) bool {
	return config != s.Config && (since > s.Since || since == s.Since && config > s.Config)
}

// started is when a process started: when it says so, but not after its first renewal. One that says it was later has a clock
// that is ahead, and must neither shut out those of the next rollout nor take its own configuration's place back from them. Of
// a process that has not renewed, or does not say by which name, it is not after now.
func (s *CeilingsState) started(now time.Time, worker string, since int64) int64 {
	if seen := s.Table.FirstSeen(worker); !seen.IsZero() {
		now = seen
	}
	return min(since, now.UnixMilli())
}

// replacedBy says whether a configuration is to take the place of the table's: it comes from a process that started later,
// or no live worker has the table's any more. The start of a process is no measure then: in a rollout an old process may
// be started after a new one, and clocks may be behind. One from the beginning of time replaces nothing.
func (s *CeilingsState) replacedBy(now time.Time, config string, since int64) bool {
	return s.outdatedBy(config, since) || since > 0 && config != s.Config && s.Table.Abandoned(now, s.Config)
}

// packFrom is the size from which a state is packed, in bytes: one that a person can read in Temporal Web, and that the
// engine does not warn of, stays as it is.
const packFrom = 64 << 10

// handOver is the state as the next run's input.
func (s CeilingsState) handOver() (CeilingsInput, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return CeilingsInput{}, fmt.Errorf("hand the ceilings over: %w", err)
	}
	if len(body) < packFrom {
		return CeilingsInput{State: &s}, nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err = w.Write(body); err == nil {
		err = w.Close()
	}
	if err != nil {
		return CeilingsInput{}, fmt.Errorf("hand the ceilings over: %w", err)
	}
	return CeilingsInput{Packed: packed.Bytes()}, nil
}

// HandedOver is the state that an earlier run handed over, nil if there was none. An error means that this program cannot
// read it.
func (in CeilingsInput) HandedOver() (*CeilingsState, error) {
	state := in.State
	if len(in.Packed) > 0 {
		state = &CeilingsState{}
		if err := unpack(in.Packed, state); err != nil {
			return nil, fmt.Errorf("the packed state of the ceilings cannot be read; start the owner with a matching program: %w", err)
		}
	}
	if state == nil {
		return nil, nil
	}
	return state, state.Table.Check()
}

func unpack(packed []byte, into *CeilingsState) error {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
