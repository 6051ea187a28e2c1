package failure

import (
	"net/http"

	"github.com/weir-collect/weir/collection"
)

// statusUnofficialDenied is the status with which some sites turn collectors away; it stands in no standard.
const statusUnofficialDenied = 999

// Classify names the reason of an observation; the empty reason means success.
func Classify(o Observation) collection.Reason {
	if o.Refused != "" {
		return o.Refused
	}
	if reason := classifyEgress(o); reason != "" {
		return reason
	}
	// The status line of an error is the answer, whatever became of the page that came with it.
	if o.Transport != "" && !(o.Status >= http.StatusBadRequest && bodyTrouble(o)) {
		return classifyTransport(o)
	}
	return classifyStatus(o)
}

// classifyEgress finds the faults of a proxy; the target has no part in them.
func classifyEgress(o Observation) collection.Reason {
	if !o.Egress.Proxy || o.Egress.Passed {
		return ""
	}
	switch {
	case o.Egress.Status == http.StatusProxyAuthRequired, o.Status == http.StatusProxyAuthRequired:
		return collection.ReasonEgressAuth
	case o.Egress.Status == http.StatusForbidden:
		return collection.ReasonEgressRefused
	case o.Egress.Status != 0:
		return collection.ReasonEgressUnavailable
	}
	switch o.Transport {
	case "", TransportCancelled, TransportSecretUnavailable:
		return ""
	}
	if o.Stage == StageProxy {
		// Also an address that is private: it is the proxy's, and the record must not be refused for it.
		return collection.ReasonEgressUnavailable
	}
	switch o.Transport {
	case TransportRefused, TransportUnreachable:
		return collection.ReasonEgressUnavailable
	case TransportTimeout:
		if o.Stage == StageDial {
			return collection.ReasonEgressUnavailable
		}
	}
	return ""
}

// bodyTrouble says whether the trouble concerns the body alone.
func bodyTrouble(o Observation) bool {
	switch o.Transport {
	case TransportTruncated, TransportBodyTooLarge, TransportDecode:
		return true
	case TransportReset, TransportTimeout:
		return o.Stage == StageBody
	}
	return false
}

var transportReasons = map[Transport]collection.Reason{
	TransportDNSNotFound:       collection.ReasonDNSNotFound,
	TransportDNSTimeout:        collection.ReasonDNSTimeout,
	TransportRefused:           collection.ReasonConnectFailed,
	TransportUnreachable:       collection.ReasonConnectFailed,
	TransportLocal:             collection.ReasonEgressUnavailable,
	TransportReset:             collection.ReasonReset,
	TransportTimeout:           collection.ReasonTimeout,
	TransportTLS:               collection.ReasonTLSError,
	TransportProtocol:          collection.ReasonServerError,
	TransportTruncated:         collection.ReasonTruncated,
	TransportBodyTooLarge:      collection.ReasonTooLarge,
	TransportDecode:            collection.ReasonDecodeError,
	TransportRedirectLoop:      collection.ReasonRedirectLoop,
	TransportRedirectOffSource: collection.ReasonRedirectOffSource,
	TransportPrivateAddress:    collection.ReasonPrivateAddress,
	TransportRequestInvalid:    collection.ReasonBadRequest,
	TransportSecretUnavailable: collection.ReasonStoreUnavailable,
	TransportCancelled:         collection.ReasonLeaseLost,
}

func classifyTransport(o Observation) collection.Reason {
	if o.Transport == TransportTimeout {
		switch o.Stage {
		case StageDNS:
			return collection.ReasonDNSTimeout
		case StageDial:
			return collection.ReasonConnectFailed
		}
	}
	if reason, ok := transportReasons[o.Transport]; ok {
		return reason
	}
	return collection.ReasonInternal
}

// statusReasons are the statuses that do not follow the rule of their class.
var statusReasons = map[int]collection.Reason{
	// A part that nobody asked for is not the whole.
	http.StatusPartialContent: collection.ReasonTruncated,
	// Without a condition the answer is a mistake of some cache, and another try may meet another cache.
	http.StatusNotModified: collection.ReasonServerError,

	http.StatusUnauthorized:       collection.ReasonAuthRequired,
	http.StatusPaymentRequired:    collection.ReasonAuthRequired,
	http.StatusForbidden:          collection.ReasonBlocked,
	http.StatusNotFound:           collection.ReasonGone,
	http.StatusRequestTimeout:     collection.ReasonTimeout,
	http.StatusGone:               collection.ReasonGone,
	http.StatusMisdirectedRequest: collection.ReasonServerError,
	http.StatusTooEarly:           collection.ReasonServerError,
	http.StatusTooManyRequests:    collection.ReasonThrottled,
	// Only a proxy may ask for this. From the target itself it is a demand for credentials like any other.
	http.StatusProxyAuthRequired: collection.ReasonAuthRequired,
	// No rule of ours forbade the request, so the record is not "refused"; a person must see whether asking again is right.
	http.StatusUnavailableForLegalReasons: collection.ReasonBlocked,

	statusUnofficialDenied: collection.ReasonBlocked,
}

func classifyStatus(o Observation) collection.Reason {
	if o.Status == http.StatusNotModified && o.Conditional {
		return ""
	}
	if reason, ok := statusReasons[o.Status]; ok {
		return reason
	}
	if o.Status == http.StatusServiceUnavailable && o.RetryAfter != "" {
		return collection.ReasonThrottled
	}
	switch o.Status / 100 {
	case 2:
		// With or without a body: whether nothing is enough is for the parser to say.
		return ""
	case 3:
		// Redirects are followed where that is possible; what arrives here cannot be followed.
		return collection.ReasonBadRequest
	case 4:
		return collection.ReasonBadRequest
	}
	if o.Status == 0 {
		return collection.ReasonInternal
	}
	return collection.ReasonServerError
}
