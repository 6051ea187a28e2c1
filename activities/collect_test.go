package activities

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// TestCollect: a response is kept with what is known of it, and the metrics are told.
func TestCollect(t *testing.T) {
	c := newCollecting(answers(success))
	out, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	sum := collection.Digest([]byte("<h1>A</h1>"))
	raw := collection.Raw{
		Key: "raw/s1/" + collectInput.Record.ID + "/" + sum, SHA256: sum, Size: 10, URL: "https://books.example/a/", Status: 200,
		ContentType: "text/html; charset=utf-8", FetchedAt: accepted.Add(61 * time.Second),
	}
	require.Equal(t, collection.CollectResult{Raw: &raw, Attempts: 1, FirstRequestAt: &c.now}, withoutTrail(out))
	require.Equal(t, "<h1>A</h1>", c.store.text(t, raw.Key))
	var meta collection.RawMeta
	require.NoError(t, json.Unmarshal([]byte(c.store.text(t, raw.Key+".meta.json")), &meta))
	require.Equal(t, collection.RawMeta{
		Raw: raw, Source: "books", Record: collectInput.Record, Header: map[string]string{"server": "x"},
		Duration: collection.Duration(250 * time.Millisecond),
	}, meta)
	require.Equal(t, []startedCall{{"acme", time.Minute}}, c.metrics.started)
	require.Equal(t, []askedCall{{"books", "", 250 * time.Millisecond, 10}}, c.metrics.asked)
	require.Empty(t, c.metrics.ended, "a collected record has not ended")

	// Twice is harmless.
	again, err := c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Equal(t, out, again)
	require.Len(t, c.store.dump(t), 2)
}

// TestCollectOutcomes: what is a fact about the target, or forbidden, is a result.
func TestCollectOutcomes(t *testing.T) {
	for _, c := range []struct {
		seen    failure.Observation
		outcome collection.Outcome
		reason  collection.Reason
	}{
		{absent, collection.OutcomeGone, collection.ReasonGone},
		{failure.Observation{Status: 410, Message: "gone"}, collection.OutcomeGone, collection.ReasonGone},
		{failure.Observation{Transport: failure.TransportRedirectOffSource, Message: strings.Repeat("far away ", 100)},
			collection.OutcomeRefused, collection.ReasonRedirectOffSource},
		{failure.Observation{Transport: failure.TransportPrivateAddress, Certain: true, Message: "10.0.0.1"},
			collection.OutcomeRefused, collection.ReasonPrivateAddress},
	} {
		b := newCollecting(answers(c.seen))
		out, err := b.attempt(t, &trial{})
		require.NoError(t, err)
		require.Equal(t, collection.CollectResult{
			Outcome: c.outcome, Reason: c.reason, Detail: collection.Clip(c.seen.Message, collection.MaxDetail),
			Attempts: 1, FirstRequestAt: &b.now,
		}, withoutTrail(out))
		require.Equal(t, []endedCall{{"books", c.outcome, c.reason}}, b.metrics.ended)
		require.Equal(t, []askedCall{{"books", c.reason, 0, 0}}, b.metrics.asked)
		require.Empty(t, b.store.dump(t))
	}
}

// TestCollectDefects: what no retry heals is final with the target's reason, and counted.
func TestCollectDefects(t *testing.T) {
	for reason, seen := range map[collection.Reason]failure.Observation{
		collection.ReasonBlocked:      {Status: 403, Message: "m"},
		collection.ReasonAuthRequired: {Status: 401, Message: "m"},
		collection.ReasonBadRequest:   {Status: 422, Message: "m"},
		collection.ReasonTooLarge:     {Status: 200, Transport: failure.TransportBodyTooLarge, Message: "m"},
		collection.ReasonRedirectLoop: {Status: 302, Transport: failure.TransportRedirectLoop, Message: "m"},
		collection.ReasonEgressAuth:   {Status: 407, Egress: failure.Egress{Proxy: true}, Message: "m"},
		collection.ReasonInternal:     {Message: "m"},
	} {
		c := newCollecting(answers(seen))
		_, err := c.attempt(t, &trial{})
		f := requireFinal(t, err, reason, "m")
		require.Equal(t, 1, f.Attempts)
		require.Equal(t, &c.now, f.FirstRequestAt)
		require.Equal(t, []endedCall{{"books", collection.OutcomeDeadLettered, reason}}, c.metrics.ended)
	}
}

