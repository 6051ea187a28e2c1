package fetch

import (
	"time"

	"github.com/weir-collect/weir/internal/failure"
)

// patienceOfTargets is how long a target may be kept waiting while a body waits for room, before what it then does is put down
// to that: some give a reader a second or two.
const patienceOfTargets = time.Second

// room asks for room for a large body. The target does not pay for our memory.
func (x *exchange) room(bytes int64) error {
	if x.askRoom == nil {
		return nil
	}
	since := time.Now()
	defer func() { x.waited += time.Since(since) }()
	defer x.pause()()
	return x.askRoom(x.caller, bytes)
}

// forgive takes back what was noted of a body that broke off after the target had been kept waiting for long: its clock went
// on while ours stood still.
func (x *exchange) forgive() {
	switch x.observed.Transport {
	case failure.TransportReset, failure.TransportTruncated:
		if x.waited > patienceOfTargets {
			x.observed.Transport, x.observed.Stage = failure.TransportCancelled, ""
			x.say("the target ended the answer after it had been kept waiting for %s, until there was room for a large body", x.waited.Round(time.Millisecond))
		}
	}
}
