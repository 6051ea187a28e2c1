package activities

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
)

// TestPlanSplitsByRecords: a batch is closed when it is full, and the last one is not empty.
func TestPlanSplitsByRecords(t *testing.T) {
	for _, c := range []struct {
		rows, limit int
		sizes       []int
	}{
		{1, 3, []int{1}},
		{3, 3, []int{3}},
		{4, 3, []int{3, 1}},
		{9, 3, []int{3, 3, 3}},
	} {
		p := newPlanning(c.limit)
		plan := p.mustPlan(t, p.uploaded(t, "list.csv", urls(c.rows)))
		var sizes []int
		for i, b := range plan.Sources[0].Batches {
			require.Equal(t, i+1, b.Number)
			sizes = append(sizes, b.Records)
		}
		require.Equal(t, c.sizes, sizes)
	}
}

// TestPlanSplitsByBytes: large records make small batches, each of which can be read again.
func TestPlanSplitsByBytes(t *testing.T) {
	p := newPlanning(500)
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b, `{"url":"https://books.example/%d","text":"%s"}`+"\n", i, strings.Repeat("x", 900<<10))
	}
	plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", b.String()))
	require.Equal(t, []collection.BatchPlan{{Number: 1, Records: 5}, {Number: 2, Records: 1}},
		plan.Sources[0].Batches)
	for _, batch := range plan.Sources[0].Batches {
		loaded, err := run(t, &trial{}, (&Batches{Store: p.store}).LoadBatch,
			collection.LoadBatchInput{Submission: "s1", Source: "books", Number: batch.Number})
		require.NoError(t, err)
		require.Len(t, loaded.Records, batch.Records)
	}
}

// TestPlanLargestRow: the row that grows most on its way into a batch can be read again, and one byte more is refused.
func TestPlanLargestRow(t *testing.T) {
	const frame = `{"source":"api","sku":""}`
	// JSON for the web writes < as six bytes, and as seven where it is quoted once more, in the key.
	largest := strings.Repeat("<", int(intake.DefaultMaxRow)-len(frame))
	p := newPlanning(500)
	plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", ""+
		`{"source":"api","sku":"1"}`+"\n"+
		`{"source":"api","sku":"`+largest+`"}`+"\n"+
		`{"source":"api","sku":"`+largest+`x"}`+"\n"+
		`{"source":"api","sku":"2"}`+"\n"))
	_, rejected := p.stored(t, plan)
	require.Equal(t, []int{3}, lineNumbers(rejected))
	require.Equal(t, collection.ReasonRowMalformed, rejected[0].Reason)
	require.Equal(t, 3, plan.Accepted)

	var records []collection.Record
	for _, b := range plan.Sources[0].Batches {
		loaded, err := readBatch(t.Context(), p.store, "s1", "api", b.Number)
		require.NoError(t, err)
		records = append(records, loaded...)
	}
	require.Equal(t, 2, records[1].Line)
	whole, err := wholeRecord(t.Context(), p.store, records[1])
	require.NoError(t, err)
	var fields map[string]string
	require.NoError(t, json.Unmarshal(whole.Fields, &fields))
	require.Equal(t, largest, fields["sku"])
}

// interleaved is a file whose rows belong to all sources in turn, with some that are refused.
func interleaved(n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, `{"url":"https://books.example/%d","z":%d,"a":{"y":1,"x":2}}`+"\n", i, i)
		case 1:
			fmt.Fprintf(&b, `{"source":"api","sku":"%d"}`+"\n", i)
		case 2:
			fmt.Fprintf(&b, `{"url":"https://s%d.shop.example/"}`+"\n", i)
		case 3:
			fmt.Fprintf(&b, `{"url":"https://nobody.example/%d"}`+"\n", i)
		default:
			fmt.Fprintf(&b, `{"url":"https://books.example/%d"}`+"\n", i/2)
		}
	}
	return b.String()
}

// TestPlanIsDeterministic: two plans of the same file are the same objects, byte for byte.
func TestPlanIsDeterministic(t *testing.T) {
	dump := func() map[string]string {
		p := newPlanning(7)
		p.mustPlan(t, p.uploaded(t, "list.jsonl", interleaved(200)))
		return p.store.sums(t)
	}
	want := dump()
	require.Len(t, want, 28)
	for range 5 {
		require.Equal(t, want, dump())
	}
}

