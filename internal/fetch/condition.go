package fetch

import (
	"errors"
	"net/http"
	"net/url"

	"golang.org/x/net/http/httpguts"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// The headers of a condition (RFC 9110, section 13.1).
const (
	ifNoneMatch     = "If-None-Match"
	ifModifiedSince = "If-Modified-Since"
)

// addCondition asks for the answer only if it is not what is here already, and says whether it does. It leaves alone a
// request whose source states a condition of its own, and one of a method for which a condition means something else.
func addCondition(req *http.Request, via collection.Via) bool {
	if req.Method != http.MethodGet && req.Method != http.MethodHead || req.Header.Get(ifNoneMatch)+req.Header.Get(ifModifiedSince) != "" {
		return false
	}
	added := false
	for name, value := range map[string]string{ifNoneMatch: via.ETag, ifModifiedSince: via.LastModified} {
		// What cannot be sent is left out: the whole answer is always right.
		if value != "" && httpguts.ValidHeaderFieldValue(value) {
			req.Header.Set(name, value)
			added = true
		}
	}
	return added
}

// dropCondition takes the condition off a request that a redirect led to: it was about the answer of the first one.
func (x *exchange) dropCondition(req *http.Request) {
	if x.conditional {
		req.Header.Del(ifNoneMatch)
		req.Header.Del(ifModifiedSince)
		x.conditional = false
	}
}

// notModified is the answer that the bytes of before still stand.
func (x *exchange) notModified(res *http.Response) *collection.Response {
	out := x.response(res)
	out.NotModified = true
	return out
}

// hopError says that our own side broke the exchange off before a redirect was followed.
type hopError struct{ cause error }

func (e *hopError) Error() string { return "the redirect was not followed: " + e.cause.Error() }
func (e *hopError) Unwrap() error { return e.cause }

// mayHop asks whether a redirect may be followed. How long that takes is none of the target's doing: a source whose pace is
// slower than its timeout would otherwise never see the end of a redirect.
func (x *exchange) mayHop(next *url.URL) error {
	if x.askHop == nil {
		return nil
	}
	defer x.pause()()
	if err := x.askHop(x.caller, next.String()); err != nil {
		return &hopError{cause: err}
	}
	return nil
}

// failHop notes why a redirect was not followed: a rule of ours, or our own side's end.
func (x *exchange) failHop(err error) {
	var refused *collection.Refused
	if errors.As(err, &refused) && refused.Reason != "" {
		x.observed.Refused, x.observed.Certain, x.observed.OfSource = refused.Reason, refused.Certain, refused.OfSource
	} else {
		x.observed.Transport = failure.TransportCancelled
	}
	x.say("%v", err)
}
