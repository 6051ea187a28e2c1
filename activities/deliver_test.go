package activities

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// delivering is a deliverer with what it needs.
type delivering struct {
	*Deliverer
	store   *shaky
	metrics *ledgerOfMetrics
}

func newDelivering() delivering {
	store, metrics := newShaky(), &ledgerOfMetrics{}
	return delivering{&Deliverer{Store: store, Metrics: metrics, Clock: at(accepted.Add(90 * time.Second))}, store, metrics}
}

const deliveredID = "00112233445566778899"

var deliveredKey = collection.DeliveredKey("acme", "s1", deliveredID)

// document is a delivery of one document.
func document(body string) collection.DeliverInput {
	return collection.DeliverInput{
		Submission: "s1", Customer: "acme", Source: "books", AcceptedAt: accepted, RecordID: deliveredID,
		Document: collection.Document{Inline: json.RawMessage(body), SHA256: collection.Digest([]byte(body)), Size: int64(len(body))},
	}
}

// proof is what a delivery of a body must say.
func proof(body string, generation int) collection.DeliverResult {
	return collection.DeliverResult{Delivered: collection.Delivered{
		Key: deliveredKey, SHA256: collection.Digest([]byte(body)), Size: int64(len(body)), Generation: generation,
		VerifiedAt: accepted.Add(90 * time.Second),
	}}
}

func (d delivering) deliver(t testing.TB, body string) (collection.DeliverResult, error) {
	return run(t, &trial{}, d.Deliver, document(body))
}

// TestDeliver: a delivery is proved by the destination itself, and twice is once.
func TestDeliver(t *testing.T) {
	d := newDelivering()
	for range 3 {
		out, err := d.deliver(t, `{"a":1}`)
		require.NoError(t, err)
		require.Equal(t, proof(`{"a":1}`, 1), out)
		require.True(t, d.store.called("Head "+deliveredKey), "the destination was asked")
	}
	require.Equal(t, map[string]string{deliveredKey: `{"a":1}`}, d.store.dump(t))
	require.Equal(t, provedCall{"acme", 7, 90 * time.Second}, d.metrics.proved[0])
	require.Equal(t, endedCall{"books", collection.OutcomeDelivered, ""}, d.metrics.ended[0])
}

// TestDeliverGenerations: another content is the next generation, and delivering that again changes nothing.
func TestDeliverGenerations(t *testing.T) {
	d := newDelivering()
	for _, c := range []struct {
		body       string
		generation int
	}{{`{"a":1}`, 1}, {`{"a":2}`, 2}, {`{"a":2}`, 2}, {`{"a":3}`, 3}, {`{"a":1}`, 4}} {
		out, err := d.deliver(t, c.body)
		require.NoError(t, err)
		require.Equal(t, proof(c.body, c.generation), out)
		require.Equal(t, c.body, d.store.text(t, deliveredKey))
	}
}

// TestDeliverByReference: a large document comes from the store, and is checked on the way.
func TestDeliverByReference(t *testing.T) {
	d := newDelivering()
	in := document(`{"a":1}`)
	in.Document.Inline, in.Document.Stored = nil, &collection.ObjectRange{Key: "parsed/x"}
	d.store.set(t, "parsed/x", `{"a":1}`)
	out, err := run(t, &trial{}, d.Deliver, in)
	require.NoError(t, err)
	require.Equal(t, proof(`{"a":1}`, 1), out)

	d = newDelivering()
	d.store.set(t, "parsed/x", `{"a":2}`)
	_, err = run(t, &trial{}, d.Deliver, in)
	requireFinal(t, err, collection.ReasonInternal, "the parsed document has SHA-256", "replay the record")
	require.Equal(t, []endedCall{{"books", collection.OutcomeDeadLettered, collection.ReasonInternal}}, d.metrics.ended)
	require.False(t, d.store.called("Create "+deliveredKey))

	d.store.remove("parsed/x")
	_, err = run(t, &trial{}, d.Deliver, in)
	requireFinal(t, err, collection.ReasonInternal, "the parsed document parsed/x is gone")

	d.store.trouble = func(int, string, string) trouble { return trouble{refuse: errOutage} }
	_, err = run(t, &trial{}, d.Deliver, in)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read the parsed document")
}

