package fetch

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

func TestResponse(t *testing.T) {
	web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Add("Link", "<a>")
		w.Header().Add("Link", "<b>")
		w.Header().Set("Set-Cookie", "session=secret")
		w.WriteHeader(http.StatusNonAuthoritativeInfo)
		_, _ = io.WriteString(w, page)
	})
	options := web.options()
	clock := time.Date(2026, 11, 29, 12, 0, 0, 0, time.FixedZone("", 3600))
	options.Now = func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	}
	res, o := get(t, options, source(), "http://a.example/x?y=1")
	require.Empty(t, failure.Classify(o))
	require.Equal(t, http.StatusNonAuthoritativeInfo, o.Status)
	require.Equal(t, int64(len(page)), o.Bytes)
	require.Empty(t, o.Message)
	require.Equal(t, "http://a.example/x?y=1", res.URL)
	require.Equal(t, http.StatusNonAuthoritativeInfo, res.Status)
	require.Equal(t, "text/html; charset=utf-8", res.ContentType)
	require.Equal(t, "<a>", res.Header["link"])
	require.NotContains(t, res.Header, "set-cookie")
	require.Equal(t, page, string(res.Body))
	require.Equal(t, time.Date(2026, 11, 29, 11, 0, 2, 0, time.UTC), res.FetchedAt)
	require.Equal(t, time.Second, res.Duration)
}

func TestStatuses(t *testing.T) {
	for status, reason := range map[int]collection.Reason{
		206: collection.ReasonTruncated, 304: collection.ReasonServerError, 300: collection.ReasonBadRequest,
		400: collection.ReasonBadRequest, 401: collection.ReasonAuthRequired, 403: collection.ReasonBlocked, 404: collection.ReasonGone,
		407: collection.ReasonAuthRequired, 410: collection.ReasonGone, 422: collection.ReasonBadRequest, 429: collection.ReasonThrottled,
		451: collection.ReasonBlocked, 500: collection.ReasonServerError, 503: collection.ReasonServerError, 999: collection.ReasonBlocked,
	} {
		answer := fmt.Sprintf("HTTP/1.1 %d Whatever\r\nContent-Length: 4\r\n\r\n", status)
		if status != http.StatusNotModified { // which has no body, whatever its header says
			answer += "page"
		}
		site := newHostile(t, says(answer))
		res, o := get(t, Options{}, source(), site.url("/x?token=hidden"))
		requireFails(t, res, o, "", reason)
		require.Equal(t, status, o.Status)
		require.Contains(t, o.Message, fmt.Sprint(status))
		require.NotContains(t, o.Message, "hidden")
	}
}

// C3 33, 35, 36: what the target asks for arrives as it was said; what it means is decided in one place.
func TestCase33RetryAfterIsObserved(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		answer string
		wait   time.Duration
		ok     bool
	}{
		{"429 Too Many Requests\r\nRetry-After: 7", 7 * time.Second, true},
		{"503 Service Unavailable\r\nRetry-After: 120", 2 * time.Minute, true},
		{"429 Too Many Requests\r\nRetry-After: -5", 0, false},
		{"429 Too Many Requests\r\nRetry-After: 0", 0, true},
		{"429 Too Many Requests\r\nRetry-After: Wed, 21 Oct 2015 07:28:00 GMT", 0, false},
		{"429 Too Many Requests\r\nDate: Wed, 21 Oct 2015 07:27:00 GMT\r\nRetry-After: Wed, 21 Oct 2015 07:28:00 GMT", time.Minute, true},
		{"429 Too Many Requests\r\nRetry-After: " + strings.Repeat("9", 5000), 0, false},
	} {
		site := newHostile(t, says("HTTP/1.1 "+tt.answer+"\r\nContent-Length: 0\r\n\r\n"))
		res, o := get(t, Options{}, source(), site.url("/"))
		requireFails(t, res, o, "", collection.ReasonThrottled)
		wait, ok := o.RetryAfterHint(now)
		require.Equal(t, tt.ok, ok, tt.answer)
		require.Equal(t, tt.wait, wait, tt.answer)
	}
}

func TestFaultyPageOfAnErrorIsStillTheError(t *testing.T) {
	site := newHostile(t, says("HTTP/1.1 404 Not Found\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\nhalf"))
	res, o := get(t, Options{}, source(), site.url("/"))
	requireFails(t, res, o, "", collection.ReasonGone)
}

func TestObservationIsSmall(t *testing.T) {
	long := strings.Repeat("long-", 1000)
	site := newHostile(t, says("HTTP/1.1 500 X\r\nRetry-After: "+long+"\r\nDate: "+long+"\r\nX: "+long+"\r\nContent-Length: 0\r\n\r\n"))
	_, o := get(t, Options{}, source(), site.url("/"+long))
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.Less(t, len(text), 1<<10)
}

func TestClientIsSafeForConcurrentUse(t *testing.T) {
	site := newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"))
	client := New(Options{})
	defer client.Close()
	done := make(chan failure.Observation)
	const fetches = 20
	for i := range fetches {
		src := source()
		src.Ceiling = 1 + i%2 // the pool is replaced under way
		go func() {
			_, o := client.Fetch(t.Context(), src, record(site.url("/")), collection.Via{})
			done <- o
		}()
	}
	for range fetches {
		o := within(t, done, "a fetch did not end")
		require.Empty(t, failure.Classify(o), o.Message)
	}
}
