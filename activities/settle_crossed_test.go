package activities

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// requireIntact: the manifest that stands and all that are kept agree with their checksums, and every file that they name is as
// they say. It settles nothing: a lost attempt's error goes to nobody, and no other attempt comes behind it.
func (s *settling) requireIntact(t require.TestingT, when ...string) collection.Manifest {
	says := fmt.Sprint(when)
	all := s.store.dump(t)
	var standing collection.Manifest
	for key, body := range all {
		name, ok := strings.CutPrefix(key, "results/acme/s1/")
		if !ok || !strings.HasPrefix(name, "manifest.") || !strings.HasSuffix(name, ".json") {
			continue
		}
		require.Equal(t, collection.Digest([]byte(body))+"  "+name+"\n", all[strings.TrimSuffix(key, ".json")+".sha256"], says)
		var m collection.Manifest
		require.NoError(t, json.Unmarshal([]byte(body), &m))
		for _, f := range m.Files {
			require.Equal(t, f.SHA256, collection.Digest([]byte(all[f.Key])), "%s names %s %s", name, f.Key, says)
		}
		if name == "manifest.json" {
			standing = m
		}
	}
	require.Equal(t, "s1", standing.Submission, says)
	return standing
}

// meanwhile lets something happen right before a call, once.
func (s *settling) meanwhile(is func(n int, op, key string) bool, happens func()) {
	var once sync.Once
	s.store.trouble = func(n int, op, key string) trouble {
		if is(n, op, key) {
			once.Do(happens)
		}
		return trouble{}
	}
}

// TestSettleLostAttemptLeavesTheParts: an attempt that has found no manifest is cut off, its successor finds a delivery lost and
// settles, and then the lost one goes on with what it has read. Nobody hears its error.
func TestSettleLostAttemptLeavesTheParts(t *testing.T) {
	s := newSettling(t, pages(4), wasDelivered)
	s.meanwhile(func(_ int, op, key string) bool { return op+" "+key == "Create results/acme/s1/results-00001.jsonl.gz" }, func() {
		s.store.remove(s.records[0].deliveredKey())
		s.rival(t, settledAt.Add(time.Minute))
	})
	_, err := s.settle(t, &trial{number: 1})
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	s.store.trouble = nil
	m := s.requireIntact(t)
	require.Equal(t, collection.StatePartiallyFailed, m.State)
	s.requireWhole(t, m)
}

// TestSettleLostAttemptLeavesTheChecksum: an attempt that finds the manifest as it would write it is held before it looks at the
// checksum, and a replay settles meanwhile.
func TestSettleLostAttemptLeavesTheChecksum(t *testing.T) {
	s := newReplaying(t, pages(2), wasDelivered, wasEmpty).settling
	s.store.remove("results/acme/s1/manifest.sha256")
	s.meanwhile(func(_ int, op, key string) bool { return op != "Head" && key == "results/acme/s1/manifest.sha256" }, func() {
		s.delivers(t, s.records[1], settledAt.Add(time.Minute))
		s.rival(t, settledAt.Add(2*time.Minute))
	})
	_, err := s.settle(t, &trial{number: 1})
	requireTransient(t, err, collection.ReasonStoreUnavailable, "manifest.json holds")
	s.store.trouble = nil
	require.Equal(t, 2, s.requireIntact(t).Generation)
}

