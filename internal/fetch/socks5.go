package fetch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/weir-collect/weir/internal/failure"
)

// The numbers of SOCKS version 5 (RFC 1928) and of its user and password (RFC 1929).
const (
	socksVersion     = 5
	socksNoAuth      = 0
	socksPassword    = 2
	socksNoMethod    = 0xff
	socksAuthVersion = 1
	socksConnect     = 1
	socksIPv4        = 1
	socksName        = 3
	socksIPv6        = 4
	socksNotAllowed  = 2
	// socksLongest is the longest name, user or password: their length is one byte.
	socksLongest = 255
)

// socksAboutTarget are the replies that say that the proxy works and the target cannot be reached.
var socksAboutTarget = map[byte]beyondError{
	3: {failure.TransportUnreachable, "the target's network cannot be reached"},
	4: {failure.TransportUnreachable, "the target's host cannot be reached"},
	5: {failure.TransportRefused, "the target refused the connection"},
}

// socksReplies are the texts of the others.
var socksReplies = map[byte]string{
	1: "general failure", socksNotAllowed: "not allowed by its rules", 6: "TTL expired", 7: "command not supported",
	8: "address type not supported",
}

// askSOCKS5 asks a SOCKS5 proxy for a tunnel. The proxy looks the target's name up. It is written out here because what
// matters is whose fault a failure is, and golang.org/x/net/proxy tells the replies apart only by their texts.
func askSOCKS5(conn net.Conn, target string, as *credentials) error {
	request, err := socksRequest(target)
	if err != nil {
		return &tunnelError{cause: err}
	}
	if err := socksGreet(conn, as); err != nil {
		return err
	}
	head, err := socksExchange(conn, request, 4)
	switch {
	case err != nil:
		return err
	case head[0] != socksVersion:
		return &tunnelError{cause: unquoted(errSocks)}
	case head[1] != 0:
		return socksRefusal(head[1])
	}
	return socksSkipAddress(conn, head[3])
}

// errSocks stands for an answer that is not SOCKS5.
var errSocks = errors.New("not SOCKS5")

func socksRefusal(reply byte) error {
	if beyond, ok := socksAboutTarget[reply]; ok {
		return &beyond
	}
	text, ok := socksReplies[reply]
	if !ok {
		text = "no known reply"
	}
	what := fmt.Sprintf("the proxy replied %d, %s", reply, text)
	if reply == socksNotAllowed {
		return refused(http.StatusForbidden, what)
	}
	return refused(http.StatusBadGateway, what)
}

// socksExchange sends a message and reads an answer of n bytes. No byte more is read: what follows is the target's.
func socksExchange(conn net.Conn, message []byte, n int) ([]byte, error) {
	if _, err := conn.Write(message); err != nil {
		return nil, &tunnelError{cause: unquoted(err)}
	}
	return socksRead(conn, n)
}

func socksRead(conn net.Conn, n int) ([]byte, error) {
	answer := make([]byte, n)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return nil, &tunnelError{cause: unquoted(err)}
	}
	return answer, nil
}

// socksGreet settles how we prove who we are, and does.
func socksGreet(conn net.Conn, as *credentials) error {
	greeting := []byte{socksVersion, 1, socksNoAuth}
	if as != nil {
		if len(as.user) == 0 || len(as.user) > socksLongest || len(as.password) == 0 || len(as.password) > socksLongest {
			return refused(http.StatusProxyAuthRequired, "SOCKS5 has no room for an empty user or password, nor for one of more than 255 bytes")
		}
		greeting = []byte{socksVersion, 2, socksNoAuth, socksPassword}
	}
	choice, err := socksExchange(conn, greeting, 2)
	if err != nil {
		return err
	}
	switch {
	case choice[0] != socksVersion:
		return &tunnelError{cause: unquoted(errSocks)}
	case choice[1] == socksNoAuth:
		return nil
	case choice[1] == socksNoMethod && as == nil:
		return refused(http.StatusProxyAuthRequired, "the proxy demands a user and a password, and this egress has none")
	case choice[1] != socksPassword || as == nil:
		return refused(http.StatusProxyAuthRequired, "the proxy demands a proof of who we are that is not a user and a password")
	}
	message := append([]byte{socksAuthVersion, byte(len(as.user))}, as.user...)
	message = append(append(message, byte(len(as.password))), as.password...)
	verdict, err := socksExchange(conn, message, 2)
	switch {
	case err != nil:
		return err
	case verdict[0] != socksAuthVersion:
		return &tunnelError{cause: unquoted(errSocks)}
	case verdict[1] != 0:
		return refused(http.StatusProxyAuthRequired, "the proxy does not accept the user and the password")
	}
	return nil
}

// socksRequest is the request for a connection to host:port.
func socksRequest(target string) ([]byte, error) {
	host, portText, err := net.SplitHostPort(target)
	if err != nil {
		return nil, fmt.Errorf("the target's address is not host:port: %w", err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || len(host) > socksLongest {
		return nil, fmt.Errorf("SOCKS5 cannot name the target %q", target)
	}
	request := []byte{socksVersion, socksConnect, 0}
	switch address, err := netip.ParseAddr(host); {
	case err != nil:
		request = append(append(request, socksName, byte(len(host))), host...)
	case address.Is4():
		request = append(append(request, socksIPv4), address.AsSlice()...)
	default:
		request = append(append(request, socksIPv6), address.AsSlice()...)
	}
	return append(request, byte(port>>8), byte(port)), nil
}

// socksSkipAddress reads the address from which the proxy contacts the target, and its port; nobody needs them.
func socksSkipAddress(conn net.Conn, kind byte) error {
	const port = 2
	length := 0
	switch kind {
	case socksIPv4:
		length = 4
	case socksIPv6:
		length = 16
	case socksName:
		size, err := socksRead(conn, 1)
		if err != nil {
			return err
		}
		length = int(size[0])
	default:
		return &tunnelError{cause: unquoted(errSocks)}
	}
	_, err := socksRead(conn, length+port)
	return err
}
