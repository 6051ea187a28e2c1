package fetch

import (
	"errors"
	"net"
	"regexp"
	"strings"
)

// What ended a request is told to customers. The addresses that the standard library puts into its errors are of our own
// side: of the worker, of its resolver, of a proxy. They are left out; Options.Debug gets them.

// publicText is the text of an error without the addresses of the connections and the resolver that it tells of.
func publicText(err error) string { return rewritten(err, true) }

// withoutNames leaves out the names that were looked up, too: those of proxies.
func withoutNames(err error) string { return rewritten(err, false) }

func rewritten(err error, names bool) string {
	text := err.Error()
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &op):
		text = strings.ReplaceAll(text, op.Error(), opText(op, names))
	case errors.As(err, &dns):
		text = strings.ReplaceAll(text, dns.Error(), lookupText(dns, names))
	}
	return withoutEndpoints(text)
}

// opText is a failed operation of a connection.
func opText(op *net.OpError, names bool) string {
	text := op.Op
	if op.Net != "" {
		text += " " + op.Net
	}
	return text + ": " + rewritten(op.Err, names)
}

// lookupText is a failed lookup. What it failed by is text already, and may hold addresses again.
func lookupText(dns *net.DNSError, names bool) string {
	if names && dns.Name != "" {
		return "lookup " + dns.Name + ": " + dns.Err
	}
	return "lookup: " + dns.Err
}

// endpoint is an address with its port, and endpoints are what is said of them in errors.
const endpoint = `(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%[^\]\s]+)?\]):\d+`

var endpoints = regexp.MustCompile(`(?: on| from| to)? ?` + endpoint + `(?:->` + endpoint + `)?`)

// withoutEndpoints cuts out what looks like the address of a connection's end.
func withoutEndpoints(text string) string { return endpoints.ReplaceAllString(text, "") }
