package activities

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// byWays is a collector whose source has these egresses.
func byWays(fetch fetchFunc, use ...string) *collecting {
	c := newCollecting(fetch)
	src := patience
	src.Egress.Use = use
	c.Directory = directory{sources: []collection.Source{src}}
	return c
}

// TestCollectSwitchesEgress: an egress that fails is charged to nobody but itself, and the next attempt takes another (L01).
func TestCollectSwitchesEgress(t *testing.T) {
	for _, status := range []int{407, 403, 502} {
		var taken []string
		c := byWays(func(_ context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
			taken = append(taken, via.Egress)
			if via.Egress == "east" {
				return nil, failure.Observation{Egress: failure.Egress{Proxy: true, Name: "east", Status: status}, Message: "m"}
			}
			return page("<h1>A</h1>"), success
		}, "east", "west")
		tr := &trial{}
		_, err := c.attempt(t, tr)
		f := refusal(t, err)
		require.False(t, f.final, status)
		require.Zero(t, tr.progress(t).Faults)
		require.Equal(t, "east", tr.progress(t).BadEgress)
		out, err := c.attempt(t, tr.next(t))
		require.NoError(t, err)
		require.Equal(t, []string{"east", "west"}, taken)
		require.Equal(t, "west", out.Raw.Egress)
		require.Equal(t, "east", out.Trail.Attempts[0].Egress)
		require.Equal(t, []wayReport{{"east", out.Trail.Attempts[0].Reason}, {"west", ""}}, c.ways.reports)
		require.Equal(t, failure.FaultEgress, failure.Lookup(out.Trail.Attempts[0].Reason).Fault)
	}
}

// TestCollectEveryWayRefusesCredentials: each egress is tried; then no retry would change anything; C3 39.
func TestCollectEveryWayRefusesCredentials(t *testing.T) {
	c := byWays(answers(failure.Observation{Egress: failure.Egress{Proxy: true, Status: 407}, Message: "m"}), "east", "west")
	tr := &trial{}
	tries := 0
	for ; tries < 10; tries++ {
		_, err := c.attempt(t, tr)
		if f := refusal(t, err); f.final {
			require.Equal(t, collection.ReasonEgressAuth, f.reason)
			break
		}
		tr = tr.next(t)
	}
	require.Greater(t, tries, 0, "the other way was tried")
	require.Less(t, tries, 10)
	named := map[string]bool{}
	for _, report := range c.ways.reports {
		named[report.name] = true
	}
	require.Len(t, named, 2)
}

// TestCollectNoWayOut: with every egress retired the record waits and is charged nothing; it never goes out directly.
func TestCollectNoWayOut(t *testing.T) {
	c := byWays(answers(success), "east", "west")
	c.ways.bad = map[string]bool{"east": true, "west": true}
	tr := &trial{}
	for range 2 * patience.Attempts {
		_, err := c.attempt(t, tr)
		f := requireTransient(t, err, collection.ReasonEgressUnavailable, "every egress is retired")
		require.Equal(t, noEgressRetry, f.after)
		c.now = c.now.Add(f.after)
		tr = tr.next(t)
	}
	require.Zero(t, tr.before.(collection.AttemptProgress).Requests)
	require.Empty(t, c.metrics.asked)
	delete(c.ways.bad, "west")
	out, err := c.attempt(t, tr)
	require.NoError(t, err)
	require.Equal(t, "west", out.Raw.Egress)
}

// TestCollectTakesNoPermitWithoutAWayOut: while a source has no egress, its permits and its pace are not spent on finding that out
// record by record: one looks now and then, and the others wait without a permit.
func TestCollectTakesNoPermitWithoutAWayOut(t *testing.T) {
	c := byWays(answers(success), "east", "west")
	c.ways.bad = map[string]bool{"east": true, "west": true}
	for looks := 1; looks <= 3; looks++ {
		for range 20 {
			_, err := c.attempt(t, &trial{})
			f := requireTransient(t, err, collection.ReasonEgressUnavailable, "every egress is retired")
			require.Equal(t, collection.ReasonEgressUnavailable, f.Trail.Attempts[0].Reason)
		}
		_, granted := c.permits.state()
		require.Equal(t, looks, granted)
		c.now = c.now.Add(noEgressLook)
	}
	// Who looks may wait long for its permit; another one looks meanwhile, and as soon as there is a way again all go.
	delete(c.ways.bad, "west")
	for range 3 {
		_, err := c.attempt(t, &trial{})
		require.NoError(t, err)
	}
	_, granted := c.permits.state()
	require.Equal(t, 6, granted)
}

// TestWayGate: sources do not speak for each other, and who was let through and found nothing out keeps nobody out for good.
func TestWayGate(t *testing.T) {
	var g wayGate
	now := accepted
	require.Empty(t, g.shut(now, "books"))
	g.found(now, "books", errors.New("retired"))
	require.Equal(t, "retired", g.shut(now.Add(noEgressLook-1), "books"))
	require.Empty(t, g.shut(now, "films"))
	now = now.Add(noEgressLook)
	require.Empty(t, g.shut(now, "books"), "one looks")
	require.Equal(t, "retired", g.shut(now, "books"), "and no other")
	now = now.Add(noEgressLook)
	require.Empty(t, g.shut(now, "books"))
	g.found(now, "books", nil)
	for range 3 {
		require.Empty(t, g.shut(now, "books"))
	}
}

