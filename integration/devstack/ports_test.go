package main

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPickedPortsAreFreeAndDistinct(t *testing.T) {
	p, err := choosePorts(options{})
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, port := range []int{p.frontend, p.web, p.s3, p.history, p.matching, p.worker} {
		require.False(t, seen[port], "port %d twice", port)
		seen[port] = true
		l, err := net.Listen("tcp", address(port))
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
}

// TestPickedPortsAreNobodyElses: until it is bound, a port is free, and yet no other devstack picks it.
func TestPickedPortsAreNobodyElses(t *testing.T) {
	p, err := choosePorts(options{})
	require.NoError(t, err)
	other := &portPicker{taken: map[int]bool{}}
	for _, port := range []int{p.frontend, p.web, p.s3, p.history, p.matching, p.worker} {
		require.NoError(t, tryListen(port))
		require.False(t, other.reserve(port), "port %d", port)
	}
	for _, held := range p.reserved {
		require.NoError(t, held.Close())
	}
	require.True(t, other.reserve(p.frontend), "and it is given back")
	require.NoError(t, other.reserved[0].Close())
}

func TestEveryBusyPortIsNamed(t *testing.T) {
	var busy []int
	for range 2 {
		l, err := net.Listen("tcp", address(0))
		require.NoError(t, err)
		defer func() { _ = l.Close() }()
		busy = append(busy, l.Addr().(*net.TCPAddr).Port)
	}
	_, err := choosePorts(options{temporalPort: busy[0], s3Port: busy[1]})
	for i, flag := range []string{"--temporal-port", "--s3-port"} {
		require.ErrorContains(t, err, flag)
		_, port, splitErr := net.SplitHostPort(address(busy[i]))
		require.NoError(t, splitErr)
		require.ErrorContains(t, err, port)
	}
}

func TestOnePortForTwoPurposes(t *testing.T) {
	free, err := (&portPicker{taken: map[int]bool{}}).pick()
	require.NoError(t, err)
	_, err = choosePorts(options{temporalPort: free, webPort: free})
	require.ErrorContains(t, err, "twice")
	_, err = choosePorts(options{temporalPort: free, webPort: free, noWeb: true})
	require.NoError(t, err, "a port of a part that is not started is not taken")
}
