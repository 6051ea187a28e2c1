package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	// defaultSilence is longer than a store in order ever takes over one answer, a page of a long listing included.
	defaultSilence = time.Minute
	// What was handed to the network may still be in its buffers, up to so many bytes, and a slow line takes a second over every
	// slowLine of them: only then can the store begin to answer.
	networkBuffers = 4 << 20
	slowLine       = 64 << 10
)

// silenceError is a request that was ended because nothing came of it any more. It is a context.DeadlineExceeded, though the
// caller's own context has not ended.
type silenceError struct{ after time.Duration }

func (e *silenceError) Error() string {
	return fmt.Sprintf("the store said nothing for %s", e.after.Round(time.Millisecond))
}

// Is makes it a deadline that has passed.
func (e *silenceError) Is(target error) bool { return target == context.DeadlineExceeded }

// silent says whether a request was ended for the store's silence.
func silent(err error) bool {
	_, ok := errors.AsType[*silenceError](err)
	return ok
}

// impatient sends requests, and ends those of which no byte moves for longer than limit, in either direction. It bounds no
// request as a whole: a large object may take its time on a slow line, and a reader may pause for as long as it likes.
type impatient struct {
	client s3.HTTPClient
	limit  time.Duration
}

// Do implements the SDK's client.
func (c impatient) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	w := &silenceWatch{limit: c.limit, cancel: cancel, ctx: ctx}
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &watchedUpload{ReadCloser: r.Body, watch: w}
	}
	w.allow(c.limit)
	response, err := c.client.Do(r)
	w.answered()
	if err != nil {
		err = w.explain(err)
		cancel(nil)
		return response, err
	}
	response.Body = &watchedDownload{ReadCloser: response.Body, watch: w}
	return response, nil
}

// silenceWatch is the time that a request has left until its next byte.
type silenceWatch struct {
	limit  time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	// done says that there is an answer, or none to come. The network may go on taking the body for a moment then.
	done bool
}

// allow gives the request so long from now on.
func (w *silenceWatch) allow(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timer = time.AfterFunc(d, func() { w.expired(d) })
}

func (w *silenceWatch) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = true
	w.timer.Stop()
}

func (w *silenceWatch) expired(after time.Duration) { w.cancel(&silenceError{after}) }

// explain puts silence in the place of what it looks like.
func (w *silenceWatch) explain(err error) error {
	if cause := context.Cause(w.ctx); silent(cause) {
		return cause
	}
	return err
}

// watchedUpload gives a request time anew with every piece of its body that the network takes.
type watchedUpload struct {
	io.ReadCloser
	watch *silenceWatch
	sent  int64
}

func (u *watchedUpload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	u.sent += int64(n)
	u.watch.allow(u.watch.limit + time.Duration(min(u.sent, networkBuffers))*time.Second/slowLine)
	return n, err
}

// watchedDownload bounds each read of an answer's body, but not the time between two of them, which is the reader's.
type watchedDownload struct {
	io.ReadCloser
	watch *silenceWatch
}

func (d *watchedDownload) Read(p []byte) (int, error) {
	limit := d.watch.limit
	timer := time.AfterFunc(limit, func() { d.watch.expired(limit) })
	n, err := d.ReadCloser.Read(p)
	timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = d.watch.explain(err)
	}
	return n, err
}

func (d *watchedDownload) Close() error {
	err := d.ReadCloser.Close()
	d.watch.cancel(nil)
	return err
}

// leaveSilence keeps the SDK from asking a silent store again at once: that would take as long again, several times over, while
// its callers hold what others wait for. They ask again in their own time.
func leaveSilence(err error) aws.Ternary {
	if silent(err) {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}
