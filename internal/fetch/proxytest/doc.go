// Package proxytest has proxies for tests: an HTTP proxy that knows CONNECT and a SOCKS5 proxy, on loopback, that count what
// they are asked and fail as they are told.
//
// They stand at the network's edge in place of a stranger's proxy, and are written from the standards alone: they know
// nothing of the client that they test.
package proxytest
