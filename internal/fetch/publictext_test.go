package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

func TestErrorsAreToldWithoutOurAddresses(t *testing.T) {
	own := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40466}
	other := &net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 18999}
	reset := &net.OpError{Op: "read", Net: "tcp", Source: own, Addr: other, Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	lookup := &net.DNSError{Name: "www.x.example", Server: "10.255.255.53:53", Err: "read udp 10.0.0.5:41234->10.255.255.53:53: i/o timeout", IsTimeout: true}
	for _, tt := range []struct {
		err                error
		want, withoutNames string
	}{
		{reset, "read tcp: read: connection reset by peer", ""},
		{fmt.Errorf("the body broke off: %w", reset), "the body broke off: read tcp: read: connection reset by peer", ""},
		{errors.Join(errors.New("a"), reset), "a\nread tcp: read: connection reset by peer", ""},
		{lookup, "lookup www.x.example: read udp: i/o timeout", "lookup: read udp: i/o timeout"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: lookup}, "dial tcp: lookup www.x.example: read udp: i/o timeout", "dial tcp: lookup: read udp: i/o timeout"},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, "remote error: tls: handshake failure", ""},
		{&net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: "/run/proxy"}, Err: syscall.ENOENT}, "dial unix: no such file or directory", ""},
		{errors.New("http2: read tcp [fe80::1%eth0]:41->[2001:db8::2]:443: use of closed network connection"), "http2: read tcp: use of closed network connection", ""},
		{errors.New("malformed HTTP version \"HTTP/1.2.3.4\""), "malformed HTTP version \"HTTP/1.2.3.4\"", ""},
	} {
		require.Equal(t, tt.want, publicText(tt.err))
		if tt.withoutNames != "" {
			require.Equal(t, tt.withoutNames, withoutNames(tt.err))
		}
	}
}

// What a failed request leaves for the customer names neither this machine nor its resolver, and operators are told all.
func TestObservationsHoldNoAddressOfOurs(t *testing.T) {
	site := newHostile(t, func(conn net.Conn, _ *http.Request) {
		_ = conn.(interface{ SetLinger(int) error }).SetLinger(0) // a reset
	})
	address := site.url("")[len("http://"):]
	var told []string
	o := Options{Debug: func(source, url string, err error) { told = append(told, source+" "+url+" "+err.Error()) }}
	src := source()
	src.Hosts = append(src.Hosts, "a.example")
	o.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
	res, seen := get(t, o, src, "http://a.example/x?token=hidden")
	require.Nil(t, res)
	require.Equal(t, collection.ReasonReset, failure.Classify(seen), seen.Message)
	require.NotContains(t, seen.Message, "127.0.0.1")
	require.Len(t, told, 1)
	require.Contains(t, told[0], "shop http://a.example/x?… read tcp 127.0.0.1:")
	require.NotContains(t, told[0], "hidden")
}

func TestNamesDoNotMapTheNetwork(t *testing.T) {
	var told string
	o := Options{Resolver: zone{"lan.example": "192.168.0.10"}.resolver(t), Debug: func(_, _ string, err error) { told = err.Error() }}
	res, seen := get(t, o, guarded(), "http://lan.example/")
	requireFails(t, res, seen, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
	require.NotContains(t, seen.Message, "192.168")
	require.Contains(t, told, "192.168.0.10")

	res, seen = get(t, o, guarded(), "http://192.168.0.11/")
	requireFails(t, res, seen, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
	require.Contains(t, seen.Message, "192.168.0.11", "the record said so itself")
}

// A proxy's place in our network is nothing for customers, who read why a record failed.
func TestProxiesAreToldByTheirNameHere(t *testing.T) {
	for _, address := range []string{"127.0.0.1:1", "proxy.inside.example:3128"} {
		e := collection.Egress{Name: "eu-1", Type: "http", Address: address, AllowPrivateAddress: true}
		o := Options{Resolver: zone{"a.example": "127.0.0.1"}.resolver(t)}
		_, seen := through(t, o, source(), e, "http://a.example/")
		require.Equal(t, collection.ReasonEgressUnavailable, failure.Classify(seen))
		require.Contains(t, seen.Message, `egress "eu-1": dial tcp: `)
		require.NotContains(t, seen.Message, "127.0.0.1")
		require.NotContains(t, seen.Message, "inside")
	}
}
