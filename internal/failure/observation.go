package failure

import (
	"time"

	"github.com/weir-collect/weir/collection"
)

// Transport is the kind of trouble that an exchange met below or beside its HTTP status. Empty means none.
type Transport string

// The kinds of transport trouble. They are stored with observations and therefore append-only.
const (
	// TransportDNSNotFound means that the resolver says that the name does not exist, or has no address.
	TransportDNSNotFound Transport = "dns_not_found"
	// TransportDNSTimeout means that the resolver did not answer, or answered that it could not say.
	TransportDNSTimeout Transport = "dns_timeout"
	// TransportRefused means that the target's machine refused the connection.
	TransportRefused Transport = "refused"
	// TransportUnreachable means that the network reports no way to the target's machine.
	TransportUnreachable Transport = "unreachable"
	// TransportLocal means that this machine could not open a connection: no route, no port, no file descriptor.
	TransportLocal Transport = "local"
	// TransportReset means that the connection broke before the answer was complete.
	TransportReset Transport = "reset"
	// TransportTimeout means that the time ran out; the observation's Stage says where.
	TransportTimeout Transport = "timeout"
	// TransportTLS means that no trusted TLS connection came about.
	TransportTLS Transport = "tls"
	// TransportProtocol means that the answer is not HTTP as the standard has it.
	TransportProtocol Transport = "protocol"
	// TransportTruncated means that the body ended before the length or the end mark that it promised.
	TransportTruncated Transport = "truncated"
	// TransportBodyTooLarge means that the body passed the source's limit.
	TransportBodyTooLarge Transport = "body_too_large"
	// TransportDecode means that the body is not what its Content-Encoding says.
	TransportDecode Transport = "decode"
	// TransportRedirectLoop means that redirects came back to where they had been, or did not end.
	TransportRedirectLoop Transport = "redirect_loop"
	// TransportRedirectOffSource means that a redirect left the source's hosts, or its protection.
	TransportRedirectOffSource Transport = "redirect_off_source"
	// TransportPrivateAddress means that the target's address is loopback, link-local or private.
	TransportPrivateAddress Transport = "private_address"
	// TransportRequestInvalid means that no request can be made of the record: a field is missing, or the URL is none.
	TransportRequestInvalid Transport = "request_invalid"
	// TransportSecretUnavailable means that a credential of the source could not be read.
	TransportSecretUnavailable Transport = "secret_unavailable"
	// TransportCancelled means that our own side ended the exchange.
	TransportCancelled Transport = "cancelled"
)

// Stage is the part of an exchange that a timeout fell into.
type Stage string

// The stages, in the order in which an exchange passes through them.
const (
	StageDNS  Stage = "dns"
	StageDial Stage = "dial"
	// StageProxy is everything between us and a proxy, up to the moment when its tunnel to the target stands.
	StageProxy  Stage = "proxy"
	StageTLS    Stage = "tls"
	StageHeader Stage = "header"
	StageBody   Stage = "body"
)

// Warning is something odd about a response that was accepted all the same.
type Warning string

// The warnings. They are stored with observations and therefore append-only.
const (
	// WarningLengthUnverified means that only the end of the connection marked the end of the body: no length was announced, or
	// a larger one than came, while the checksum of the compression proves that the body is whole.
	WarningLengthUnverified Warning = "length_unverified"
	// WarningTrailingGarbage means that bytes after the end of the compressed body were dropped.
	WarningTrailingGarbage Warning = "trailing_garbage"
	// WarningEncodingIgnored means that the Content-Encoding header was wrong or unknown, and the body taken as it came.
	WarningEncodingIgnored Warning = "encoding_ignored"
)

// Egress says which egress an exchange took.
type Egress struct {
	// Proxy is set when the exchange went through a proxy.
	Proxy bool `json:"proxy,omitempty"`
	// Name of the egress; empty for the direct one. Never an address with credentials.
	Name string `json:"name,omitempty"`
	// Status is what the proxy answered to CONNECT when it did not agree. What a SOCKS5 proxy answers stands here as the
	// status that says the same: 407 for credentials, 403 for its rules, 502 for anything else that is not the target's.
	Status int `json:"status,omitempty"`
	// Passed says that the proxy has done its part: its tunnel stood, or it reported that the target cannot be reached. Then
	// the trouble is the target's.
	Passed bool `json:"passed,omitempty"`
}

// Observation is what one attempt met: a plain value without secrets, small enough for a history.
type Observation struct {
	// Status of the last HTTP answer; zero when there was none.
	Status int `json:"status,omitempty"`
	// RetryAfter and Date are the answer's header fields of these names.
	RetryAfter string    `json:"retry_after,omitempty"`
	Date       string    `json:"date,omitempty"`
	Transport  Transport `json:"transport,omitempty"`
	Stage      Stage     `json:"stage,omitempty"`
	Egress     Egress    `json:"egress,omitzero"`
	// Refused is the rule of ours that forbade where a redirect led.
	Refused collection.Reason `json:"refused,omitempty"`
	// Conditional says that the request asked for the answer only if it has changed, so that 304 is what was asked for.
	Conditional bool `json:"conditional,omitempty"`
	// Certain says that another look would find the same: a private address that stands in the URL. OfSource says that the name
	// in question is one which the source's configuration writes out.
	Certain  bool `json:"certain,omitempty"`
	OfSource bool `json:"of_source,omitempty"`
	// Bytes of the body that were received, before content decoding.
	Bytes    int64     `json:"bytes,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
	// Message is one sentence for a person, at most collection.MaxDetail bytes, without secrets and query strings.
	Message string `json:"message,omitempty"`
}

// RetryAfterHint is how long the target asked to be left alone; ok is false when it did not say, or not in a way that
// makes sense. A date is read against the answer's own Date, so that clocks need not agree; now serves where it has none.
func (o Observation) RetryAfterHint(now time.Time) (wait time.Duration, ok bool) {
	if date, valid := parseHTTPDate(o.Date, now); valid {
		now = date
	}
	return ParseRetryAfter(o.RetryAfter, now)
}
