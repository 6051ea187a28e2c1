package activities

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

var update = flag.Bool("update", false, "write the golden files of a delivery anew; only after having understood what changed for customers")

// mixed is a small submission of two sources with every outcome in it.
const mixed = `{"url":"https://books.example/1"}
{"url":"https://a.shop.example/"}
{"url":"https://books.example/2"}
{"url":"https://nobody.example/"}
{"url":"https://books.example/1#again"}
{"url":"https://books.example/3"}
{"url":"https://b.shop.example/","key":"own"}
{"url":
{"url":"https://books.example/4"}
{"url":"https://books.example/5"}
{"url":"https://books.example/6"}
`

func mixedSettling(t testing.TB) *settling {
	return newSettling(t, mixed, wasDelivered, wasGone, wasDelivered, wasEmpty, wasDelivered, wasCancelled, wasRefused, wasDelivered)
}

// TestSettleGolden pins what a customer receives.
func TestSettleGolden(t *testing.T) {
	s := mixedSettling(t)
	out, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.SettleResult{
		State: collection.StatePartiallyFailed, Expected: 11, Outcomes: m.Outcomes,
		Manifest: "results/acme/s1/manifest.json", ManifestSHA256: out.ManifestSHA256,
	}, out)

	body := s.store.text(t, out.Manifest)
	again, err := json.MarshalIndent(m, "", "  ")
	require.NoError(t, err)
	require.Equal(t, string(again)+"\n", body, "the manifest is indented JSON")
	// How well gzip packs is not ours to pin.
	for i, f := range m.Files {
		if strings.HasSuffix(f.Name, ".gz") {
			golden(t, strings.TrimSuffix(f.Name, ".gz"), unzipped(t, s.store.text(t, f.Key)))
			m.Files[i].Size, m.Files[i].SHA256 = 0, "of the packed bytes"
		}
	}
	pinned, err := json.MarshalIndent(m, "", "  ")
	require.NoError(t, err)
	golden(t, "manifest.json", string(pinned)+"\n")
	golden(t, "failures.jsonl", s.store.text(t, "results/acme/s1/failures.jsonl"))
	require.Equal(t, out.ManifestSHA256+"  manifest.json\n", s.store.text(t, "results/acme/s1/manifest.sha256"))

	var writes []string
	for _, call := range s.store.calls {
		if strings.HasPrefix(call, "Create ") || strings.HasPrefix(call, "Replace ") || strings.HasPrefix(call, "Put ") {
			writes = append(writes, call)
		}
	}
	require.Equal(t, []string{"Create results/acme/s1/manifest.json", "Create results/acme/s1/manifest.sha256"}, writes[len(writes)-2:],
		"the manifest and its checksum are written last")
}

func golden(t *testing.T, name, have string) {
	t.Helper()
	file := filepath.Join("testdata", "settle", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(have), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "write it with -update")
	require.Equal(t, string(want), have)
}

// TestSettleChecksumTool: the checksum's file is one that the usual tool reads.
func TestSettleChecksumTool(t *testing.T) {
	tool, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("there is no sha256sum on this machine")
	}
	s := mixedSettling(t)
	s.mustSettle(t, &trial{})
	dir := t.TempDir()
	for _, name := range []string{"manifest.json", "manifest.sha256"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(s.store.text(t, "results/acme/s1/"+name)), 0o644))
	}
	check := exec.Command(tool, "-c", "manifest.sha256")
	check.Dir = dir
	said, err := check.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, "manifest.json: OK\n", string(said))
}

// TestSettleStates: complete means that nothing was lost.
func TestSettleStates(t *testing.T) {
	for name, c := range map[string]struct {
		rows  string
		ends  []end
		state collection.State
	}{
		"all delivered":        {pages(3), []end{wasDelivered}, collection.StateComplete},
		"gone is a fact":       {pages(3), []end{wasGone, wasDelivered}, collection.StateComplete},
		"a duplicate":          {pages(2) + pages(2), []end{wasDelivered}, collection.StateComplete},
		"an invalid row":       {pages(2) + "{\n", []end{wasDelivered}, collection.StatePartiallyFailed},
		"a dead letter":        {pages(3), []end{wasEmpty, wasDelivered}, collection.StatePartiallyFailed},
		"a refusal":            {pages(3), []end{wasRefused, wasDelivered}, collection.StatePartiallyFailed},
		"a cancelled record":   {pages(3), []end{wasCancelled, wasDelivered}, collection.StatePartiallyFailed},
		"nothing but rejected": {"{\n{\n", []end{wasDelivered}, collection.StatePartiallyFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSettling(t, c.rows, c.ends...)
			out, m := s.mustSettle(t, &trial{})
			require.Equal(t, c.state, out.State)
			require.Equal(t, m.Expected, m.Outcomes.Total())
			results, failures := s.results(t, m)
			require.Len(t, results, m.Outcomes.Of(collection.OutcomeDelivered))
			require.Len(t, failures, m.Expected-len(results))
		})
	}
	s := newSettling(t, pages(2), wasDelivered)
	out, err := run(t, &trial{}, s.Settle, collection.SettleInput{Submission: "s1", Customer: "acme", Cancelled: true})
	require.NoError(t, err)
	require.Equal(t, collection.StateCancelled, out.State)
}