// TestCollectTransient: what may heal is an error whose type is the reason, and whose delay lies within the policy.
func TestCollectTransient(t *testing.T) {
	for reason, seen := range map[collection.Reason]failure.Observation{
		collection.ReasonServerError:   broken500,
		collection.ReasonThrottled:     {Status: 429, Message: "m"},
		collection.ReasonReset:         {Transport: failure.TransportReset, Message: "m"},
		collection.ReasonTimeout:       {Transport: failure.TransportTimeout, Stage: failure.StageHeader, Message: "m"},
		collection.ReasonConnectFailed: {Transport: failure.TransportRefused, Message: "m"},
		collection.ReasonTruncated:     {Status: 200, Transport: failure.TransportTruncated, Message: "m"},
		collection.ReasonDNSNotFound:   {Transport: failure.TransportDNSNotFound, Message: "m"},
	} {
		for _, random := range []float64{0, 0.5, 0.999} {
			c := newCollecting(answers(seen))
			c.Random = func() float64 { return random }
			tr := &trial{}
			_, err := c.attempt(t, tr)
			f := requireTransient(t, err, reason, seen.Message)
			least := patience.Backoff.Min
			if failure.Lookup(reason).Wait == failure.WaitConfirm {
				least += failure.ConfirmAfter
			}
			require.GreaterOrEqual(t, f.after, least)
			require.LessOrEqual(t, f.after, least+patience.Backoff.Min)
			require.Equal(t, 1, f.Attempts)
			require.Empty(t, c.metrics.ended)
			p := tr.progress(t)
			charged := 0
			if failure.Lookup(reason).Charged {
				charged = 1
			}
			require.Equal(t, collection.AttemptProgress{
				Ended: 1, Requests: 1, Faults: charged, Reason: reason, InARow: 1, FirstRequestAt: &c.now,
			}, counters(p))
		}
	}
}

// TestCollectRetryAfter: the wait that the target asked for is the least (E07).
func TestCollectRetryAfter(t *testing.T) {
	date := accepted.Format("Mon, 02 Jan 2006 15:04:05 GMT")
	for _, c := range []struct {
		seen failure.Observation
		min  time.Duration
		max  time.Duration
	}{
		{failure.Observation{Status: 429, RetryAfter: "7"}, 7 * time.Second, 9 * time.Second},
		{failure.Observation{Status: 503, RetryAfter: "120"}, 2 * time.Minute, 2*time.Minute + 13*time.Second},
		{failure.Observation{Status: 429, RetryAfter: "-5"}, time.Second, 2 * time.Second},
		// Against the answer's own clock, which is a minute behind ours.
		{failure.Observation{Status: 429, Date: date, RetryAfter: accepted.Add(30 * time.Second).Format("Mon, 02 Jan 2006 15:04:05 GMT")},
			30 * time.Second, 34 * time.Second},
	} {
		b := newCollecting(answers(c.seen))
		_, err := b.attempt(t, &trial{})
		f := refusal(t, err)
		require.False(t, f.final)
		require.Equal(t, collection.ReasonThrottled, f.reason)
		require.GreaterOrEqual(t, f.after, c.min)
		require.LessOrEqual(t, f.after, c.max)
	}
	b := newCollecting(answers(failure.Observation{Status: 429, RetryAfter: strconv.Itoa(25 * 3600), Message: "m"}))
	_, err := b.attempt(t, &trial{})
	requireFinal(t, err, collection.ReasonThrottledTooLong, "last met: throttled")
}

// TestCollectCountsFaults: a record is dead-lettered after as many faults as its source allows, over attempts on any
// worker; the start wait is told once.
func TestCollectCountsFaults(t *testing.T) {
	c := newCollecting(answers(broken500))
	first := c.now
	tr := &trial{}
	for n := 1; n <= 2; n++ {
		_, err := c.attempt(t, tr)
		require.Equal(t, n, requireTransient(t, err, collection.ReasonServerError).Attempts)
		require.Equal(t, n, tr.progress(t).Faults)
		tr = tr.next(t)
		c.now = c.now.Add(time.Minute)
	}
	_, err := c.attempt(t, tr)
	f := requireFinal(t, err, collection.ReasonServerError, "answered 500")
	require.Equal(t, 3, f.Attempts)
	require.Equal(t, &first, f.FirstRequestAt)
	require.Equal(t, []startedCall{{"acme", time.Minute}}, c.metrics.started)
	require.Equal(t, []endedCall{{"books", collection.OutcomeDeadLettered, collection.ReasonServerError}}, c.metrics.ended)
	require.Len(t, c.metrics.asked, 3)
}

// TestCollectUncharged: what says nothing about the record does not use up its attempts.
func TestCollectUncharged(t *testing.T) {
	refusing := failure.Observation{Transport: failure.TransportRefused, Message: "refused"}
	c := newCollecting(answers(refusing, refusing, refusing, refusing, refusing, refusing, success))
	tr := &trial{}
	last := time.Duration(0)
	for range 6 {
		_, err := c.attempt(t, tr)
		f := requireTransient(t, err, collection.ReasonConnectFailed)
		require.GreaterOrEqual(t, f.after, last, "the waits grow")
		last = f.after
		tr = tr.next(t)
	}
	out, err := c.attempt(t, tr)
	require.NoError(t, err)
	require.Equal(t, 7, out.Attempts)
}

// TestCollectSecondLook: a name that does not exist is looked up twice, in a row.
func TestCollectSecondLook(t *testing.T) {
	none := failure.Observation{Transport: failure.TransportDNSNotFound, Message: "no such host"}
	c := newCollecting(answers(none, broken500, none, none))
	patient := patience
	patient.Attempts = 10
	c.Directory = directory{sources: []collection.Source{patient}}
	tr := c.triedAgain(t, collection.ReasonDNSNotFound, collection.ReasonServerError, collection.ReasonDNSNotFound)
	_, err := c.attempt(t, tr)
	requireFinal(t, err, collection.ReasonDNSNotFound, "no such host")
}

