package fetch

import (
	"fmt"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// egress is the egress of a name: one without a name for the direct one.
func (c *Client) egress(name string) (collection.Egress, bool) {
	if name == "" || name == collection.EgressDirect {
		return collection.Egress{}, true
	}
	e, ok := c.egresses[name]
	return e, ok
}

// mayUse says why an egress cannot be used from here: its credentials cannot be read. Found out before anything is dialled, so
// that a fetch without them has asked nobody.
func (c *Client) mayUse(e collection.Egress) error {
	_, err := c.tunnel(e).credentials()
	return err
}

// observeUnknownEgress tells of an egress that is not configured here. Never is the request made by another.
func observeUnknownEgress(name string) failure.Observation {
	return failure.Observation{
		Transport: failure.TransportUnreachable, Stage: failure.StageProxy,
		Egress: failure.Egress{Proxy: true, Name: collection.Clip(name, maxHeaderShown)},
		Message: collection.Clip(fmt.Sprintf(
			"egress %q is not configured on this worker: add it to egresses, or take it out of the source's egress.use", name), collection.MaxDetail),
	}
}

// tunnelError says that no tunnel through a proxy came about, by the fault of the proxy. Its text never holds anything that
// the proxy has sent, which may be our credentials.
type tunnelError struct {
	// status is what the proxy answered, or the status that says the same; zero if it gave no answer of sense.
	status int
	cause  error
}

func (e *tunnelError) Error() string { return e.cause.Error() }
func (e *tunnelError) Unwrap() error { return e.cause }

// beyondError says that a proxy works and reports that it cannot reach the target.
type beyondError struct {
	kind failure.Transport
	why  string
}

func (e *beyondError) Error() string { return "the proxy reports that " + e.why }

// failTunnel notes the fault of a proxy.
func (x *exchange) failTunnel(e *tunnelError) {
	x.observed.Egress.Status = e.status
	if e.status == 0 {
		x.observed.Transport, x.observed.Stage = x.transportOf(e.cause), failure.StageProxy
	}
	// A connection before this one, that turned out dead, says nothing of the proxy as it is now.
	x.hop.passed.Store(false)
	x.say("egress %q: %s", x.egress, withoutNames(e))
}

// observeEgress notes the egress of the exchange.
func (x *exchange) observeEgress() {
	if x.egress == "" {
		return
	}
	x.observed.Egress.Proxy, x.observed.Egress.Name = true, x.egress
	x.observed.Egress.Passed = x.hop != nil && x.hop.passed.Load()
}
