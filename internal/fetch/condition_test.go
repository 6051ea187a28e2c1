package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

const lastModified = "Sun, 29 Nov 2026 12:00:00 GMT"

// seen is what a target said of the bytes that are here.
var seen = collection.Via{ETag: `"v1"`, LastModified: lastModified}

// visit fetches one URL in a way of its own.
func visit(t *testing.T, o Options, src collection.Source, via collection.Via, rawURL string) (*collection.Response, failure.Observation) {
	t.Helper()
	client := New(o)
	t.Cleanup(client.Close)
	return client.Fetch(t.Context(), src, record(rawURL), via)
}

func TestNotModified(t *testing.T) {
	conditions := [][2]string{}
	web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
		conditions = append(conditions, [2]string{r.Header.Get(ifNoneMatch), r.Header.Get(ifModifiedSince)})
		w.Header().Set("ETag", `"v1"`)
		w.WriteHeader(http.StatusNotModified)
	})
	res, o := visit(t, web.options(), source(), seen, "http://a.example/")
	require.Empty(t, failure.Classify(o), "%+v", o)
	require.True(t, o.Conditional)
	require.True(t, res.NotModified)
	require.Equal(t, http.StatusNotModified, res.Status)
	require.Equal(t, `"v1"`, res.Header["etag"])
	require.Empty(t, res.Body)
	require.False(t, res.FetchedAt.IsZero())

	visit(t, web.options(), source(), collection.Via{LastModified: lastModified}, "http://a.example/")
	res, o = visit(t, web.options(), source(), collection.Via{ETag: "\"broken\r\nX: y\""}, "http://a.example/")
	requireFails(t, res, o, "", collection.ReasonServerError)
	require.Equal(t, [][2]string{{`"v1"`, lastModified}, {"", lastModified}, {"", ""}}, conditions)
}

func TestModifiedIsAnAnswerLikeAnyOther(t *testing.T) {
	web := newWeb(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) })
	res, o := visit(t, web.options(), source(), seen, "http://a.example/")
	requireBody(t, res, o, page)
	require.False(t, res.NotModified)
}

// TestConditionIsForTheFirstRequest: it is about the answer of one URL, and another origin must not learn of it.
func TestConditionIsForTheFirstRequest(t *testing.T) {
	for _, location := range []string{"http://b.example/next", "/next"} {
		web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				require.Equal(t, `"v1"`, r.Header.Get(ifNoneMatch))
				http.Redirect(w, r, location, http.StatusFound)
				return
			}
			require.Empty(t, r.Header.Get(ifNoneMatch))
			require.Empty(t, r.Header.Get(ifModifiedSince))
			w.WriteHeader(http.StatusNotModified)
		})
		res, o := visit(t, web.options(), source(), seen, "http://a.example/")
		requireFails(t, res, o, "", collection.ReasonServerError)
		require.False(t, o.Conditional)
	}
}

func TestConditionOnlyWhereItMeansThat(t *testing.T) {
	web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			require.Empty(t, r.Header.Get(ifNoneMatch))
		} else {
			require.Equal(t, `"own"`, r.Header.Get(ifNoneMatch))
		}
		w.WriteHeader(http.StatusNotModified)
	})
	post, own := source(), source()
	post.Request.Method = "POST"
	own.Request.Headers = map[string]string{ifNoneMatch: `"own"`}
	for _, src := range []collection.Source{post, own} {
		res, o := visit(t, web.options(), src, seen, "http://a.example/")
		requireFails(t, res, o, "", collection.ReasonServerError)
	}
}

// TestHopIsAskedBeforeEveryRedirect: not for the first request, and in time to prevent the next.
func TestHopIsAskedBeforeEveryRedirect(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"a.example/1": "/2?token=hidden", "a.example/2?token=hidden": "http://b.example/3"}))
	var asked []string
	agree := func(_ context.Context, url string) error {
		asked = append(asked, url)
		return nil
	}
	res, o := visit(t, web.options(), source(), collection.Via{Hop: agree}, "http://a.example/1")
	require.NotNil(t, res, "%+v", o)
	require.Equal(t, []string{"http://a.example/2?token=hidden", "http://b.example/3"}, asked)

	before := len(web.paths())
	res, o = visit(t, web.options(), source(), collection.Via{Hop: func(_ context.Context, url string) error {
		if url == "http://b.example/3" {
			return &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: "robots.txt, line 3, forbids it"}
		}
		return nil
	}}, "http://a.example/1")
	requireFails(t, res, o, "", collection.ReasonRobotsDenied)
	require.Equal(t, collection.ReasonRobotsDenied, o.Refused)
	require.Contains(t, o.Message, "line 3")
	require.Len(t, web.paths(), before+2, "the third request was not made")

	for _, err := range []error{errors.New("the permit has gone"), &collection.Refused{Detail: "for no reason"}, context.DeadlineExceeded} {
		res, o = visit(t, web.options(), source(), collection.Via{Hop: func(context.Context, string) error { return err }}, "http://a.example/1")
		requireFails(t, res, o, failure.TransportCancelled, collection.ReasonLeaseLost)
	}
}

// TestHopTakesItsTime: a source that is slower than its timeout sees the end of a redirect; a fetch that is stopped while
// the redirect waits ends.
func TestHopTakesItsTime(t *testing.T) {
	web := newWeb(t, leads(map[string]string{"a.example/1": "/2"}))
	src := hasty()
	res, o := visit(t, web.options(), src, collection.Via{Hop: func(context.Context, string) error {
		time.Sleep(2 * src.Timeout)
		return nil
	}}, "http://a.example/1")
	requireBody(t, res, o, "here")

	client := New(web.options())
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	res, o = client.Fetch(ctx, src, record("http://a.example/1"), collection.Via{Hop: func(ctx context.Context, _ string) error {
		cancel()
		return ctx.Err()
	}})
	requireFails(t, res, o, failure.TransportCancelled, collection.ReasonLeaseLost)
}

func TestTarget(t *testing.T) {
	client := New(Options{})
	src := api("http://a.example/item/{sku}?token=shown")
	target, err := client.Target(src, withFields(`{"sku":"a b"}`))
	require.NoError(t, err)
	require.Equal(t, "http://a.example/item/a%20b?token=shown", target)
	_, err = client.Target(src, withFields(`{}`))
	var input *InputError
	require.ErrorAs(t, err, &input)
	require.Equal(t, "sku", input.Field)
}

func TestExpand(t *testing.T) {
	text, err := Expand("{account}/{url}", collection.Record{URL: "http://a.example/?a b", Fields: []byte(`{"account":7}`)})
	require.NoError(t, err)
	require.Equal(t, "7/http://a.example/?a b", text)
	_, err = Expand("{account}", record("http://a.example/"))
	var input *InputError
	require.ErrorAs(t, err, &input)
	_, err = Expand("{account}", collection.Record{Fields: []byte(`[]`)})
	require.ErrorAs(t, err, &input)

	src := source()
	src.Egress.Sticky = "{account}"
	_, err = BuildRequest(src, record("http://a.example/"))
	require.ErrorAs(t, err, &input, "a record whose egress cannot be told is refused with its submission")
	require.Equal(t, "account", input.Field)
}
