package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"github.com/weir-collect/weir/internal/failure"
)

// dialer opens the connections of one source.
type dialer struct {
	resolver *net.Resolver
	open     func(ctx context.Context, network, address string) (net.Conn, error)
	private  bool
	tls      *tls.Config
	// through is the proxy that every connection is tunnelled through; nil for the direct egress.
	through *tunnel
}

// privateAddressError says that a URL or a name led to an address that may not be contacted. Where a name leads inside of a
// network is nothing for a message: records bring names, and could so map the network.
type privateAddressError struct {
	address netip.Addr
	// written says that the address stands in the URL itself.
	written bool
}

func (e *privateAddressError) Error() string {
	if e.written {
		return fmt.Sprintf("address %s belongs to a private or reserved network", e.address)
	}
	return "its address belongs to a private or reserved network"
}

// dial opens a plain connection. The transport would go on dialling for a request that has ended, to have a connection
// in hand for the next one; a fetch that was stopped must leave the target alone, so the exchange's end ends it here.
func (d dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, release := boundToExchange(ctx)
	defer release()
	return watchWrites(d.connect(ctx, network, address))
}

// dialTLS opens a connection with TLS and settles the HTTP version by ALPN.
func (d dialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, release := boundToExchange(ctx)
	defer release()
	plain, err := watchWrites(d.connect(ctx, network, address))
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, closeAfter(plain, err)
	}
	reach(ctx, failure.StageTLS)
	config := d.tls.Clone()
	config.ServerName = host
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	secure := tls.Client(plain, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, closeAfter(plain, &handshakeError{cause: err})
	}
	return secure, nil
}

// handshakeError marks what failed between the connection and the first request.
type handshakeError struct{ cause error }

func (e *handshakeError) Error() string { return e.cause.Error() }
func (e *handshakeError) Unwrap() error { return e.cause }

func closeAfter(conn net.Conn, err error) error {
	_ = conn.Close() // the error that led here says more
	return err
}

// connect opens a connection to the target, by the egress that the dialer is for.
func (d dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	if d.through == nil {
		return d.direct(ctx, network, address)
	}
	if err := d.checkName(ctx, address); err != nil {
		return nil, err
	}
	return d.through.open(ctx, network, address)
}

// direct opens a connection from this machine.
func (d dialer) direct(ctx context.Context, network, address string) (net.Conn, error) {
	if d.open == nil {
		own := net.Dialer{Timeout: dialTimeout, Resolver: d.resolver, ControlContext: d.control}
		return own.DialContext(ctx, network, address)
	}
	reach(ctx, failure.StageDial)
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := d.open(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if err := d.check(conn.RemoteAddr().String()); err != nil {
		return nil, closeAfter(conn, err)
	}
	return conn, nil
}

// control sees the address that is really contacted, after every lookup: a name may lead anywhere, and elsewhere the
// next time it is asked for.
func (d dialer) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	return d.check(address)
}

func (d dialer) check(address string) error {
	if d.private {
		return nil
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %q cannot be checked: %w", address, err)
	}
	if isPrivate(at.Addr()) {
		return &privateAddressError{address: at.Addr()}
	}
	return nil
}
