package activities

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// replayed delivers a dead letter behind the manifest's back.
func (r *replaying) replayed(t require.TestingT, p planned) {
	_, err := run(t, &trial{}, r.MergeLedger, collection.MergeLedgerInput{
		Submission: "s1", Source: p.source, Number: p.batch, Rows: []collection.LedgerRow{r.delivers(t, p)},
	})
	require.NoError(t, err)
}

// standingManifest is the manifest that is kept of a generation, checked against its own checksum, with every file that it
// names.
func (r *replaying) standingManifest(t require.TestingT, name string) collection.Manifest {
	body := r.store.text(t, "results/acme/s1/"+name)
	require.Equal(t, collection.Digest([]byte(body))+"  "+name+"\n", r.store.text(t, "results/acme/s1/"+strings.Replace(name, ".json", ".sha256", 1)))
	var m collection.Manifest
	require.NoError(t, json.Unmarshal([]byte(body), &m))
	r.results(t, m)
	return m
}

// TestSettleGenerations: a customer who verifies an old manifest finds everything that it names, and what has not changed is
// not written again.
func TestSettleGenerations(t *testing.T) {
	r := newReplaying(t, pages(6), wasDelivered, wasDelivered, wasDelivered, wasEmpty, wasEmpty, wasDelivered)
	first := r.standingManifest(t, "manifest.json")
	require.Zero(t, first.Generation)

	r.replayed(t, r.records[3])
	_, m := r.mustSettle(t, &trial{})
	require.Equal(t, 2, m.Generation)
	require.Equal(t, []string{"results-00001.jsonl.gz", "results-00002.g2.jsonl.gz", "results-00003.g2.jsonl.gz", "failures.g2.jsonl"}, fileNames(m),
		"the first part has not changed")
	require.Equal(t, first, r.standingManifest(t, "manifest.g1.json"))

	// Settled twice it is the same generation.
	want := r.store.sums(t)
	r.Clock = at(settledAt.Add(time.Hour))
	_, again := r.mustSettle(t, &trial{})
	require.Equal(t, m, again)
	require.Equal(t, want, r.store.sums(t))

	r.replayed(t, r.records[4])
	_, m = r.mustSettle(t, &trial{})
	require.Equal(t, 3, m.Generation)
	require.Equal(t, collection.StateComplete, m.State)
	require.Equal(t, []string{"results-00001.jsonl.gz", "results-00002.g2.jsonl.gz", "results-00003.g3.jsonl.gz"}, fileNames(m))
	require.Equal(t, first, r.standingManifest(t, "manifest.g1.json"))
	require.Equal(t, 2, r.standingManifest(t, "manifest.g2.json").Generation)
	results, failures := r.results(t, m)
	require.Len(t, results, 6)
	require.Empty(t, failures)
	for _, p := range r.records[:6] {
		info, err := r.store.Head(background, p.deliveredKey())
		require.NoError(t, err)
		require.Equal(t, 1, info.Generation, "no record's own object was written twice")
	}
}

func fileNames(m collection.Manifest) []string {
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	return names
}

// TestSettleGenerationCrashes: whichever call fails, and however, the next attempt makes one new generation.
func TestSettleGenerationCrashes(t *testing.T) {
	fresh := func() *replaying {
		r := newReplaying(t, pages(4), wasDelivered, wasEmpty, wasDelivered, wasEmpty)
		r.replayed(t, r.records[1])
		r.store.calls = nil
		return r
	}
	clean := fresh()
	clean.mustSettle(t, &trial{})
	want, calls := clean.store.sums(t), clean.store.count()
	for n := 1; n <= calls; n++ {
		for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
			for _, knows := range []bool{true, false} {
				r := fresh()
				r.store.trouble = func(call int, _, _ string) trouble {
					if call == n {
						return failing
					}
					return trouble{}
				}
				tr := &trial{number: 1}
				_, err := r.settle(t, tr)
				requireTransient(t, err, collection.ReasonStoreUnavailable)
				r.store.trouble = nil
				next := &trial{number: 2}
				if knows {
					next = tr.next(t)
				}
				r.mustSettle(t, next)
				require.Equal(t, want, r.store.sums(t), "call %d, %s, knows %t", n, name, knows)
			}
		}
	}
}