// methods is a source with two ways to fetch.
func methods() collection.Source {
	src := patience
	src.Methods = []collection.Method{
		{Name: "page"}, {Name: "api", Request: collection.Request{URL: "https://api.books.example/a"}},
	}
	return src
}

// TestCollectMethod: the record says by which method it was fetched, and one that is switched while it waits is taken up.
func TestCollectMethod(t *testing.T) {
	var asked []string
	c := newCollecting(func(_ context.Context, src collection.Source, _ collection.Record, _ collection.Via) (*collection.Response, failure.Observation) {
		asked = append(asked, src.Request.URL)
		return page("<h1>A</h1>"), success
	})
	c.Directory = directory{sources: []collection.Source{methods()}}
	c.permits.method = "page"
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, "page", out.Raw.Method)

	c.permits.acquire = func(context.Context) error {
		c.permits.method = "api"
		return nil
	}
	out, err = c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, "api", out.Raw.Method)
	require.Equal(t, "api", out.Trail.Attempts[0].Method)
	require.Equal(t, []string{"", "https://api.books.example/a"}, asked)
	_, granted := c.permits.state()
	require.Equal(t, 3, granted)

	c.permits.method, c.permits.acquire = "mirror", nil
	_, err = c.attempt(t, &trial{})
	requireTransient(t, err, collection.ReasonLeaseLost, "mirror")
}

// TestCollectConditional: a source that opts in is asked for what has changed; what has not is taken over into this
// submission, and bytes that are gone are asked for anew.
func TestCollectConditional(t *testing.T) {
	var conditions []string
	c := newCollecting(func(_ context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		conditions = append(conditions, via.ETag)
		res := page("<h1>A</h1>")
		res.URL = collectInput.Record.URL
		if via.ETag != "" {
			res = &collection.Response{URL: res.URL, Status: 304, NotModified: true, FetchedAt: accepted.Add(time.Hour)}
			return res, success
		}
		res.Header["etag"] = `"v1"`
		return res, success
	})
	src := patience
	src.Conditional = true
	c.Directory = directory{sources: []collection.Source{src}}
	first, err := c.attempt(t, &trial{})
	require.NoError(t, err)

	again := collectInput
	again.Submission = "s2"
	second, err := run(t, &trial{}, c.Collect, again)
	require.NoError(t, err)
	require.Equal(t, []string{"", `"v1"`}, conditions)
	require.Equal(t, "<h1>A</h1>", c.store.text(t, second.Raw.Key))
	require.Contains(t, second.Raw.Key, "raw/s2/")
	require.Equal(t, first.Raw.FetchedAt, second.Raw.FetchedAt)
	require.Equal(t, accepted.Add(time.Hour), *second.Raw.NotModifiedAt)

	c.store.remove(first.Raw.Key)
	again.Submission = "s3"
	third, err := run(t, &trial{}, c.Collect, again)
	require.NoError(t, err)
	require.Equal(t, []string{"", `"v1"`, ""}, conditions)
	require.Nil(t, third.Raw.NotModifiedAt)

	var seen collection.Seen
	require.NoError(t, json.Unmarshal([]byte(c.store.text(t, collection.SeenKey("books", collectInput.Record.ID))), &seen))
	require.Equal(t, third.Raw.Key, seen.Raw.Key)
}

// TestCollectConditionalByMethod: what another method brought from the same URL says nothing of what this one would bring.
func TestCollectConditionalByMethod(t *testing.T) {
	var conditions []string
	c := newCollecting(func(_ context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		conditions = append(conditions, via.ETag)
		res := page("<h1>A</h1>")
		res.URL, res.Header["etag"] = collectInput.Record.URL, `"v1"`
		return res, success
	})
	src := methods()
	src.Conditional, src.Methods[1].Request.URL = true, ""
	c.Directory = directory{sources: []collection.Source{src}}
	for _, method := range []string{"page", "api", "api"} {
		c.permits.method = method
		_, err := c.attempt(t, &trial{})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"", "", `"v1"`}, conditions)
}

// TestCollectHoldsRoomUntilStored: memory for a large body is held until its bytes are in the store, and given back however
// the attempt ends.
func TestCollectHoldsRoomUntilStored(t *testing.T) {
	for _, seen := range []failure.Observation{success, broken500} {
		c := newCollecting(nil)
		var duringWrites int64
		c.watch(func(_ int, op, _ string) trouble {
			if op == "Create" {
				duringWrites = c.room.taken
			}
			return trouble{}
		})
		c.Fetcher = fetchFunc(func(ctx context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
			require.NoError(t, via.Room(ctx, 5<<20))
			if failure.Classify(seen) != "" {
				return nil, seen
			}
			return page("<h1>A</h1>"), seen
		})
		_, err := c.attempt(t, &trial{})
		require.Equal(t, int64(5<<20), c.room.most)
		if failure.Classify(seen) == "" {
			require.NoError(t, err)
			require.Equal(t, int64(5<<20), duringWrites)
		}
	}
}
