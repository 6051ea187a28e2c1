package proxytest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// serveSOCKS5 answers one request for a tunnel (RFC 1928), after a user and a password where they are demanded (RFC 1929).
func serveSOCKS5(p *Proxy, conn net.Conn, b Behaviour) error {
	if b.Echo {
		_, err := io.Copy(conn, conn)
		return err
	}
	methods, err := readCounted(conn, 1)
	if err != nil {
		return err
	}
	if let, err := identify(conn, methods, b); err != nil || !let {
		return err
	}
	target, err := readTarget(conn)
	if err != nil {
		return err
	}
	p.note(target)
	if b.Reply != 0 {
		return reply(conn, b.Reply)
	}
	to, err := p.dial(target, b)
	if err != nil {
		return reply(conn, 5)
	}
	if err := reply(conn, 0); err != nil {
		return err
	}
	return p.relay(conn, to, b)
}

// readCounted reads a number of bytes to skip, then a length and as many bytes.
func readCounted(conn net.Conn, skip int) ([]byte, error) {
	head := make([]byte, skip+1)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, err
	}
	value := make([]byte, head[skip])
	_, err := io.ReadFull(conn, value)
	return value, err
}

// identify says whether the client may ask for a tunnel.
func identify(conn net.Conn, methods []byte, b Behaviour) (bool, error) {
	if b.User == "" {
		_, err := conn.Write([]byte{5, 0})
		return true, err
	}
	if !slices.Contains(methods, 2) {
		_, err := conn.Write([]byte{5, 0xff})
		return false, err
	}
	if _, err := conn.Write([]byte{5, 2}); err != nil {
		return false, err
	}
	user, err := readCounted(conn, 1)
	if err != nil {
		return false, err
	}
	password, err := readCounted(conn, 0)
	if err != nil {
		return false, err
	}
	if string(user) != b.User || string(password) != b.Password {
		_, err := conn.Write([]byte{1, 1})
		return false, err
	}
	_, err = conn.Write([]byte{1, 0})
	return true, err
}

func readTarget(conn net.Conn) (string, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(conn, head); err != nil {
		return "", err
	}
	var host string
	switch head[3] {
	case 3:
		name, err := readCounted(conn, 0)
		if err != nil {
			return "", err
		}
		host = string(name)
	case 1, 4:
		address := make([]byte, map[byte]int{1: 4, 4: 16}[head[3]])
		if _, err := io.ReadFull(conn, address); err != nil {
			return "", err
		}
		at, _ := netip.AddrFromSlice(address)
		host = at.String()
	default:
		return "", fmt.Errorf("address type %d", head[3])
	}
	port := make([]byte, 2)
	_, err := io.ReadFull(conn, port)
	return net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port)))), err
}

// reply answers with an address of the longest kind, so that a client which misreads it is found out.
func reply(conn net.Conn, code byte) error {
	name := "proxy.example"
	message := append([]byte{5, code, 0, 3, byte(len(name))}, name...)
	_, err := conn.Write(append(message, 0, 80))
	return err
}
