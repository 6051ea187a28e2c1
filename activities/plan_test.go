package activities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

func zipped(t require.TestingT, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// TestPlan: a whole plan of a file, and what stands in the store afterwards.
func TestPlan(t *testing.T) {
	p := newPlanning(2)
	in := p.uploaded(t, "list.csv", ""+
		"URL,colour\n"+
		"https://books.example/a,red\n"+
		"https://de.shop.example/1,\n"+
		"https://books.example/a,blue\n"+
		"https://books.example/b,\"green\n"+ // the quote is never closed
		"https://books.example/c,\n"+
		"https://nobody.example/,\n"+
		"https://books.example/d,\n")
	plan := p.mustPlan(t, in)
	require.Equal(t, collection.PlanResult{
		Submission: "s1", Customer: "acme", AcceptedAt: accepted, Expected: 7, Accepted: 4,
		Rejected: collection.Tally{
			{Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate, Records: 1},
			{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Records: 1},
			{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonSourceUnknown, Records: 1},
		},
		RejectedParts: 1,
		Sources: []collection.SourcePlan{
			{Source: "books", Records: 3, Batches: []collection.BatchPlan{{Number: 1, Records: 2}, {Number: 2, Records: 1}},
				Policy: configured.sources[0].Policy(p.HeartbeatTimeout)},
			{Source: "shop", Records: 1, Batches: []collection.BatchPlan{{Number: 1, Records: 1}},
				Policy: configured.sources[1].Policy(p.HeartbeatTimeout)},
		},
		Lane: collection.LaneNormal, Weight: 2.5,
		Content: &collection.Content{Upload: in.Request.Upload, SHA256: collection.Digest([]byte(p.store.text(t, in.Request.Upload)))},
	}, plan)

	objects := p.store.dump(t)
	require.ElementsMatch(t, []string{
		"uploads/acme/s1/list.csv", "plans/s1/plan.json", "plans/s1/index.bin", "plans/s1/rejected-00001.jsonl",
		"plans/s1/books/00001.jsonl", "plans/s1/books/00002.jsonl", "plans/s1/shop/00001.jsonl",
	}, keys(objects))
	var standing collection.PlanResult
	require.NoError(t, json.Unmarshal([]byte(objects["plans/s1/plan.json"]), &standing))
	require.Equal(t, plan, standing)
	require.Equal(t, ""+
		`{"id":"`+collection.RecordID("books", "https://books.example/a")+`","line":2,"key":"https://books.example/a",`+
		`"url":"https://books.example/a","fields":{"colour":"red"}}`+"\n"+
		`{"id":"`+collection.RecordID("books", "https://books.example/c")+`","line":6,"key":"https://books.example/c",`+
		`"url":"https://books.example/c","fields":{"colour":""}}`+"\n", objects["plans/s1/books/00001.jsonl"])
	require.Equal(t, []int{4, 5, 7}, lineNumbers(lines[collection.FailureRow](t, objects["plans/s1/rejected-00001.jsonl"])))
	require.Equal(t, "Put plans/s1/plan.json", p.store.calls[len(p.store.calls)-1], "the plan is written last")
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func lineNumbers(rows []collection.FailureRow) []int {
	var out []int
	for _, r := range rows {
		out = append(out, r.Line)
	}
	return out
}

// TestPlanFormats: the same rows as an upload of any form and inside the submission are the same records.
func TestPlanFormats(t *testing.T) {
	csv := "url,n\nhttps://books.example/a,1\nhttps://books.example/b,2\n"
	jsonl := `{"url":"https://books.example/a","n":"1"}` + "\n" + `{"url":"https://books.example/b","n":"2"}` + "\n"
	ids := func(p planning, plan collection.PlanResult) []string {
		batches, rejected := p.stored(t, plan)
		require.Empty(t, rejected)
		var out []string
		for _, r := range batches["books"][0] {
			out = append(out, r.ID+string(r.Fields))
		}
		return out
	}
	p := newPlanning(10)
	want := ids(p, p.mustPlan(t, p.uploaded(t, "a.csv", csv)))
	require.Len(t, want, 2)
	for name, body := range map[string]string{
		"a.csv.gz": zipped(t, csv), "a.jsonl": jsonl, "a.jsonl.gz": zipped(t, jsonl), "a": csv, "a.CSV": csv,
	} {
		p := newPlanning(10)
		require.Equal(t, want, ids(p, p.mustPlan(t, p.uploaded(t, name, body))), name)
	}
	p = newPlanning(10)
	in := p.uploaded(t, "a.txt", jsonl)
	in.Request.Format = "jsonl"
	require.Equal(t, want, ids(p, p.mustPlan(t, in)))
	p = newPlanning(10)
	require.Equal(t, want, ids(p, p.mustPlan(t, inline("{\n \"url\": \"https://books.example/a\",\n \"n\": \"1\"}",
		`{"url":"https://books.example/b","n":"2"}`))), "a record written over several lines is one row")
}

// TestPlanRefused: what is wrong with a submission as a whole is final, says what to do, and leaves no plan behind.
func TestPlanRefused(t *testing.T) {
	damaged := zipped(t, urls(20_000))
	damaged = damaged[:len(damaged)/2]
	for _, c := range []struct {
		name   string
		change func(p planning, in *collection.PlanInput)
		reason collection.Reason
		says   string
	}{
		{"no such file", func(_ planning, in *collection.PlanInput) { in.Request.Upload = "uploads/acme/s1/none.csv" },
			collection.ReasonUploadMissing, "uploads/acme/s1/none.csv"},
		{"another customer's file", func(p planning, in *collection.PlanInput) {
			p.store.set(t, "uploads/bulky/s1/list.csv", urls(1))
			in.Request.Upload = "uploads/bulky/s1/list.csv"
		}, collection.ReasonSubmissionInvalid, "must start with uploads/acme/"},
		{"a customer whose name begins alike", func(p planning, in *collection.PlanInput) {
			p.store.set(t, "uploads/acme2/s1/list.csv", urls(1))
			in.Request.Upload = "uploads/acme2/s1/list.csv"
		}, collection.ReasonSubmissionInvalid, "is not customer acme's"},
		{"anything in the bucket", func(p planning, in *collection.PlanInput) {
			p.store.set(t, "plans/other/plan.json", urls(1))
			in.Request.Upload = "plans/other/plan.json"
		}, collection.ReasonSubmissionInvalid, "is not customer acme's"},
		{"a key that stores read as another one", func(p planning, in *collection.PlanInput) {
			p.store.set(t, "uploads/bulky/x.csv", urls(1))
			in.Request.Upload = "uploads/acme/../bulky/x.csv"
		}, collection.ReasonSubmissionInvalid, `"uploads/acme/../bulky/x.csv" cannot be an upload`},
		{"a key without a name", func(_ planning, in *collection.PlanInput) { in.Request.Upload = "uploads/acme/" },
			collection.ReasonSubmissionInvalid, "cannot be an upload"},
		{"a key with an empty part", func(_ planning, in *collection.PlanInput) { in.Request.Upload = "uploads/acme/a//b" },
			collection.ReasonSubmissionInvalid, "no part between slashes that is empty"},
		{"unknown source", func(_ planning, in *collection.PlanInput) { in.Request.Source = "bokks" },
			collection.ReasonSourceUnknown, `source "bokks"`},
		{"damaged gzip", func(p planning, in *collection.PlanInput) { *in = p.uploaded(t, "list.csv.gz", damaged) },
			collection.ReasonUploadUnreadable, "uploads/acme/s1/list.csv.gz"},
		{"no gzip behind its first bytes", func(p planning, in *collection.PlanInput) {
			*in = p.uploaded(t, "list.csv.gz", "\x1f\x8b nonsense")
		}, collection.ReasonUploadUnreadable, "list.csv.gz"},
		{"ambiguous header", func(p planning, in *collection.PlanInput) {
			*in = p.uploaded(t, "list.csv", "url,url\nhttps://books.example/a,https://books.example/b\n")
		}, collection.ReasonUploadUnreadable, "list.csv"},
		{"empty file", func(p planning, in *collection.PlanInput) { *in = p.uploaded(t, "list.csv", "") },
			collection.ReasonUploadUnreadable, "the file is empty"},
		{"header only", func(p planning, in *collection.PlanInput) { *in = p.uploaded(t, "list.csv", "url,colour\n") },
			collection.ReasonSubmissionEmpty, "holds no rows"},
		{"empty JSON Lines", func(p planning, in *collection.PlanInput) { *in = p.uploaded(t, "list.jsonl", "\n\n") },
			collection.ReasonSubmissionEmpty, "holds no rows"},
		{"a standing plan that cannot be read", func(p planning, _ *collection.PlanInput) {
			p.store.set(t, "plans/s1/plan.json", "{")
		}, collection.ReasonInternal, "plans/s1/plan.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlanning(10)
			in := p.uploaded(t, "list.csv", urls(3))
			c.change(p, &in)
			_, err := run(t, &trial{}, p.Plan, in)
			requireFinal(t, err, c.reason, c.says)
			require.False(t, p.store.called("Put plans/s1/plan.json"))
		})
	}
}

func TestPlanInlineRecordsThatAreNoJSON(t *testing.T) {
	_, err := inlineRows(collection.SubmissionInput{Records: []json.RawMessage{json.RawMessage(`{}`), json.RawMessage(`{`)}})
	requireFinal(t, err, collection.ReasonSubmissionInvalid, "records[1] is not JSON")
}

// TestPlanLanes: a lane that stands above others is for those who may use it.
func TestPlanLanes(t *testing.T) {
	for _, c := range []struct {
		customer string
		asked    collection.Lane
		granted  collection.Lane
		note     string
	}{
		{"acme", "", collection.LaneNormal, ""},
		{"acme", collection.LaneNormal, collection.LaneNormal, ""},
		{"acme", collection.LaneUrgent, collection.LaneUrgent, ""},
		{"bulky", collection.LaneNormal, collection.LaneNormal, ""},
		{"bulky", collection.LaneUrgent, collection.LaneNormal,
			"lane urgent was asked for, but customer bulky may not use it: the submission runs in the normal lane"},
		{"acme", collection.LaneBulk, collection.LaneNormal,
			"lane bulk was asked for, but customer acme may not use it: the submission runs in the normal lane"},
	} {
		p := newPlanning(10)
		in := inline(`{"url":"https://books.example/a"}`)
		in.Request.Customer, in.Request.Lane = c.customer, c.asked
		plan := p.mustPlan(t, in)
		require.Equal(t, c.granted, plan.Lane, "%v", c)
		var notes []string
		if c.note != "" {
			notes = []string{c.note}
		}
		require.Equal(t, notes, plan.Notes)
		customer, _ := configured.Customer(c.customer)
		require.InDelta(t, customer.Weight, plan.Weight, 0)
	}
}

// TestPlanCancelled: somebody's wish is no failure of the store or the file.
func TestPlanCancelled(t *testing.T) {
	p := newPlanning(10)
	in := p.uploaded(t, "list.csv", urls(50))
	for n := 1; n <= 4; n++ {
		ctx, cancel := stoppable(t)
		p.store.calls = nil
		p.store.trouble = func(call int, _, _ string) trouble {
			if call == n {
				cancel(temporal.NewCanceledError())
			}
			return trouble{}
		}
		_, err := run(t, &trial{ctx: ctx}, p.Plan, in)
		requireCancelled(t, err)
	}
	p.store.trouble = nil
	require.Equal(t, 50, p.mustPlan(t, in).Accepted)
}

func TestPlanManyRejectedRows(t *testing.T) {
	p := newPlanning(10)
	plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", strings.Repeat("{\n", rejectedPart+3)))
	require.Equal(t, rejectedPart+3, plan.Expected)
	require.Equal(t, 2, plan.RejectedParts)
	require.Zero(t, plan.Accepted)
	require.Equal(t, []collection.SourcePlan{}, plan.Sources)
	_, rejected := p.stored(t, plan)
	require.Len(t, rejected, rejectedPart+3)
	require.Equal(t, rejectedPart+3, rejected[len(rejected)-1].Line)
	require.Len(t, p.metrics.ended, rejectedPart+3)
}

// TestPlanPolicy: what workflows must know of a source is fixed by the plan.
func TestPlanPolicy(t *testing.T) {
	p := newPlanning(10)
	plan := p.mustPlan(t, inline(`{"source":"api","sku":1}`))
	require.Equal(t, 9, plan.Sources[0].Policy.Window)
	require.Equal(t, fmt.Sprint(p.HeartbeatTimeout), plan.Sources[0].Policy.HeartbeatTimeout.String())
}
