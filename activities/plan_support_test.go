package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/urlkey"
)

// configured is the configuration of the plans in these tests: a source of pages, one with a wildcard, and one that
// builds its URL from the row.
var configured = directory{
	sources: []collection.Source{
		{Name: "books", Hosts: []string{"books.example", "127.0.0.1"}, Ceiling: 4, Prefetch: 2, GiveUpAfter: 24 * time.Hour},
		{Name: "shop", Hosts: []string{"*.shop.example"}, Ceiling: 1, GiveUpAfter: time.Hour},
		{Name: "api", Hosts: []string{"api.example"}, Ceiling: 2, Window: 9, Request: collection.Request{URL: "https://api.example/v1/{sku}"}},
	},
	customers: []collection.Customer{
		{Name: "acme", Weight: 2.5, Lanes: []collection.Lane{collection.LaneUrgent}},
		{Name: "bulky", Weight: 1},
	},
}

// buildable stands in for the building of a request: the template wants a sku, a page wants a URL.
func buildable(src collection.Source, rec collection.Record) error {
	if src.Request.URL == "" {
		_, err := urlkey.Key(rec.URL)
		return err
	}
	var fields map[string]any
	if err := json.Unmarshal(rec.Fields, &fields); err != nil || fields["sku"] == nil {
		return errors.New("the record has no field \"sku\", which the source's request needs")
	}
	return nil
}

// planning is a planner with what it needs.
type planning struct {
	*Planner
	store   *shaky
	metrics *ledgerOfMetrics
	fleet   *fleetOf
}

// fleetOf is what the owner of the ceilings says.
type fleetOf struct {
	rows  []lease.SourceView
	err   error
	asked int
}

func (f *fleetOf) Table(context.Context) ([]lease.SourceView, error) {
	f.asked++
	return f.rows, f.err
}

// collectedFrom is a source that workers collect from, or did before they were lost.
func collectedFrom(source string, lost ...bool) lease.SourceView {
	v := lease.SourceView{Source: source}
	for _, l := range lost {
		v.Workers = append(v.Workers, lease.WorkerView{Worker: "w", Lost: l})
	}
	return v
}

func newPlanning(batch int) planning {
	store, metrics, fleet := newShaky(), &ledgerOfMetrics{}, &fleetOf{}
	return planning{&Planner{
		Store: store, Directory: configured, CheckRequest: buildable, Metrics: metrics, BatchRecords: batch,
		HeartbeatTimeout: 20 * time.Second, Fleet: fleet,
	}, store, metrics, fleet}
}

// uploaded is a plan of a file that is there.
func (p planning) uploaded(t require.TestingT, name, body string) collection.PlanInput {
	key := collection.UploadKey("acme", "s1", name)
	p.store.set(t, key, body)
	return collection.PlanInput{
		Submission: "s1", AcceptedAt: accepted, Request: collection.SubmissionInput{Customer: "acme", Upload: key},
	}
}

// inline is a plan of records in the submission itself.
func inline(records ...string) collection.PlanInput {
	in := collection.PlanInput{Submission: "s1", AcceptedAt: accepted, Request: collection.SubmissionInput{Customer: "acme"}}
	for _, r := range records {
		in.Request.Records = append(in.Request.Records, json.RawMessage(r))
	}
	return in
}

func (p planning) mustPlan(t require.TestingT, in collection.PlanInput) collection.PlanResult {
	plan, err := run(t, &trial{}, p.Plan, in)
	require.NoError(t, err)
	return plan
}

// stored is what a plan left in the store: the records by source and batch, and the rejected rows.
func (p planning) stored(t require.TestingT, plan collection.PlanResult) (batches map[string][][]collection.Record, rejected []collection.FailureRow) {
	batches = map[string][][]collection.Record{}
	for _, src := range plan.Sources {
		for _, b := range src.Batches {
			body := p.store.text(t, collection.BatchKey(plan.Submission, src.Source, b.Number))
			batches[src.Source] = append(batches[src.Source], lines[collection.Record](t, body))
		}
	}
	for n := 1; n <= plan.RejectedParts; n++ {
		rejected = append(rejected, lines[collection.FailureRow](t, p.store.text(t, collection.RejectedKey(plan.Submission, n)))...)
	}
	return batches, rejected
}

// urls is a CSV file of n pages.
func urls(n int) string {
	var b strings.Builder
	b.WriteString("url\n")
	for i := range n {
		fmt.Fprintf(&b, "https://books.example/%d\n", i)
	}
	return b.String()
}

func BenchmarkPlan(b *testing.B) {
	body := urls(5_000)
	for b.Loop() {
		p := newPlanning(500)
		p.mustPlan(b, p.uploaded(b, "list.csv", body))
	}
}
