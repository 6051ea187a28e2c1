package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// secretError says that a secret could not be resolved. It says what the secret is for, never a value.
type secretError struct {
	what  string
	cause error
}

func (e *secretError) Error() string {
	return fmt.Sprintf("%s could not be resolved: %v", e.what, e.cause)
}

// observeInput tells what kept a request from being made.
func observeInput(err error) failure.Observation {
	o := failure.Observation{Transport: failure.TransportRequestInvalid, Message: collection.Clip(err.Error(), collection.MaxDetail)}
	var secret *secretError
	if errors.As(err, &secret) {
		o.Transport = failure.TransportSecretUnavailable
	}
	return o
}

// maxHeaderShown bounds the header values that an observation keeps.
const maxHeaderShown = 64

func (x *exchange) observeHeader(res *http.Response) {
	x.observed = failure.Observation{
		Status:     res.StatusCode,
		RetryAfter: short(res.Header.Get("Retry-After")),
		Date:       short(res.Header.Get("Date")),

		Conditional: x.conditional,
	}
}

// short is the value of a header field, or nothing when it is longer than any sensible value.
func short(value string) string {
	if len(value) > maxHeaderShown {
		return ""
	}
	return value
}

// say explains the observation to a person.
func (x *exchange) say(format string, args ...any) {
	explanation := withoutEndpoints(fmt.Sprintf(format, args...))
	x.observed.Message = collection.Clip(x.clean(x.req.Method+" "+shown(x.req.URL)+": "+explanation), collection.MaxDetail)
}

// tellDebug tells all of an error to those who operate weir.
func (x *exchange) tellDebug(err error) {
	if x.debug == nil {
		return
	}
	text := err.Error()
	if private, ok := errors.AsType[*privateAddressError](err); ok && !private.written {
		text += " (" + private.address.String() + ")"
	}
	x.debug(x.src.Name, x.clean(shown(x.req.URL)), errors.New(x.clean(text)))
}

// fail notes what ended the exchange.
func (x *exchange) fail(err error) {
	x.tellDebug(err)
	var noTunnel *tunnelError
	if errors.As(err, &noTunnel) && x.caller.Err() == nil {
		x.failTunnel(noTunnel)
		return
	}
	x.observed.Transport = x.transportOf(err)
	x.doubt()
	switch x.observed.Transport {
	case failure.TransportTimeout:
		x.observed.Stage = x.hop.at()
		who := "the target did not answer"
		if x.observed.Stage == failure.StageProxy {
			who = fmt.Sprintf("egress %q opened no tunnel", x.egress)
		}
		x.say("%s within %s (stage: %s)", who, x.src.Timeout, x.observed.Stage)
	case failure.TransportReset, failure.TransportProtocol:
		x.observed.Stage = x.hop.at()
		x.say("%s", publicText(err))
	default:
		x.say("%s", publicText(err))
	}
}

// transportOf finds the kind of an error, from what we know for certain to what the network says.
func (x *exchange) transportOf(err error) failure.Transport {
	var (
		private   *privateAddressError
		offSource *offSourceError
		secret    *secretError
		beyond    *beyondError
		broken    *bodyError
		room      *roomError
		dns       *net.DNSError
		timeout   net.Error
	)
	switch {
	case errors.As(err, &private):
		return failure.TransportPrivateAddress
	case errors.As(err, &offSource):
		return failure.TransportRedirectOffSource
	case errors.Is(err, errLoop), errors.Is(err, errTooManyRedirects):
		return failure.TransportRedirectLoop
	case errors.Is(x.caller.Err(), context.Canceled), errors.As(err, &room):
		return failure.TransportCancelled
	case errors.As(err, &secret):
		return failure.TransportSecretUnavailable
	case errors.As(err, &beyond):
		return beyond.kind
	case errors.As(err, &broken) && broken.kind != "":
		return broken.kind
	case x.ctx.Err() != nil:
		return failure.TransportTimeout
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return failure.TransportDNSNotFound
		}
		return failure.TransportDNSTimeout
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return failure.TransportTimeout
	case isTLS(err):
		return failure.TransportTLS
	}
	return networkTransport(err)
}

// isTLS says whether an error belongs to the TLS handshake or to a certificate.
func isTLS(err error) bool {
	var (
		handshake *handshakeError
		alert     tls.AlertError
		record    tls.RecordHeaderError
		untrusted *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
	)
	switch {
	case errors.As(err, &alert), errors.As(err, &record), errors.As(err, &untrusted), errors.As(err, &authority):
		return true
	case errors.As(err, &handshake):
		return !isReset(err)
	}
	return strings.Contains(err.Error(), "tls: ")
}

// isReset says whether the other side, or something between, ended the connection.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// networkTransport finds the kind of an error of the network or of the HTTP client.
func networkTransport(err error) failure.Transport {
	switch {
	case isLocal(err):
		return failure.TransportLocal
	case errors.Is(err, syscall.ECONNREFUSED):
		return failure.TransportRefused
	case errors.Is(err, syscall.EHOSTUNREACH):
		return failure.TransportUnreachable
	case isReset(err), isHTTP2Reset(err):
		return failure.TransportReset
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return failure.TransportUnreachable
	}
	return failure.TransportProtocol
}

// isLocal says whether this machine could not open a connection, whatever the target.
func isLocal(err error) bool {
	for _, local := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENETUNREACH, syscall.ENETDOWN,
		syscall.EACCES, syscall.EPERM, syscall.ENOBUFS, syscall.ENOMEM,
	} {
		if errors.Is(err, local) {
			return true
		}
	}
	return false
}

// isHTTP2Reset knows the endings of an HTTP/2 stream, whose types net/http does not export.
func isHTTP2Reset(err error) bool {
	text := err.Error()
	for _, sign := range []string{"stream error: ", "GOAWAY", "client connection lost", "client connection force closed", "server closed idle connection", "connection error: "} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// isTimeout says whether an error is the end of somebody's patience: a deadline or a cancelled context.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, &timeout) && timeout.Timeout()
}
