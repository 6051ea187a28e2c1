package fetch

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

func TestIsPrivate(t *testing.T) {
	private := []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200", "100.127.255.255", "168.63.129.16",
		"192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1", "3fff::1", "100::1", "2001::1", "5f00::1",
		"::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1",
		"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "::127.0.0.1", "::ffff:0:a00:1",
	}
	public := []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "128.0.0.1", "168.63.129.17", "169.253.255.255", "169.255.0.0",
		"172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"2606:4700::1111", "2001:4860:4860::8888", "2a00::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
	}
	for _, text := range private {
		require.True(t, isPrivate(netip.MustParseAddr(text)), text)
	}
	for _, text := range public {
		require.False(t, isPrivate(netip.MustParseAddr(text)), text)
	}
	require.True(t, isPrivate(netip.Addr{}))
}

// guarded is a source that may not look inside.
func guarded() collection.Source {
	src := source()
	src.AllowPrivateAddresses = false
	src.Hosts = append(src.Hosts, "*.example")
	return src
}

func TestNamesThatLeadInside(t *testing.T) {
	resolver := zone{
		"meta.example": "169.254.169.254", "local.example": "127.0.0.1", "lan.example": "192.168.0.10",
		"six.example": "::1", "mapped.example": "::ffff:10.0.0.1", "nat64.example": "64:ff9b::a9fe:a9fe",
	}
	for name := range resolver {
		for _, scheme := range []string{"http://", "https://"} {
			res, o := get(t, Options{Resolver: resolver.resolver(t)}, guarded(), scheme+name+"/latest/meta-data?token=hidden")
			requireFails(t, res, o, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
			require.NotContains(t, o.Message, "hidden")
			require.False(t, o.Certain, "a resolver's sinkhole says so of every name")
			require.False(t, o.OfSource, "the record has brought it")
		}
	}
}

func TestAddressesInOddNotation(t *testing.T) {
	options := Options{Resolver: zone{}.resolver(t)}
	for _, host := range []string{
		"127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.1", "127.0.0.1.", "127.0.0.1:8080",
		"[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::127.0.0.1]",
		"169.254.169.254", "0xa9fea9fe", "2852039166", "１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "0", "0.0.0.0",
	} {
		res, o := get(t, options, guarded(), "http://"+host+"/")
		requireFails(t, res, o, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
		require.True(t, o.Certain, "it is written in the URL: %s", host)
	}
}

func TestRedirectInside(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"a.example/": "http://0x7f.1/"}))
	// The first hop is allowed by its address, as a public site's is.
	options := web.options()
	dial := options.DialContext
	options.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return publicConn{conn}, nil
	}
	src := guarded()
	res, o := get(t, options, src, "http://a.example/")
	requireFails(t, res, o, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
	require.Len(t, web.requests, 1)
	require.Equal(t, http.MethodGet, web.requests[0].Method)
}

// publicConn seems to lead to a public address.
type publicConn struct{ net.Conn }

func (publicConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 80} }

func TestOpenedConnectionsAreChecked(t *testing.T) {
	web := newWeb(t, leads(nil))
	res, o := get(t, web.options(), guarded(), "http://a.example/")
	requireFails(t, res, o, failure.TransportPrivateAddress, collection.ReasonPrivateAddress)
	require.Empty(t, web.requests)

	unreadable := Options{DialContext: func(context.Context, string, string) (net.Conn, error) {
		conn, _ := net.Pipe()
		return conn, nil
	}}
	res, o = get(t, unreadable, guarded(), "http://a.example/")
	require.Nil(t, res)
	require.NotEmpty(t, failure.Classify(o), "an address that cannot be checked is not used")
}
