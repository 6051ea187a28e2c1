package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// tunnelTimeout bounds the way from the dial of a proxy to a tunnel that stands: what takes longer is the proxy's fault.
const tunnelTimeout = 15 * time.Second

// tunnel opens connections through a proxy.
//
// Every request goes through a tunnel, also one for an http URL, which proxies would take without. Within a tunnel all
// bytes are the target's; an http request that is handed to a proxy may be answered by either, and a 403 or a 502 would not
// say by whom. One would count against the wrong one, for the whole fleet. A proxy that refuses CONNECT to port 80 cannot
// be used for http URLs.
type tunnel struct {
	egress collection.Egress
	// to reaches the proxy.
	to     dialer
	secret func(ref string) (string, error)
}

func (c *Client) tunnel(e collection.Egress) *tunnel {
	return &tunnel{
		egress: e,
		to: dialer{
			resolver: c.options.Resolver, open: c.options.DialContext, private: e.AllowPrivateAddress,
			tls: &tls.Config{RootCAs: c.options.RootCAs, NextProtos: []string{"http/1.1"}},
		},
		secret: c.options.Secret,
	}
}

// open returns a connection to the target. Its error is a *tunnelError where the proxy is at fault, a *beyondError where
// the proxy reports the target to be, and a *secretError where it is us.
func (t *tunnel) open(ctx context.Context, network, target string) (net.Conn, error) {
	reach(ctx, failure.StageProxy)
	as, err := t.credentials()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, tunnelTimeout)
	defer cancel()
	conn, err := t.dial(ctx, network)
	if err != nil {
		return nil, &tunnelError{cause: err}
	}
	// A deadline in the past ends what is read or written right now.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = t.ask(conn, target, as)
	if !stop() {
		err = &tunnelError{cause: fmt.Errorf("the proxy did not answer in time: %w", ctx.Err())}
	}
	var beyond *beyondError
	if err == nil || errors.As(err, &beyond) {
		pass(ctx)
	}
	if err != nil {
		return nil, closeAfter(conn, err)
	}
	return conn, nil
}

// dial opens a connection to the proxy itself. The rule for private addresses holds for it as for targets.
func (t *tunnel) dial(ctx context.Context, network string) (net.Conn, error) {
	if t.egress.Type != "https" {
		conn, err := t.to.direct(ctx, network, t.egress.Address)
		return conn, explainPrivate(err)
	}
	host, _, err := net.SplitHostPort(t.egress.Address)
	if err != nil {
		return nil, fmt.Errorf("the proxy's address is not host:port: %w", err)
	}
	plain, err := t.to.direct(ctx, network, t.egress.Address)
	if err != nil {
		return nil, explainPrivate(err)
	}
	config := t.to.tls.Clone()
	config.ServerName = host
	secure := tls.Client(plain, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, closeAfter(plain, &handshakeError{cause: err})
	}
	return secure, nil
}

func explainPrivate(err error) error {
	var private *privateAddressError
	if errors.As(err, &private) {
		return fmt.Errorf("the proxy: %w: set its allow_private_address if it is meant to be there", private)
	}
	return err
}

func (t *tunnel) ask(conn net.Conn, target string, as *credentials) error {
	switch t.egress.Type {
	case "http", "https":
		return askCONNECT(conn, target, as)
	case "socks5":
		return askSOCKS5(conn, target, as)
	}
	return &tunnelError{cause: fmt.Errorf("type %q is not known: use http, https or socks5", t.egress.Type)}
}

// credentials are what a proxy wants to see. They are read for every tunnel, so that new ones are taken up.
type credentials struct{ user, password string }

func (t *tunnel) credentials() (*credentials, error) {
	if t.egress.User == "" {
		return nil, nil
	}
	user, err := t.secret(t.egress.User)
	if err != nil {
		return nil, &secretError{what: fmt.Sprintf("the user of egress %q", t.egress.Name), cause: err}
	}
	password, err := t.secret(t.egress.Password)
	if err != nil {
		return nil, &secretError{what: fmt.Sprintf("the password of egress %q", t.egress.Name), cause: err}
	}
	return &credentials{user, password}, nil
}

// refused is the fault of a proxy that answered, and did not agree.
func refused(status int, what string) error {
	switch status {
	case http.StatusProxyAuthRequired:
		what += ": correct the user and the password of this egress"
	case http.StatusForbidden:
		what += ": it does not serve this target"
	}
	return &tunnelError{status: status, cause: errors.New(what)}
}