// TestSettleRestoresAFile: a file of the delivery that is lost is made again under the name that the manifest gives it.
func TestSettleRestoresAFile(t *testing.T) {
	r := newReplaying(t, pages(4), wasDelivered, wasEmpty)
	r.replayed(t, r.records[1])
	_, m := r.mustSettle(t, &trial{})
	want := r.store.sums(t)
	for _, f := range m.Files {
		r.store.remove(f.Key)
	}
	_, again := r.mustSettle(t, &trial{})
	require.Equal(t, m, again)
	require.Equal(t, want, r.store.sums(t))
}

// TestSettleOfAStranger: a manifest of another submission is none of ours, and is not kept.
func TestSettleOfAStranger(t *testing.T) {
	s := newSettling(t, pages(1), wasDelivered)
	s.store.set(t, "results/acme/s1/manifest.json", `{"version":1,"generation":7,"submission":"other"}`)
	_, m := s.mustSettle(t, &trial{})
	require.Zero(t, m.Generation)
	require.NotContains(t, s.store.dump(t), "results/acme/s1/manifest.g7.json")
}

// TestSettleWithoutItsManifest: the manifest was deleted after a replay. What the kept ones name is not written over, and the
// next generation is the one that is missing.
func TestSettleWithoutItsManifest(t *testing.T) {
	for name, also := range map[string]func(r *replaying){
		"deleted": func(*replaying) {},
		"a stranger's": func(r *replaying) {
			r.store.set(t, "results/acme/s1/manifest.json", `{"version":1,"submission":"other"}`)
		},
		"a rubbish kept one": func(r *replaying) { r.store.set(t, "results/acme/s1/manifest.g7.json", "{") },
		"a name that is none": func(r *replaying) {
			for _, name := range []string{"manifest.gx.json", "manifest.g01.json", "manifest.g2.sha256"} {
				r.store.set(t, "results/acme/s1/"+name, "{}")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReplaying(t, pages(6), wasDelivered, wasDelivered, wasDelivered, wasEmpty, wasEmpty, wasDelivered)
			r.replayed(t, r.records[3])
			r.mustSettle(t, &trial{})
			first := r.standingManifest(t, "manifest.g1.json")
			// A change in the first part, which the first generation names.
			r.store.remove(r.records[0].deliveredKey())
			r.store.remove("results/acme/s1/manifest.json")
			also(r)
			_, m := r.mustSettle(t, &trial{})
			want := 2
			if name == "a rubbish kept one" {
				want = 8
			}
			require.Equal(t, want, m.Generation)
			require.Equal(t, first, r.standingManifest(t, "manifest.g1.json"), "with every file that it names")
			require.Equal(t, m, r.standingManifest(t, "manifest.json"))

			all := r.store.sums(t)
			_, again := r.mustSettle(t, &trial{})
			require.Equal(t, m, again)
			require.Equal(t, all, r.store.sums(t))
		})
	}
}

// TestSettleWithoutItsManifestFails: a listing or a kept manifest that cannot be read is not taken for none.
func TestSettleWithoutItsManifestFails(t *testing.T) {
	r := newReplaying(t, pages(4), wasDelivered, wasEmpty)
	r.replayed(t, r.records[1])
	r.mustSettle(t, &trial{})
	r.store.remove("results/acme/s1/manifest.json")
	r.store.trouble = failOnce("Get results/acme/s1/manifest.g1.json", trouble{refuse: errOutage})
	_, err := r.settle(t, &trial{})
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read results/acme/s1/manifest.g1.json")
}