// TestDeliverStoreFails: whichever call fails, before or after it was done, the next attempt ends with one generation.
func TestDeliverStoreFails(t *testing.T) {
	for _, before := range []string{"", `{"a":0}`} {
		for n := 1; n <= 3; n++ {
			for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
				d := newDelivering()
				generation := 1
				if before != "" {
					_, err := d.deliver(t, before)
					require.NoError(t, err)
					generation = 2
				}
				start := d.store.count()
				d.store.trouble = func(call int, _, _ string) trouble {
					if call == start+n {
						return failing
					}
					return trouble{}
				}
				if _, err := d.deliver(t, `{"a":1}`); err != nil {
					requireTransient(t, err, collection.ReasonStoreUnavailable, errOutage.Error())
				}
				d.store.trouble = nil
				out, err := d.deliver(t, `{"a":1}`)
				require.NoError(t, err)
				require.Equal(t, proof(`{"a":1}`, generation), out, "call %d, %s, after %q", n, name, before)
			}
		}
	}
}

// TestDeliverCrossed: somebody else's write between ours and the question whether it is there is not a delivery. The next
// attempt looks again; a stranger who goes on is a conflict in the end.
func TestDeliverCrossed(t *testing.T) {
	d := newDelivering()
	other := func(n int) string { return fmt.Sprintf(`{"other":%d}`, n) }
	d.store.trouble = func(n int, op, key string) trouble {
		if op == "Head" {
			d.store.set(t, key, other(n))
		}
		return trouble{}
	}
	tr := &trial{}
	for range maxContested - 1 {
		_, err := run(t, tr, d.Deliver, document(`{"a":1}`))
		requireTransient(t, err, collection.ReasonStoreUnavailable, deliveredKey+" holds", "somebody else writes it")
		tr = tr.next(t)
	}
	require.Empty(t, d.metrics.ended)
	require.Empty(t, d.metrics.proved)
	_, err := run(t, tr, d.Deliver, document(`{"a":1}`))
	requireFinal(t, err, collection.ReasonDeliveryConflict, "somebody else writes it")
	require.Equal(t, []endedCall{{"books", collection.OutcomeDeadLettered, collection.ReasonDeliveryConflict}}, d.metrics.ended)

	d.store.trouble = nil
	_, err = run(t, tr, d.Deliver, document(`{"a":1}`))
	require.NoError(t, err, "once the stranger is gone a replay succeeds")
}

// TestDeliverReplaceCrossed: somebody wrote between our look and our write; theirs is not overwritten unseen.
func TestDeliverReplaceCrossed(t *testing.T) {
	d := newDelivering()
	_, err := d.deliver(t, `{"a":0}`)
	require.NoError(t, err)
	d.store.trouble = func(_ int, op, key string) trouble {
		if op == "Replace" {
			d.store.set(t, key, `{"other":1}`)
		}
		return trouble{}
	}
	_, err = d.deliver(t, `{"a":1}`)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "exists with another content")
	require.Equal(t, `{"other":1}`, d.store.text(t, deliveredKey))
}

// TestConfirm: where the destination keeps no digest, the size is all that it can confirm.
func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		info collection.ObjectInfo
		ok   bool
	}{
		{collection.ObjectInfo{Size: 3, SHA256: collection.Digest([]byte("abc"))}, true},
		{collection.ObjectInfo{Size: 3}, true},
		{collection.ObjectInfo{Size: 4}, false},
		{collection.ObjectInfo{Size: 3, SHA256: collection.Digest([]byte("abd"))}, false},
	} {
		err := confirm(t.Context(), &attempt{}, headOnly{info: c.info}, "k", []byte("abc"))
		require.Equal(t, c.ok, err == nil, "%+v: %v", c.info, err)
	}
}

func TestDeliverKiller(t *testing.T) {
	d := newDelivering()
	_, err := run(t, &trial{number: 4}, d.Deliver, document(`{}`))
	requireFinal(t, err, collection.ReasonWorkerKiller, "3 workers were lost")
	require.Empty(t, d.store.dump(t))
}

// TestDeliverDenied: the work goes on by itself once somebody has given us the permission (O04).
func TestDeliverDenied(t *testing.T) {
	d := newDelivering()
	d.store.trouble = func(int, string, string) trouble {
		return trouble{refuse: fmt.Errorf("create object %s: %w", strings.Repeat("k", 500), collection.ErrStoreDenied)}
	}
	_, err := d.deliver(t, `{}`)
	require.Equal(t, time.Minute, requireTransient(t, err, collection.ReasonStoreUnavailable, "deliver "+deliveredKey).after)
	d.store.trouble = nil
	_, err = d.deliver(t, `{}`)
	require.NoError(t, err)
}

func TestDeliverCancelled(t *testing.T) {
	for _, op := range []string{"Create", "Head"} {
		ctx, cancel := stoppable(t)
		d := newDelivering()
		d.store.trouble = func(_ int, now, _ string) trouble {
			if now == op {
				cancel(temporal.NewCanceledError())
			}
			return trouble{}
		}
		_, err := run(t, &trial{ctx: ctx}, d.Deliver, document(`{}`))
		requireCancelled(t, err)
		require.Empty(t, d.metrics.ended)
	}
}
