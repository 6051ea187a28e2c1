package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

const queryCanary = "HUNT ER/2+é&="

// keyed is a source whose template wants a key in its query.
func keyed() collection.Source {
	src := source()
	src.Request.URL = "http://a.example/items?id={id}"
	src.Request.SecretQuery = collection.QuerySecrets{"api_key": "env:KEY"}
	return src
}

func keyedOptions(o Options) Options {
	o.Secret = func(ref string) (string, error) {
		if ref == "env:KEY" {
			return queryCanary, nil
		}
		return "", errors.New("the variable is not set")
	}
	return o
}

func fetchKeyed(t *testing.T, o Options, src collection.Source, via collection.Via) (*collection.Response, failure.Observation) {
	t.Helper()
	client := New(keyedOptions(o))
	t.Cleanup(client.Close)
	rec := collection.Record{URL: "http://a.example/own?api_key=theirs&x=1", Fields: json.RawMessage(`{"id":"1 2"}`)}
	res, seen := client.Fetch(t.Context(), src, rec, via)
	told, err := json.Marshal(struct {
		Res  *collection.Response
		Seen failure.Observation
	}{res, seen})
	require.NoError(t, err)
	for _, written := range []string{"HUNT", "ER/2", "ER%2F2"} {
		require.NotContains(t, string(told), written)
	}
	return res, seen
}

func TestSecretOfTheQueryIsSentAndNotTold(t *testing.T) {
	web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Location", r.RequestURI)
		w.Header().Set("X-Asked", r.URL.Query().Get("api_key"))
		_, _ = io.WriteString(w, "here")
	})
	res, seen := fetchKeyed(t, web.options(), keyed(), collection.Via{})
	requireBody(t, res, seen, "here")
	require.Equal(t, url.Values{"id": {"1 2"}, "api_key": {queryCanary}}, web.requests[0].URL.Query())
	require.Equal(t, "http://a.example/items?id=1%202", res.URL, "the URL is what the record and the template make")
	require.Equal(t, "/items?id=1%202&api_key="+concealed, res.Header["content-location"])
	require.Equal(t, concealed, res.Header["x-asked"])

	target, err := New(Options{}).Target(keyed(), collection.Record{Fields: json.RawMessage(`{"id":"1 2"}`)})
	require.NoError(t, err)
	require.Equal(t, res.URL, target, "what is known of a record is known by the URL without it")
}

func TestSecretOfTheQueryBesideARecordsOwnURL(t *testing.T) {
	web := newWeb(t, leads(nil))
	src := keyed()
	src.Request.URL, src.Request.SecretOrigins = "", []string{"http://a.example"}
	res, seen := fetchKeyed(t, web.options(), src, collection.Via{})
	requireBody(t, res, seen, "here")
	require.Equal(t, url.Values{"x": {"1"}, "api_key": {queryCanary}}, web.requests[0].URL.Query(), "the record's own gives way")
	require.Equal(t, "http://a.example/own?api_key=theirs&x=1", res.URL)

	src.Request.SecretOrigins = nil
	res, seen = fetchKeyed(t, web.options(), src, collection.Via{})
	requireFails(t, res, seen, failure.TransportRequestInvalid, collection.ReasonBadRequest)
	require.Len(t, web.requests, 1)
}

