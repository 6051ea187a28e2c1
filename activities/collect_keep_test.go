package activities

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// TestCollectLongValidators: what a target says of its bytes is kept while it is short enough to be sent back; without it
// the next submission asks for everything, and is none the worse.
func TestCollectLongValidators(t *testing.T) {
	long := strings.Repeat("<", 11_500) // six bytes each in JSON
	for name, c := range map[string]struct {
		etag, modified string
		want           [2]string
	}{
		"short":     {`"v1"`, "Sun, 01 Mar 2026 10:00:00 GMT", [2]string{`"v1"`, "Sun, 01 Mar 2026 10:00:00 GMT"}},
		"at most":   {strings.Repeat("x", maxValidator), "", [2]string{strings.Repeat("x", maxValidator), ""}},
		"too long":  {strings.Repeat("x", maxValidator+1), "", [2]string{}},
		"far more":  {`"` + long + `"`, long, [2]string{}},
		"one of it": {`"` + long + `"`, "yesterday", [2]string{"", "yesterday"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked [2]string
			c2 := askingConditionally(func(via collection.Via) map[string]string {
				asked = [2]string{via.ETag, via.LastModified}
				return map[string]string{"etag": c.etag, "last-modified": c.modified}
			})
			_, err := c2.attempt(t, &trial{})
			require.NoError(t, err)
			again := collectInput
			again.Submission = "s2"
			_, err = run(t, &trial{}, c2.Collect, again)
			require.NoError(t, err)
			require.Equal(t, c.want, asked)
		})
	}
}

// TestCollectKnownTooLarge: what is too large to be read is not known; it costs a request without a condition.
func TestCollectKnownTooLarge(t *testing.T) {
	asked := ""
	c := askingConditionally(func(via collection.Via) map[string]string {
		asked = via.ETag
		return map[string]string{"etag": `"v2"`}
	})
	key := collection.SeenKey("books", collectInput.Record.ID)
	c.store.set(t, key, `{"etag":"`+strings.Repeat("x", maxSeen)+`"}`)
	_, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Empty(t, asked)
	var seen collection.Seen
	require.NoError(t, json.Unmarshal([]byte(c.store.text(t, key)), &seen))
	require.Equal(t, `"v2"`, seen.ETag, "and what is known now stands in its place")
}

// askingConditionally is a collector whose source is asked for what has changed; answer gives the headers that come back.
func askingConditionally(answer func(collection.Via) map[string]string) *collecting {
	c := newCollecting(func(_ context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		res := page("<h1>A</h1>")
		res.URL, res.Header = collectInput.Record.URL, answer(via)
		return res, success
	})
	src := patience
	src.Conditional = true
	c.Directory = directory{sources: []collection.Source{src}}
	return c
}

// TestCollectKnownOfARedirect: what the target of a redirect says of its own bytes is not asked about at the first URL: that
// page may come back, and be older.
func TestCollectKnownOfARedirect(t *testing.T) {
	var asked []string
	led := true
	c := newCollecting(func(_ context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		asked = append(asked, via.LastModified)
		res := page("<h1>Back soon</h1>")
		res.URL, res.Header = "https://books.example/maintenance.html", map[string]string{"last-modified": "Sun, 01 Mar 2026 10:00:00 GMT"}
		if !led {
			res.URL = collectInput.Record.URL
		}
		return res, success
	})
	src := patience
	src.Conditional = true
	c.Directory = directory{sources: []collection.Source{src}}
	for _, led = range []bool{true, false, false} {
		_, err := c.attempt(t, &trial{})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"", "", "Sun, 01 Mar 2026 10:00:00 GMT"}, asked)
}

// TestCollectKnownByAnotherRequest: what was said to a request with other headers, or by who kept no account of them, is not
// used.
func TestCollectKnownByAnotherRequest(t *testing.T) {
	var asked []string
	c := askingConditionally(func(via collection.Via) map[string]string {
		asked = append(asked, via.ETag)
		return map[string]string{"etag": `"v1"`}
	})
	collect := func(language string) {
		src := patience
		src.Conditional, src.Request.Headers = true, map[string]string{"Accept-Language": language}
		c.Directory = directory{sources: []collection.Source{src}}
		_, err := c.attempt(t, &trial{})
		require.NoError(t, err)
	}
	for _, language := range []string{"de", "de", "en", "en"} {
		collect(language)
	}
	require.Equal(t, []string{"", `"v1"`, "", `"v1"`}, asked)

	key := collection.SeenKey("books", collectInput.Record.ID)
	var seen collection.Seen
	require.NoError(t, json.Unmarshal([]byte(c.store.text(t, key)), &seen))
	seen.Request = ""
	old, err := json.Marshal(seen)
	require.NoError(t, err)
	c.store.set(t, key, string(old))
	collect("en")
	require.Empty(t, asked[len(asked)-1])
}

