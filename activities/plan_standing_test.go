package activities

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestPlanStands: a plan is made once; what has changed since changes nothing.
func TestPlanStands(t *testing.T) {
	p := newPlanning(2)
	in := p.uploaded(t, "list.csv", urls(5))
	first := p.mustPlan(t, in)
	again := p.uploaded(t, "copy of list.csv", urls(5))
	before := p.store.sums(t)
	ended := len(p.metrics.ended)

	again.AcceptedAt = accepted.AddDate(0, 0, 1)
	p.BatchRecords = 1
	require.Equal(t, first, p.mustPlan(t, again))
	require.Equal(t, before, p.store.sums(t))
	require.Len(t, p.metrics.ended, ended)

	p.store.remove(in.Request.Upload)
	require.Equal(t, first, p.mustPlan(t, in), "the file may have been tidied away since")
}

// TestPlanOfAnother: an id that was given to another submission collects neither of them.
func TestPlanOfAnother(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p planning, in *collection.PlanInput)
		says   string
	}{
		"another customer": {func(p planning, in *collection.PlanInput) {
			in.Request.Customer, in.Request.Upload = "bulky", "uploads/bulky/s1/other.csv"
			p.store.set(t, in.Request.Upload, urls(3))
		}, "it is customer acme's, not bulky's; give this one another id"},
		"a customer that nobody knows": {func(_ planning, in *collection.PlanInput) { in.Request.Customer = "nobody" }, "acme's, not nobody's"},
		"a corrected file":             {func(p planning, in *collection.PlanInput) { *in = p.uploaded(t, "better.csv", urls(4)) }, "uploads/acme/s1/better.csv"},
		"other bytes of that name":     {func(p planning, in *collection.PlanInput) { *in = p.uploaded(t, "list.csv", urls(4)) }, "it was made of uploads/acme/s1/list.csv (SHA-256 "},
		"a file that is not there":     {func(_ planning, in *collection.PlanInput) { in.Request.Upload = "uploads/acme/s1/none.csv" }, "not of uploads/acme/s1/none.csv"},
		"records":                      {func(_ planning, in *collection.PlanInput) { *in = inline(`{"url":"https://books.example/0"}`) }, "not of records within the submission"},
		"another default":              {func(_ planning, in *collection.PlanInput) { in.Request.Source = "books" }, "rows that name none is none, not books"},
		"another format":               {func(_ planning, in *collection.PlanInput) { in.Request.Format = "csv" }, "as none, not as csv"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlanning(2)
			in := p.uploaded(t, "list.csv", urls(3))
			p.mustPlan(t, in)
			c.change(p, &in)
			before := p.store.sums(t)
			_, err := run(t, &trial{}, p.Plan, in)
			requireFinal(t, err, collection.ReasonSubmissionInvalid, "the id s1 is of another submission already", c.says)
			require.Equal(t, before, p.store.sums(t))
		})
	}
}

// TestPlanOfRecordsStands: the same records are the same, however a client has written them.
func TestPlanOfRecordsStands(t *testing.T) {
	p := newPlanning(2)
	first := p.mustPlan(t, inline(`{"url":"https://books.example/?a=1&b=2"}`))
	require.Equal(t, first, p.mustPlan(t, inline("{ \"url\":\n\"https://books.example/?a=1\\u0026b=2\" }")))
	_, err := run(t, &trial{}, p.Plan, inline(`{"url":"https://books.example/?a=1&b=3"}`))
	requireFinal(t, err, collection.ReasonSubmissionInvalid, "the id s1 is of another submission already")
}