// TestSettleTolerance: a submission with a loss is partially failed whatever it tolerates; whether it is good enough stands in
// its result and its manifest.
func TestSettleTolerance(t *testing.T) {
	for most, within := range map[int]bool{0: false, 1: false, 2: true} {
		s := newSettling(t, pages(5), wasDelivered, wasEmpty, wasEmpty, wasDelivered)
		var plan collection.PlanResult
		key := collection.PlanKey("s1")
		require.NoError(t, json.Unmarshal([]byte(s.store.text(t, key)), &plan))
		plan.Tolerate = &collection.Tolerance{Records: most}
		changed, err := json.Marshal(plan)
		require.NoError(t, err)
		s.store.set(t, key, string(changed))
		out, m := s.mustSettle(t, &trial{})
		require.Equal(t, collection.StatePartiallyFailed, m.State)
		require.Equal(t, &collection.ToleranceVerdict{Tolerance: *plan.Tolerate, Lost: 2, Within: within}, m.Tolerance)
		require.Equal(t, m.Tolerance, out.Tolerance)
		require.Equal(t, within, out.GoodEnough())
	}
}

// TestSettleParts: a part is closed by records or by bytes, whichever comes first.
func TestSettleParts(t *testing.T) {
	for _, c := range []struct {
		records, bytes int
		parts          []int
	}{
		{2, 1 << 20, []int{2, 2, 1}},
		{5, 1 << 20, []int{5}},
		{100, 1 << 20, []int{5}},
		{100, 1, []int{1, 1, 1, 1, 1}},
		{100, 250, []int{2, 2, 1}},
	} {
		s := newSettling(t, pages(5), wasDelivered)
		s.PartRecords, s.PartBytes = c.records, c.bytes
		_, m := s.mustSettle(t, &trial{})
		var parts []int
		for i, f := range m.Files {
			require.Equal(t, collection.ResultsKey("acme", "s1", i+1), f.Key)
			parts = append(parts, f.Records)
		}
		require.Equal(t, c.parts, parts, "%d records, %d bytes", c.records, c.bytes)
		results, _ := s.results(t, m)
		for i, r := range s.records {
			require.Equal(t, r.body, results[i], "in the order of the plan, byte for byte as delivered")
		}
	}
}

// TestSettleIsDeterministic: the same submission is the same delivery.
func TestSettleIsDeterministic(t *testing.T) {
	s := mixedSettling(t)
	s.mustSettle(t, &trial{})
	want := s.store.sums(t)
	for range 5 {
		s := mixedSettling(t)
		s.mustSettle(t, &trial{})
		require.Equal(t, want, s.store.sums(t))
	}
}

// TestSettleAgain: a manifest that stands is kept to the byte, though the delivery is verified once more.
func TestSettleAgain(t *testing.T) {
	s := mixedSettling(t)
	first, _ := s.mustSettle(t, &trial{})
	want := s.store.sums(t)
	s.Clock = at(settledAt.Add(time.Hour))
	second, _ := s.mustSettle(t, &trial{})
	require.Equal(t, first, second)
	require.Equal(t, want, s.store.sums(t))
}

// TestSettleAnew: what has changed since makes the next generation of the manifest, and of the files that changed.
func TestSettleAnew(t *testing.T) {
	s := newSettling(t, pages(3), wasDelivered, wasEmpty, wasDelivered)
	first, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StatePartiallyFailed, m.State)

	// The dead letter was replayed and delivered.
	r := s.records[1]
	rows := lines[collection.LedgerRow](t, s.store.text(t, r.ledgerKey()))
	rows[1] = s.ended(t, r.source, r.batch, r.Record, wasDelivered)
	require.NoError(t, writeLedger(background, s.store, r.ledgerKey(), rows))
	second, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StateComplete, m.State)
	require.NotEqual(t, first.ManifestSHA256, second.ManifestSHA256)
	results, failures := s.results(t, m)
	require.Len(t, results, 3)
	require.Empty(t, failures)
	require.Equal(t, second.ManifestSHA256+"  manifest.json\n", s.store.text(t, "results/acme/s1/manifest.sha256"))
	info, err := s.store.Head(background, second.Manifest)
	require.NoError(t, err)
	require.Equal(t, 2, info.Generation, "the first manifest was replaced, not silently overwritten")
}

// TestSettleOverRubbish: what stands in the manifest's place and is none is replaced.
func TestSettleOverRubbish(t *testing.T) {
	for _, rubbish := range []string{"", "{", "[]", `{"version":1}`} {
		s := newSettling(t, pages(1), wasDelivered)
		s.store.set(t, "results/acme/s1/manifest.json", rubbish)
		_, m := s.mustSettle(t, &trial{})
		require.Equal(t, collection.StateComplete, m.State)
	}
}
