package activities

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// crossing is a redelivery that a replay crosses: it delivers a dead letter, settles the submission again, and ships that.
type crossing struct {
	*replaying
	*shipping
}

func newCrossing(t require.TestingT) *crossing {
	r := newReplaying(t, pages(4), wasDelivered, wasEmpty, wasDelivered)
	return &crossing{r, newShipping(t, r.settling, false)}
}

// replay crosses a shipment, unseen by whoever watches its calls.
func (c *crossing) replay(t require.TestingT) {
	from, to := c.from.store.trouble, c.to.trouble
	c.from.store.trouble, c.to.trouble = nil, nil
	c.settling.delivers(t, c.records[1], settledAt.Add(time.Minute))
	c.rival(t, settledAt.Add(2*time.Minute))
	c.mustShip(t, &trial{})
	c.from.store.trouble, c.to.trouble = from, to
}

// requireOneDelivery: the destination, weir's bucket and the proof tell of one delivery, the second.
func (c *crossing) requireOneDelivery(t require.TestingT, msg ...any) {
	manifest := c.from.store.text(t, "results/acme/s1/manifest.json")
	var m collection.Manifest
	require.NoError(t, json.Unmarshal([]byte(manifest), &m))
	require.Equal(t, 2, m.Generation, msg...)
	require.Equal(t, manifest, c.to.text(t, "in/s1/manifest.json"), msg...)
	require.Equal(t, c.from.store.text(t, "results/acme/s1/manifest.sha256"), c.to.text(t, "in/s1/manifest.sha256"), msg...)
	for _, f := range m.Files {
		require.Equal(t, f.SHA256, collection.Digest([]byte(c.to.text(t, "in/s1/"+f.Name))), msg...)
	}
	var noted collection.ShipResult
	require.NoError(t, json.Unmarshal([]byte(c.from.store.text(t, collection.ShipmentKey("s1"))), &noted))
	require.Equal(t, collection.Digest([]byte(manifest)), noted.ManifestSHA256, msg...)
}

// TestShipCrossed: a redelivery that a replay overtakes at any of its calls, at either end, never brings the destination back
// to the generation before.
func TestShipCrossed(t *testing.T) {
	for _, shippedBefore := range []bool{false, true} {
		begin := func() *crossing {
			c := newCrossing(t)
			if shippedBefore {
				c.to.set(t, "in/s1/manifest.json", "older")
				c.to.set(t, "in/s1/manifest.sha256", "older")
				c.from.store.set(t, collection.ShipmentKey("s1"), "{}")
			}
			c.from.store.calls, c.to.calls = nil, nil
			return c
		}
		clean := begin()
		clean.mustShip(t, &trial{})
		for end, calls := range map[string]int{"from": clean.from.store.count(), "to": clean.to.count()} {
			for n := 1; n <= calls; n++ {
				c := begin()
				store, crossed := map[string]*shaky{"from": c.from.store, "to": c.to}[end], ""
				store.trouble = func(call int, op, key string) trouble {
					if crossed == "" && call == n {
						crossed = op + " " + key
						c.replay(t)
					}
					return trouble{}
				}
				tr := &trial{number: 1}
				if _, err := c.ship(t, tr, shipInput); err != nil {
					requireTransient(t, err, collection.ReasonStoreUnavailable)
					c.mustShip(t, tr.next(t))
				}
				require.NotEmpty(t, crossed)
				c.requireOneDelivery(t, "%s, %s, shipped before: %t", end, crossed, shippedBefore)
			}
		}
	}
}

// TestShipBeginsAnew: in the same attempt, and tells of what it has brought in the end.
func TestShipBeginsAnew(t *testing.T) {
	c := newCrossing(t)
	crossed := false
	c.to.trouble = func(_ int, op, key string) trouble {
		if !crossed && op == "Create" && key == "in/s1/manifest.json" {
			crossed = true
			c.replay(t)
		}
		return trouble{}
	}
	out := c.mustShip(t, &trial{})
	require.Equal(t, collection.Digest([]byte(c.from.store.text(t, "results/acme/s1/manifest.json"))), out.ManifestSHA256)
	require.False(t, c.to.called("Replace in/s1/manifest.json"), "not even for a moment did the older one stand there")
	c.requireOneDelivery(t)
}

// TestShipOfWhatIsSettledAllTheTime is tried again later, and has told the destination of nothing.
func TestShipOfWhatIsSettledAllTheTime(t *testing.T) {
	s := newShipping(t, mixedSettling(t), false)
	const manifest = "results/acme/s1/manifest.json"
	n := 0
	s.from.store.trouble = func(_ int, op, key string) trouble {
		if op == "Head" && key == manifest {
			n++
			body := s.from.store.text(t, manifest) + "\n"
			s.from.store.set(t, manifest, body)
			s.from.store.set(t, "results/acme/s1/manifest.sha256", manifestSum(collection.Digest([]byte(body))))
		}
		return trouble{}
	}
	_, err := s.ship(t, &trial{}, shipInput)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "submission s1 was settled again 5 times while it was shipped")
	require.Equal(t, mostAnew, n)
	for key := range s.to.dump(t) {
		require.False(t, strings.HasPrefix(key, "in/s1/manifest."), key)
	}
}

// TestShipNothingOfAnEarlierSubmission: an id may be used again once its plan has expired. The delivery of before is not that of
// the submission, whatever state it was in.
func TestShipNothingOfAnEarlierSubmission(t *testing.T) {
	s := newShipping(t, mixedSettling(t), false)
	const manifest = "results/acme/s1/manifest.json"
	s.from.acceptedAgain(t)
	m := s.from.store.text(t, manifest)
	s.from.store.set(t, manifest, strings.Replace(m, `"partially_failed"`, `"cancelled"`, 1))
	_, err := s.ship(t, &trial{}, shipInput)
	requireFinal(t, err, collection.ReasonDeliveryLost, "it has no manifest", "2026-03-01", "2026-06-10")
	require.Equal(t, collection.ShipLoss{}, lossOf(t, err), "nothing is known of how this one ended")
	require.Empty(t, s.to.calls)
}

// acceptedAgain makes the plan that of another submission under the same id, 101 days later.
func (s *settling) acceptedAgain(t require.TestingT) {
	s.plan.AcceptedAt = accepted.Add(101 * 24 * time.Hour)
	body, err := json.Marshal(s.plan)
	require.NoError(t, err)
	s.store.set(t, collection.PlanKey("s1"), string(body))
}
