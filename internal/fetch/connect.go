package fetch

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// askCONNECT asks an HTTP proxy for a tunnel (RFC 9110, section 9.3.6). Only the status of its answer is ever told.
func askCONNECT(conn net.Conn, target string, as *credentials) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: http.Header{}}
	// Who we are is for the target, which sees it inside the tunnel.
	req.Header.Set("User-Agent", "")
	if as != nil {
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(as.user+":"+as.password)))
	}
	if err := req.Write(conn); err != nil {
		return &tunnelError{cause: unquoted(err)}
	}
	in := bufio.NewReader(io.LimitReader(conn, maxResponseHeader))
	// The body of a refusal is not read, and that of a 2xx is the tunnel: there is nothing to close.
	res, err := http.ReadResponse(in, req)
	switch {
	case err != nil:
		return &tunnelError{cause: unquoted(err)}
	case res.StatusCode/100 != 2:
		return refused(res.StatusCode, "the proxy answered "+statusText(res.StatusCode))
	case in.Buffered() > 0:
		// In a tunnel we speak first, so these bytes are not the target's.
		return &tunnelError{cause: errors.New("the proxy agreed to a tunnel and then sent bytes of its own")}
	}
	return nil
}

// unquoted is an error of an exchange with a proxy, without what the proxy has sent: parsers quote what they cannot read.
func unquoted(err error) error {
	var network *net.OpError
	switch {
	case errors.As(err, &network):
		return fmt.Errorf("the connection to the proxy broke: %w", network)
	case isReset(err):
		return fmt.Errorf("the proxy closed the connection without an answer: %w", io.ErrUnexpectedEOF)
	}
	return errors.New("what listens at the proxy's address does not speak the protocol of its type")
}