// TestSettleCrossedAnywhere: wherever a settlement is held, and whatever others settle meanwhile, it harms no delivery that stands
// or is kept when it goes on, though nobody settles behind it.
func TestSettleCrossedAnywhere(t *testing.T) {
	type crossing struct {
		fresh func() *settling
		// happens is what others do before they settle.
		happens func(s *settling)
	}
	lose := func(s *settling) { s.store.remove(s.records[0].deliveredKey()) }
	deliver := func(s *settling) {
		s.store.remove(s.records[1].deliveredKey())
		s.delivers(t, s.records[1], settledAt.Add(time.Minute))
	}
	first := func() *settling { return newSettling(t, pages(6), wasDelivered, wasEmpty, wasDelivered) }
	lastDead := func() *settling {
		return newSettling(t, pages(6), wasDelivered, wasDelivered, wasDelivered, wasDelivered, wasDelivered, wasEmpty)
	}
	tables := func() *settling { return newTables(t, csvLayout, wasDelivered, wasEmpty, wasDelivered) }
	again := func(fresh func() *settling, change func(s *settling)) func() *settling {
		return func() *settling {
			s := fresh()
			s.mustSettle(t, &trial{})
			change(s)
			s.store.calls = nil
			return s
		}
	}
	nothing := func(*settling) {}
	for name, c := range map[string]crossing{
		"the first, nothing else":        {first, nothing},
		"the first, a loss":              {first, lose},
		"the first, a delivery":          {first, deliver},
		"the same again, a loss":         {again(first, nothing), lose},
		"the same again, a delivery":     {again(first, nothing), deliver},
		"without a checksum, a delivery": {again(first, func(s *settling) { s.store.remove("results/acme/s1/manifest.sha256") }), deliver},
		"a changed file, a delivery": {again(lastDead, func(s *settling) {
			s.store.set(t, "results/acme/s1/results-00001.jsonl.gz", "damaged")
		}), func(s *settling) { s.delivers(t, s.records[5], settledAt.Add(time.Minute)) }},
		"after a replay, a loss": {again(first, deliver), lose},
		"tables, a loss":         {tables, lose},
		"tables, a delivery":     {again(tables, nothing), deliver},
	} {
		t.Run(name, func(t *testing.T) {
			clean := c.fresh()
			clean.mustSettle(t, &trial{})
			for n := 1; n <= clean.store.count(); n++ {
				s := c.fresh()
				s.meanwhile(func(call int, _, _ string) bool { return call == n }, func() {
					c.happens(s)
					s.rival(t, settledAt.Add(2*time.Minute))
				})
				_, err := s.settle(t, &trial{number: 1})
				if err != nil {
					requireTransient(t, err, collection.ReasonStoreUnavailable)
				}
				s.store.trouble = nil
				s.requireIntact(t, fmt.Sprintf("crossed at call %d", n))
			}
		})
	}
}

// TestSettleFirstNames: what somebody has left under the name of a part is passed over, and the next attempt comes to the same
// name.
func TestSettleFirstNames(t *testing.T) {
	s := newSettling(t, pages(4), wasDelivered)
	s.store.set(t, "results/acme/s1/results-00001.jsonl.gz", "of a lost attempt")
	_, m := s.mustSettle(t, &trial{})
	require.Zero(t, m.Generation)
	require.Equal(t, []string{"results-00001.g2.jsonl.gz", "results-00002.jsonl.gz"}, fileNames(m))
	require.Equal(t, "of a lost attempt", s.store.text(t, "results/acme/s1/results-00001.jsonl.gz"))
	want := s.store.sums(t)
	_, again := s.mustSettle(t, &trial{})
	require.Equal(t, m, again)
	require.Equal(t, want, s.store.sums(t))

	// And where the manifest was not written any more.
	s.store.remove("results/acme/s1/manifest.json")
	s.store.remove("results/acme/s1/manifest.sha256")
	s.mustSettle(t, &trial{})
	require.Equal(t, want, s.store.sums(t))
}

// TestSettleChecksumEndlessly: a checksum that somebody else writes all the time ends an attempt, which may be tried again.
func TestSettleChecksumEndlessly(t *testing.T) {
	s := newSettling(t, pages(2), wasDelivered)
	n := 0
	s.store.trouble = func(_ int, op, key string) trouble {
		if op == "Open" && key == "results/acme/s1/manifest.json" {
			n++
			s.store.set(t, "results/acme/s1/manifest.sha256", fmt.Sprint(n))
		}
		return trouble{}
	}
	_, err := s.settle(t, &trial{})
	requireTransient(t, err, collection.ReasonStoreUnavailable, "do not agree")
	s.store.trouble = nil
	s.mustSettle(t, &trial{})
	s.requireIntact(t)
}

// TestSettleChecksumRubbish: what is no checksum is replaced, however large.
func TestSettleChecksumRubbish(t *testing.T) {
	for _, rubbish := range []string{"", "x", strings.Repeat("x", maxSum+1)} {
		s := newSettling(t, pages(2), wasDelivered)
		s.store.set(t, "results/acme/s1/manifest.sha256", rubbish)
		s.mustSettle(t, &trial{})
		s.requireIntact(t)
	}
}
