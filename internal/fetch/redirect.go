package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/urlkey"
)

// maxRedirects is how many redirects one fetch follows.
const maxRedirects = 10

var (
	errLoop             = errors.New("the redirects lead back to a request that was made already")
	errTooManyRedirects = fmt.Errorf("the target redirects more than %d times", maxRedirects)
)

// offSourceError says that a redirect led where the fetch may not go.
type offSourceError struct{ why string }

func (e *offSourceError) Error() string { return e.why }

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// visits are the requests that an exchange has made. The same URL with other cookies is another request, since many
// sites set a cookie and send the visitor back to where it came from.
type visits map[string]bool

// visit notes a request and says whether it was made before.
func (v visits) visit(req *http.Request) bool {
	key := req.Method + " " + upperTriplets(req.URL.String()) + "\n" + req.Header.Get("Cookie")
	again := v[key]
	v[key] = true
	return again
}

// upperTriplets brings percent-encoded bytes into one form, so that %2C and %2c are the same.
func upperTriplets(s string) string {
	b := []byte(s)
	for i := range b {
		if isTriplet(s[i:]) {
			copy(b[i:], strings.ToUpper(s[i:i+3]))
		}
	}
	return string(b)
}

// follow turns the exchange to the target of a redirect; false means that it ends here.
func (x *exchange) follow(status int, location string) bool {
	next, err := resolve(x.req.URL, location)
	var refused *offSourceError
	switch {
	case errors.As(err, &refused):
		x.fail(err)
		return false
	case err != nil:
		// The answer stays a redirect that leads nowhere.
		x.say("the target answered %s with a Location that cannot be requested: %v", statusText(status), err)
		return false
	}
	if err := x.mayFollow(next); err != nil {
		x.fail(err)
		return false
	}
	if len(x.visits) > maxRedirects {
		x.fail(errTooManyRedirects)
		return false
	}
	x.observed = failure.Observation{}
	if err := x.mayHop(next); err != nil {
		x.failHop(err)
		return false
	}
	x.turn(status, next)
	return true
}

// resolve reads a Location as browsers do: spaces and raw UTF-8 are percent-encoded, credentials in it ignored.
func resolve(base *url.URL, location string) (*url.URL, error) {
	if len(location) > MaxURL {
		return nil, fmt.Errorf("it is %d bytes long: at most %d can be requested", len(location), MaxURL)
	}
	location, _, _ = strings.Cut(trimURL(location), "#")
	ref, err := url.Parse(encodeIllegal(location, illegalInPath))
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	next := base.ResolveReference(ref)
	next.User = nil
	target, err := parseTarget(next.String())
	var refused *urlkey.Error
	if errors.As(err, &refused) && next.Scheme != "http" && next.Scheme != "https" {
		return nil, &offSourceError{fmt.Sprintf("the target redirects to a %q address: only http and https can be collected", next.Scheme)}
	}
	return target, err
}

// mayFollow holds a redirect to the source: its own hosts, or the host that the record itself named.
func (x *exchange) mayFollow(next *url.URL) error {
	if !x.src.Owns(next.Hostname()) && next.Hostname() != x.first.Hostname() {
		return &offSourceError{fmt.Sprintf("the target redirects to host %q, which is not one of source %q", next.Hostname(), x.src.Name)}
	}
	if x.req.URL.Scheme == "https" && next.Scheme == "http" {
		return &offSourceError{"the target redirects from https to http, where anyone on the way could change the page"}
	}
	return nil
}

// turn makes the request of the next hop out of the last one.
func (x *exchange) turn(status int, next *url.URL) {
	req := x.req.Clone(x.ctx)
	if changesMethod(status, req.Method) {
		req.Method = http.MethodGet
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
		req.Header.Del("Content-Type")
	}
	x.dropCondition(req)
	if origin(next) != origin(req.URL) {
		// They stay away even if a later redirect comes back.
		dropCredentials(req.Header, x.src)
	}
	if next.Host != req.URL.Host {
		req.Host = next.Host
	}
	req.URL = next
	x.req = req
}

// changesMethod says whether a redirect turns the request into a GET (RFC 9110, section 15.4, as browsers read it).
func changesMethod(status int, method string) bool {
	switch status {
	case http.StatusSeeOther:
		return method != http.MethodGet && method != http.MethodHead
	case http.StatusMovedPermanently, http.StatusFound:
		return method == http.MethodPost
	}
	return false
}

// origin is what credentials are for: scheme, host and port.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// dropCredentials takes away the headers that must not reach another origin. Secrets of the query need nothing: they are added
// to the first request only, and a redirect's URL is what the target gives.
func dropCredentials(header http.Header, src collection.Source) {
	for name := range src.Request.SecretHeaders {
		header.Del(name)
	}
	for name := range header {
		if collection.NamesSecret(name) {
			delete(header, name)
		}
	}
}