// TestCollectLostWorkers: attempts that never came to an end lost their worker; three in a row are the record's fault
// (E10), fewer are not, and one that ended well begins a new row.
func TestCollectLostWorkers(t *testing.T) {
	for _, c := range []struct {
		name   string
		number int
		before any
		killed bool
	}{
		{"three without a word", 4, nil, true},
		{"two without a word", 3, nil, false},
		{"three after one that ended", 5, collection.AttemptProgress{Ended: 1, Requests: 2}, true},
		{"two after three that ended", 6, collection.AttemptProgress{Ended: 3, Requests: 3}, false},
		{"counters that cannot be read", 9, "gibberish", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newCollecting(answers(success))
			_, err := b.attempt(t, &trial{number: c.number, before: c.before})
			_, granted := b.permits.state()
			if !c.killed {
				require.NoError(t, err)
				require.Equal(t, 1, granted)
				return
			}
			requireFinal(t, err, collection.ReasonWorkerKiller, "3 lost workers")
			require.Zero(t, granted, "nothing was requested")
			require.Equal(t, []endedCall{{"books", collection.OutcomeDeadLettered, collection.ReasonWorkerKiller}}, b.metrics.ended)
		})
	}
}

// TestCollectExpires: a record that waited too long ends without another request.
func TestCollectExpires(t *testing.T) {
	c := newCollecting(answers(success))
	c.now = accepted.Add(25 * time.Hour)
	before := collection.AttemptProgress{Ended: 7, Requests: 7, Reason: collection.ReasonConnectFailed, InARow: 7, FirstRequestAt: &accepted}
	_, err := c.attempt(t, &trial{number: 8, before: before})
	f := requireFinal(t, err, collection.ReasonExpired, "after 7 requests, 0 lost workers and 25h0m0s")
	require.Equal(t, 7, f.Attempts)
	require.Equal(t, &accepted, f.FirstRequestAt)
	_, granted := c.permits.state()
	require.Zero(t, granted)

	// One whose next try would come too late ends now, and says what it met.
	c = newCollecting(answers(broken500))
	c.now = accepted.Add(24*time.Hour - time.Second)
	_, err = c.attempt(t, &trial{})
	requireFinal(t, err, collection.ReasonExpired, "answered 500", "last met: server_error")
}

// TestCollectByReference: a large record is read from its batch before the request.
func TestCollectByReference(t *testing.T) {
	c := newCollecting(nil)
	whole := collectInput.Record
	whole.Fields = json.RawMessage(`{"text":"` + strings.Repeat("x", 5_000) + `"}`)
	var asked collection.Record
	c.Fetcher = fetchFunc(func(_ context.Context, _ collection.Source, rec collection.Record, _ collection.Via) (*collection.Response, failure.Observation) {
		asked = rec
		return page("x"), success
	})
	line, err := json.Marshal(whole)
	require.NoError(t, err)
	c.store.set(t, "plans/s1/books/00001.jsonl", "0123456789"+string(line)+"\n")
	in := collectInput
	in.Record = collection.Record{ID: whole.ID, Line: 3, Key: "k",
		Stored: &collection.ObjectRange{Key: "plans/s1/books/00001.jsonl", Offset: 10, Length: int64(len(line) + 1)}}
	_, err = run(t, &trial{}, c.Collect, in)
	require.NoError(t, err)
	require.Equal(t, whole, asked)

	in.Record.Stored.Offset = 9
	_, err = run(t, &trial{}, c.Collect, in)
	requireFinal(t, err, collection.ReasonInternal, "was the plan changed?")
	_, granted := c.permits.state()
	require.Equal(t, 1, granted)
}

// TestCollectUnknownSource: while a configuration is rolled out, a worker that does not know the source passes the record
// on, as often as it takes, and the record does not count that as a lost worker.
func TestCollectUnknownSource(t *testing.T) {
	c := newCollecting(answers(success))
	known := c.Directory
	c.Directory = directory{}
	tr := &trial{}
	for range 5 {
		_, err := c.attempt(t, tr)
		f := requireTransient(t, err, collection.ReasonLeaseLost, `source "books" is not in this worker's configuration`)
		require.Equal(t, unknownHereRetry, f.after)
		tr = tr.next(t)
	}
	c.Directory = known
	_, err := c.attempt(t, tr)
	require.NoError(t, err)
}

// TestCollectNoPermit: a permit that cannot be had is no fault of the record.
func TestCollectNoPermit(t *testing.T) {
	c := newCollecting(answers(success))
	c.permits.acquire = func(context.Context) error { return errors.New("there are no permits for source \"books\"") }
	tr := &trial{}
	_, err := c.attempt(t, tr)
	requireTransient(t, err, collection.ReasonLeaseLost)
	require.Equal(t, collection.AttemptProgress{Ended: 1}, counters(tr.progress(t)))
}