// unchanged is a target that says of anything it is asked conditionally that it still stands, and answers in full else.
func unchanged(size int) fetchFunc {
	return func(_ context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		res := page(strings.Repeat("x", size))
		res.URL, res.Header = collectInput.Record.URL, map[string]string{"etag": `"v1"`}
		if via.ETag != "" {
			res.Body, res.Status, res.NotModified = nil, 304, true
			return res, failure.Observation{Status: 304, Conditional: true}
		}
		return res, success
	}
}

// known has a collector's source be asked conditionally, and its record be known from before by these bytes.
func known(t require.TestingT, c *collecting, body string) (key string) {
	src := patience
	src.Conditional = true
	c.Directory = directory{sources: []collection.Source{src}}
	fingerprint, err := fetchFunc(nil).Fingerprint(src, collectInput.Record)
	require.NoError(t, err)
	raw := collection.Raw{SHA256: collection.Digest([]byte(body)), Size: int64(len(body))}
	raw.Key = collection.RawKey("s0", collectInput.Record.ID, raw.SHA256)
	seen, err := json.Marshal(collection.Seen{ETag: `"v1"`, URL: collectInput.Record.URL, Request: fingerprint, Raw: raw})
	require.NoError(t, err)
	c.store.set(t, raw.Key, body)
	c.store.set(t, collection.SeenKey("books", collectInput.Record.ID), string(seen))
	return raw.Key
}

// sumless is a store that keeps no digests.
type sumless struct{ *shaky }

func (s sumless) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	info, err := s.shaky.Head(ctx, key)
	info.SHA256 = ""
	return info, err
}

// TestCollectKnownBytesAreOthers: bytes that are not those of before are not asked about; where only reading them shows that, the
// next attempt asks for the whole, and not under the same condition again and again until the record's time is over.
func TestCollectKnownBytesAreOthers(t *testing.T) {
	c := newCollecting(unchanged(10))
	c.store.set(t, known(t, c, "xxxxxxxxxx"), "yyyyyyyyyy")
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err, "the store knows the digest")
	require.Nil(t, out.Raw.NotModifiedAt)

	for name, spoil := range map[string]func(c *collecting, key string){
		"others": func(c *collecting, key string) { c.store.set(t, key, "yyyyyyyyyy") },
		"more, since they were looked at": func(c *collecting, key string) {
			c.watch(func(_ int, op, at string) trouble {
				if op == "Get" && at == key {
					c.store.set(t, key, "yyyyyyyyyyyyyyy")
				}
				return trouble{}
			})
		},
		"none, since they were looked at": func(c *collecting, key string) {
			c.watch(func(_ int, op, at string) trouble {
				if op == "Get" && at == key {
					c.store.remove(key)
				}
				return trouble{}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCollecting(unchanged(10))
			key := known(t, c, "xxxxxxxxxx")
			c.Store = sumless{c.store}
			spoil(c, key)
			tr := &trial{}
			_, err := c.attempt(t, tr)
			f := requireTransient(t, err, collection.ReasonStoreUnavailable, "nothing has changed, but "+key, "the whole is asked for again")
			require.Equal(t, 1, tr.progress(t).Unstored)
			require.NotZero(t, f.after, "the backoff of what could not be stored")
			require.NotContains(t, f.Detail, `"v1"`)
			out, err := c.attempt(t, tr.next(t))
			require.NoError(t, err)
			require.Equal(t, 2, out.Attempts)
			require.Nil(t, out.Raw.NotModifiedAt)
			require.Equal(t, "xxxxxxxxxx", c.store.text(t, out.Raw.Key))
			out, err = c.attempt(t, &trial{})
			require.NoError(t, err)
			require.NotNil(t, out.Raw.NotModifiedAt, "and is known from now on")
		})
	}
}

// TestCollectKnownStillStands: bytes that are those of before are taken over, whether the store knows their digest or not.
func TestCollectKnownStillStands(t *testing.T) {
	for _, digests := range []bool{true, false} {
		c := newCollecting(unchanged(10))
		known(t, c, "xxxxxxxxxx")
		if !digests {
			c.Store = sumless{c.store}
		}
		out, err := c.attempt(t, &trial{})
		require.NoError(t, err)
		require.NotNil(t, out.Raw.NotModifiedAt)
	}
}
