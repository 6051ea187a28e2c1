package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// exchange is one fetch: a request and the redirects that it leads through.
type exchange struct {
	caller context.Context
	ctx    context.Context
	close  context.CancelFunc
	*allowance

	transport http.RoundTripper
	src       collection.Source
	req       *http.Request
	// first is the URL of the record.
	first *url.URL
	jar   http.CookieJar
	visits
	// egress is the name of the proxy, empty for none; askHop is asked before a redirect is followed, askRoom before a body
	// grows large.
	egress  string
	askHop  func(ctx context.Context, url string) error
	askRoom func(ctx context.Context, bytes int64) error
	// waited is how long the target was kept waiting for room.
	waited time.Duration
	// askStill is asked right before a connection is looked for, and before a request is written.
	askStill func() error
	clip     bool
	// conditional says that the request as it stands carries a condition.
	conditional bool
	hop         *progress
	observed    failure.Observation
	// discretion keeps the secrets of the query to itself; debug is told what an observation leaves out.
	discretion
	debug func(source, url string, err error)
}

func newExchange(ctx context.Context, transport http.RoundTripper, src collection.Source, req *http.Request) *exchange {
	// Cookies live as long as the exchange: records must not see each other's. New fails for no options at all.
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	x := &exchange{caller: ctx, transport: transport, src: src, req: req, first: req.URL, jar: jar, visits: visits{}}
	x.ctx, x.allowance, x.close = allow(ctx, src.Timeout)
	return x
}

// run follows the exchange to its end. It returns a response, or nil and leaves in observed what went wrong.
func (x *exchange) run() *collection.Response {
	for {
		res, err := x.send()
		var unsent *unsentError
		switch {
		case errors.As(err, &unsent):
			x.failHop(err)
			return nil
		case err != nil:
			x.fail(err)
			return nil
		}
		x.observeHeader(res)
		if location := res.Header.Get("Location"); isRedirect(res.StatusCode) && location != "" {
			x.jar.SetCookies(x.req.URL, res.Cookies())
			drain(res.Body)
			if !x.follow(res.StatusCode, location) {
				return nil
			}
			continue
		}
		if failure.Classify(x.observed) != "" {
			drain(res.Body)
			x.say("the target answered %s", statusText(res.StatusCode))
			return nil
		}
		if res.StatusCode == http.StatusNotModified {
			drain(res.Body)
			return x.notModified(res)
		}
		return x.capture(res)
	}
}

// send makes the request of one hop.
func (x *exchange) send() (*http.Response, error) {
	x.hop = &progress{exchange: x.ctx}
	ctx, watch := watched(x.ctx, x.askStill)
	req := x.req.WithContext(withProgress(ctx, x.hop))
	req.Header = x.req.Header.Clone()
	for _, cookie := range x.jar.Cookies(x.req.URL) {
		req.AddCookie(cookie)
	}
	if again := x.visit(req); again {
		return nil, errLoop
	}
	if err := checkLiteral(x.src, req.URL); err != nil {
		return nil, err
	}
	if req.GetBody != nil {
		var err error
		if req.Body, err = req.GetBody(); err != nil {
			return nil, fmt.Errorf("making the request's body: %w", err)
		}
	}
	if err := watch.check(); err != nil {
		return nil, err
	}
	res, err := x.transport.RoundTrip(req)
	if err == nil {
		x.hop.reach(failure.StageBody)
	} else if refusal := watch.refused(); refusal != nil {
		err = refusal
	}
	return res, err
}

// capture reads the body of an answer that is wanted.
func (x *exchange) capture(res *http.Response) *collection.Response {
	defer func() { _ = res.Body.Close() }() // everything of use has been read
	body, err := readBody(res, bodyLimit{most: x.src.MaxBody, clip: x.clip, room: x.room})
	x.observed.Bytes = body.received
	x.observed.Warnings = body.warnings
	if err == nil && x.src.RequireLength && slices.Contains(body.warnings, failure.WarningLengthUnverified) {
		err = &bodyError{kind: failure.TransportTruncated, cause: errors.New("only the end of the connection ended the body, and the source wants its length")}
	}
	if err != nil {
		x.fail(err)
		x.forgive()
		return nil
	}
	out := x.response(res)
	out.Body = body.content
	return out
}

// maxContentType bounds what is kept of a Content-Type, in bytes: it goes into histories, and a target may send any amount.
const maxContentType = 256

// response is an answer without its body.
func (x *exchange) response(res *http.Response) *collection.Response {
	header := make(map[string]string, len(res.Header))
	for name := range res.Header {
		// A session is a credential, and nothing downstream needs it.
		if name != "Set-Cookie" {
			header[strings.ToLower(name)] = res.Header.Get(name)
		}
	}
	return &collection.Response{
		URL:         x.req.URL.String(),
		Status:      res.StatusCode,
		ContentType: collection.Clip(res.Header.Get("Content-Type"), maxContentType),
		Header:      header,
	}
}

// Bounds of what is read of a body that nobody wants, to keep its connection in use.
const (
	drainBytes = 16 << 10
	drainTime  = 200 * time.Millisecond
)

// drain reads what little is left of an unwanted body and closes it.
func drain(body io.ReadCloser) {
	timer := time.AfterFunc(drainTime, func() { _ = body.Close() }) // makes the copy below end
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, drainBytes) // whatever happens, the connection is given back or closed
	_ = body.Close()
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
