package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// watchdog asks whether a request may still go out, and remembers who said no: a process can have been stopped between the
// decision to make a request and the moment at which its first byte is written, for longer than its right to make it lasts.
type watchdog struct {
	ask func() error
	// stop ends the hop, so that no other connection is tried for it.
	stop    context.CancelFunc
	refusal atomic.Pointer[unsentError]
}

// unsentError says that our own side kept a request, or what is left of one, from being sent.
type unsentError struct{ cause error }

func (e *unsentError) Error() string { return "the request was not sent: " + e.cause.Error() }
func (e *unsentError) Unwrap() error { return e.cause }

// check says why the request must not go out; nil if it may.
func (w *watchdog) check() error {
	if w == nil || w.ask == nil {
		return nil
	}
	if err := w.ask(); err != nil {
		w.refusal.CompareAndSwap(nil, &unsentError{cause: err})
		w.stop()
	}
	return w.refused()
}

// refused is the first refusal; nil if there was none.
func (w *watchdog) refused() error {
	if refusal := w.refusal.Load(); refusal != nil {
		return refusal
	}
	return nil
}

// watched has the hop of a context looked after: when it has got its connection, and with every write to a connection that
// serves one request at a time. On one with HTTP/2, a hop that has been stopped writes no header.
func watched(ctx context.Context, ask func() error) (context.Context, *watchdog) {
	ctx, stop := context.WithCancel(ctx)
	w := &watchdog{ask: ask, stop: stop}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if own := watchedConnOf(info.Conn); own != nil {
				own.serves.Store(w)
			}
			_ = w.check() // it is remembered, and has stopped the hop
		},
	}), w
}

// watchedConn asks before it writes.
type watchedConn struct {
	net.Conn
	serves atomic.Pointer[watchdog]
}

// Write writes nothing of a request that may not go out any more.
func (c *watchedConn) Write(b []byte) (int, error) {
	if err := c.serves.Load().check(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// watchedConnOf is the connection beneath the one that the transport knows; nil for one that serves many requests at once.
func watchedConnOf(conn net.Conn) *watchedConn {
	if secure, ok := conn.(*tls.Conn); ok {
		if secure.ConnectionState().NegotiatedProtocol == "h2" {
			return nil
		}
		conn = secure.NetConn()
	}
	own, _ := conn.(*watchedConn)
	return own
}

// watchWrites makes a connection that asks before it writes out of one that has just been opened.
func watchWrites(conn net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: conn}, nil
}