// TestPlanOfBeforeStands: plans that were made before they kept what they are of are compared by their customer.
func TestPlanOfBeforeStands(t *testing.T) {
	p := newPlanning(2)
	in := p.uploaded(t, "list.csv", urls(3))
	plan := p.mustPlan(t, in)
	plan.Content = nil
	body, err := json.Marshal(plan)
	require.NoError(t, err)
	p.store.set(t, "plans/s1/plan.json", string(body))
	p.store.calls = nil
	require.Equal(t, plan, p.mustPlan(t, p.uploaded(t, "other.csv", urls(2))))
	require.Equal(t, []string{"Get plans/s1/plan.json"}, p.store.calls)
	in.Request.Customer = "bulky"
	_, err = run(t, &trial{}, p.Plan, in)
	requireFinal(t, err, collection.ReasonSubmissionInvalid, "it is customer acme's, not bulky's")
}

// undigested is a store that keeps no digests of the files that others have uploaded to it.
type undigested struct{ *shaky }

func (u undigested) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	info, err := u.shaky.Head(ctx, key)
	info.SHA256 = ""
	return info, err
}

func (u undigested) Open(ctx context.Context, key string) (io.ReadCloser, collection.ObjectInfo, error) {
	body, info, err := u.shaky.Open(ctx, key)
	info.SHA256 = ""
	return body, info, err
}

// TestPlanWithoutDigests: what the store does not know is read.
func TestPlanWithoutDigests(t *testing.T) {
	for _, name := range []string{"list.csv", "list.csv.gz"} {
		p := newPlanning(500)
		p.Planner.Store = undigested{p.store}
		body := urls(2_000)
		if strings.HasSuffix(name, ".gz") {
			body = zipped(t, body)
		}
		in := p.uploaded(t, name, body)
		plan := p.mustPlan(t, in)
		require.Equal(t, collection.Digest([]byte(body)), plan.Content.SHA256)
		require.Equal(t, plan, p.mustPlan(t, in))
		require.Equal(t, plan, p.mustPlan(t, p.uploaded(t, "copy-"+name, body)))
		_, err := run(t, &trial{}, p.Plan, p.uploaded(t, name, urls(1)))
		requireFinal(t, err, collection.ReasonSubmissionInvalid, "SHA-256 "+plan.Content.SHA256[:12])

		p.store.trouble = func(_ int, op, _ string) trouble {
			if op == "Open" {
				return trouble{cut: 5}
			}
			return trouble{}
		}
		_, err = run(t, &trial{}, p.Plan, in)
		requireTransient(t, err, collection.ReasonStoreUnavailable, "read uploads/acme/s1/"+name)
	}
}

// TestPlanHashesWithHeartbeats: a large file takes longer than a worker may be silent.
func TestPlanHashesWithHeartbeats(t *testing.T) {
	p := newPlanning(500)
	in := p.uploaded(t, "list.csv", urls(1))
	p.mustPlan(t, in)
	tr := &trial{heartbeat: 3 * time.Millisecond}
	p.Planner.Store = slowlyRead{undigested{p.store}, tr}
	p.store.set(t, in.Request.Upload, strings.Repeat("x", slowPiece*4))
	_, err := run(t, tr, p.Plan, in)
	requireFinal(t, err, collection.ReasonSubmissionInvalid)
	requireBytesTold(t, tr, slowPiece, slowPiece*4)
}

// TestPlanStandsWithoutTheStore: a store that does not answer has not said that the file is another.
func TestPlanStandsWithoutTheStore(t *testing.T) {
	for _, broken := range []string{"Get", "Head", "Open"} {
		p := newPlanning(2)
		in := p.uploaded(t, "list.csv", urls(3))
		plan := p.mustPlan(t, in)
		if broken == "Open" {
			p.Planner.Store = undigested{p.store}
		}
		p.store.trouble = func(_ int, op, _ string) trouble {
			if op == broken {
				return trouble{refuse: errOutage}
			}
			return trouble{}
		}
		_, err := run(t, &trial{}, p.Plan, in)
		requireTransient(t, err, collection.ReasonStoreUnavailable)
		p.store.trouble = nil
		require.Equal(t, plan, p.mustPlan(t, in))
	}
}