// A redirect's URL is what the target gives: nothing is added to it, and what it repeats is not told.
func TestSecretOfTheQueryAndRedirects(t *testing.T) {
	echo := url.QueryEscape(queryCanary)
	for name, tt := range map[string]struct{ location, asked, told string }{
		"elsewhere":        {"http://b.example/end?x=1", "b.example/end?x=1", "http://b.example/end?x=1"},
		"the same origin":  {"/end?x=1", "a.example/end?x=1", "http://a.example/end?x=1"},
		"no path":          {"?x=1", "a.example/items?x=1", "http://a.example/items?x=1"},
		"repeated":         {"/end?x=1&api_key=" + echo, "a.example/end?x=1&api_key=" + echo, "http://a.example/end?x=1"},
		"repeated by path": {"/" + url.PathEscape(queryCanary), "a.example/" + url.PathEscape(queryCanary), "http://a.example/" + concealed},
		"in lower case":    {"/end?y=" + strings.ToLower("%C3%A9") + "&k=" + lowerTriplets(echo), "a.example/end?y=%c3%a9&k=" + lowerTriplets(echo), "http://a.example/end?y=%c3%a9&k=" + concealed},
	} {
		t.Run(name, func(t *testing.T) {
			web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
				if len(r.URL.Query()["id"]) == 0 {
					_, _ = io.WriteString(w, "here")
					return
				}
				w.Header().Set("Location", tt.location)
				w.WriteHeader(http.StatusFound)
			})
			res, seen := fetchKeyed(t, web.options(), keyed(), collection.Via{})
			requireBody(t, res, seen, "here")
			require.Len(t, web.requests, 2)
			require.Equal(t, tt.asked, web.requests[1].Host+web.requests[1].RequestURI)
			require.Equal(t, tt.told, res.URL)
		})
	}
}

func TestSecretOfTheQueryInFailures(t *testing.T) {
	t.Run("of the target", func(t *testing.T) {
		web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
			if key := r.URL.Query().Get("api_key"); key != "" {
				http.Redirect(w, r, "http://a.example/"+url.PathEscape(key), http.StatusFound)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		})
		_, seen := fetchKeyed(t, web.options(), keyed(), collection.Via{})
		require.Equal(t, collection.ReasonGone, failure.Classify(seen))
		require.Contains(t, seen.Message, concealed)
	})
	t.Run("of our own rules", func(t *testing.T) {
		web := newWeb(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/x?"+r.URL.RawQuery, http.StatusFound)
		})
		_, seen := fetchKeyed(t, web.options(), keyed(), collection.Via{Hop: func(_ context.Context, target string) error {
			return &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: "not " + target}
		}})
		require.Equal(t, collection.ReasonRobotsDenied, failure.Classify(seen))
		require.Contains(t, seen.Message, concealed)
	})
	t.Run("one that cannot be read", func(t *testing.T) {
		src := keyed()
		src.Request.SecretQuery = collection.QuerySecrets{"other": "env:NONE"}
		res, seen := fetchKeyed(t, Options{}, src, collection.Via{})
		requireFails(t, res, seen, failure.TransportSecretUnavailable, collection.ReasonStoreUnavailable)
		require.Contains(t, seen.Message, `secret parameter "other"`)
	})
	t.Run("in what is told to operators", func(t *testing.T) {
		var told string
		o := Options{Debug: func(_, _ string, err error) { told = err.Error() }}
		o.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no way to " + queryCanary)
		}
		_, _ = fetchKeyed(t, o, keyed(), collection.Via{})
		require.Equal(t, "no way to "+concealed, told)
	})
}

func TestConditionsGoWithSecretsOfTheQuery(t *testing.T) {
	web := newWeb(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	res, seen := fetchKeyed(t, web.options(), keyed(), collection.Via{ETag: `"a"`})
	require.Empty(t, failure.Classify(seen))
	require.True(t, res.NotModified)
	require.Equal(t, `"a"`, web.requests[0].Header.Get("If-None-Match"))
	require.Equal(t, queryCanary, web.requests[0].URL.Query().Get("api_key"))
}

// However a query is written, what is taken out of it are the secrets alone.
func TestQueriesKeepWhatIsNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := discretion{names: map[string]bool{"api_key": true, "b c": true}}
		pairs := rapid.SliceOf(rapid.SampledFrom([]string{"a=1", "api_key=2", "api%5Fkey=3", "b+c", "b%20c=%zz", "%zz=4", "", "=", "api_keys=5"})).Draw(t, "pairs")
		var want []string
		for _, p := range pairs {
			switch p {
			case "api_key=2", "api%5Fkey=3", "b+c", "b%20c=%zz":
			default:
				want = append(want, p)
			}
		}
		require.Equal(t, strings.Join(want, "&"), d.withoutSecrets(strings.Join(pairs, "&")))
	})
}