// TestPlanStoreFails: whichever call fails, and whether it was done or not, the plan says that it may heal, and running
// it again leaves the same objects as one undisturbed run.
func TestPlanStoreFails(t *testing.T) {
	clean := newPlanning(7)
	clean.mustPlan(t, clean.uploaded(t, "list.jsonl", interleaved(60)))
	want := clean.store.sums(t)
	for n := 1; n <= clean.store.count(); n++ {
		for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
			p := newPlanning(7)
			in := p.uploaded(t, "list.jsonl", interleaved(60))
			p.store.trouble = func(call int, op, _ string) trouble {
				if call != n || op == "Open" && failing.lose != nil {
					return trouble{}
				}
				return failing
			}
			if _, err := run(t, &trial{}, p.Plan, in); err != nil {
				requireTransient(t, err, collection.ReasonStoreUnavailable, errOutage.Error())
			} else {
				require.Contains(t, p.store.calls[n-1], "Open", "call %d, %s", n, name)
			}
			p.store.trouble = nil
			p.mustPlan(t, in)
			require.Equal(t, want, p.store.sums(t), "call %d, %s", n, name)
		}
	}
}

// TestPlanStreamBreaks: a store that stops in the middle of the file is not a file that is broken.
func TestPlanStreamBreaks(t *testing.T) {
	for name, body := range map[string]string{
		"list.csv": urls(9_000), "list.csv.gz": zipped(t, urls(9_000)), "list.jsonl": interleaved(4_000),
	} {
		for _, cut := range []int{1, 100, len(body) / 2, len(body) - 1} {
			p := newPlanning(500)
			in := p.uploaded(t, name, body)
			p.store.trouble = func(int, string, string) trouble { return trouble{cut: cut} }
			_, err := run(t, &trial{}, p.Plan, in)
			requireTransient(t, err, collection.ReasonStoreUnavailable, "read uploads/acme/s1/"+name[:4])
			require.False(t, p.store.called("Put plans/s1/plan.json"), "%s cut at %d", name, cut)
		}
	}
}

// TestPlanDenied: a store that knows us not is asked again after a minute, when somebody may have acted (O04).
func TestPlanDenied(t *testing.T) {
	p := newPlanning(10)
	in := p.uploaded(t, "list.csv", urls(3))
	p.store.trouble = func(int, string, string) trouble {
		return trouble{refuse: fmt.Errorf("get object: %w", collection.ErrStoreDenied)}
	}
	_, err := run(t, &trial{}, p.Plan, in)
	require.Equal(t, time.Minute, requireTransient(t, err, collection.ReasonStoreUnavailable, "denied access").after)
}

// TestPlanCounts: whatever the rows, every one is accounted for once: in exactly one batch, or among the rejected.
func TestPlanCounts(t *testing.T) {
	row := rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		return rapid.SampledFrom([]string{
			fmt.Sprintf(`{"url":"https://books.example/%d"}`, n),
			fmt.Sprintf(`{"URL":"HTTPS://books.example/%d#x","note":"%d"}`, n, n),
			fmt.Sprintf(`{"source":"api","sku":%d}`, n),
			fmt.Sprintf(`{"source":"shop","url":"https://a.shop.example/","key":%d}`, n),
			`{"url":"https://nobody.example/"}`, `{"source":"none"}`, `{}`, `{"url":`, `7`, `{"url":"x","Url":"y"}`,
		}).Draw(t, "row")
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(row, 1, 60).Draw(t, "rows")
		p := newPlanning(rapid.IntRange(1, 7).Draw(t, "batch"))
		plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", strings.Join(rows, "\n")))
		require.Equal(t, len(rows), plan.Expected)
		require.Equal(t, plan.Expected, plan.Accepted+plan.Rejected.Total())
		require.Len(t, p.metrics.ended, plan.Rejected.Total())

		batches, rejected := p.stored(t, plan)
		seen := lineNumbers(rejected)
		require.Len(t, rejected, plan.Rejected.Total())
		require.True(t, slices.IsSorted(seen))
		ids := map[string]bool{}
		for _, src := range plan.Sources {
			total := 0
			for i, b := range src.Batches {
				require.Len(t, batches[src.Source][i], b.Records)
				require.LessOrEqual(t, b.Records, p.BatchRecords)
				total += b.Records
				for _, r := range batches[src.Source][i] {
					require.False(t, ids[r.ID], "record %s is in two places", r.ID)
					ids[r.ID] = true
					seen = append(seen, r.Line)
				}
			}
			require.Equal(t, src.Records, total)
		}
		require.Len(t, ids, plan.Accepted)
		slices.Sort(seen)
		for i, line := range seen {
			require.Equal(t, i+1, line, "every line is in exactly one place")
		}
	})
}

// TestPlanTooManyBatches: what one workflow could not follow is refused with what to do.
func TestPlanTooManyBatches(t *testing.T) {
	p := newPlanning(1)
	_, err := run(t, &trial{}, p.Plan, p.uploaded(t, "list.csv", urls(maxBatches+1)))
	requireFinal(t, err, collection.ReasonSubmissionInvalid)
	require.ErrorContains(t, err, "raise worker.batch_records")
	p = newPlanning(2)
	p.mustPlan(t, p.uploaded(t, "list.csv", urls(maxBatches+1)))
}
