package activities

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// attempts of a plan, on the way through a roll-out and behind it.
var (
	firstAttempt = func() *trial { return &trial{started: accepted.Add(time.Second)} }
	// lateStart is a submission that had to wait for its first worker.
	lateStart = func() *trial { return &trial{started: accepted.Add(time.Hour)} }
	inTime    = func() *trial { return &trial{number: 50, started: accepted.Add(rolloutTime - time.Second)} }
	lastOne   = func() *trial { return &trial{number: rolloutAttempts, started: accepted.Add(rolloutTime)} }
)

// TestPlanOfAnUnknownCustomer: a worker that was not told of a customer yet does not fail its submissions.
func TestPlanOfAnUnknownCustomer(t *testing.T) {
	p := newPlanning(2)
	in := inline(`{"url":"https://books.example/a"}`)
	in.Request.Customer = "newcomer"
	for _, tr := range []*trial{firstAttempt(), lateStart(), inTime()} {
		_, err := run(t, tr, p.Plan, in)
		r := requireTransient(t, err, collection.ReasonLeaseLost, `customer "newcomer" is not in this worker's configuration; until 10m0s`)
		requireAround(t, 10*time.Second, r.after)
	}
	_, err := run(t, lastOne(), p.Plan, in)
	requireFinal(t, err, collection.ReasonCustomerUnknown, `customer "newcomer" is not in the configuration: add it under customers`)
	require.Empty(t, p.store.dump(t))

	p.Directory = directory{sources: configured.sources, customers: []collection.Customer{{Name: "newcomer"}}}
	require.Equal(t, 1, p.mustPlan(t, in).Accepted, "the worker that knows it takes over")
}

// TestPlanOfUnknownSources: rows are unknown when no worker knows better, and at once.
func TestPlanOfUnknownSources(t *testing.T) {
	rows := urls(3) + "https://new.example/1\nhttps://new.example/2\n"
	for name, fleet := range map[string]fleetOf{
		"nobody collects yet":               {err: fmt.Errorf("%w (not found)", ErrUnknownToEngine)},
		"all know the same":                 {rows: append(rowsOf("books", "shop"), collectedFrom("api"))},
		"more was collected from, and lost": {rows: append(rowsOf("books"), collectedFrom("new", true), collectedFrom("old"))},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlanning(2)
			*p.fleet = fleet
			plan, err := run(t, firstAttempt(), p.Plan, p.uploaded(t, "list.csv", rows))
			require.NoError(t, err)
			require.Equal(t, 2, plan.Rejected.Of(collection.OutcomeInvalid))
			require.Empty(t, plan.Notes)
			require.Equal(t, 1, p.fleet.asked, "once for all rows")
			in := inline(`{"sku":1}`)
			in.Submission, in.Request.Source = "s2", "new"
			_, err = run(t, firstAttempt(), p.Plan, in)
			requireFinal(t, err, collection.ReasonSourceUnknown, `source "new" is not in the configuration: add it under sources`)
		})
	}
}

// TestPlanInARollout: rows are not lost because a worker with an old configuration had the plan.
func TestPlanInARollout(t *testing.T) {
	rows := urls(3) + "https://new.example/1\nhttps://new.example/2\n"
	for name, c := range map[string]struct {
		fleet fleetOf
		says  string
	}{
		"others know more": {fleetOf{rows: append(rowsOf("books"), collectedFrom("new", true, false), collectedFrom("more", false))},
			"other workers collect from 2 sources that it does not know (more, new)"},
		"many more": {fleetOf{rows: rowsOf("n4", "n3", "n2", "n1")}, "4 sources that it does not know (n1, n2, n3, ...)"},
		"no answer": {fleetOf{err: errOutage}, "whether other workers know more sources cannot be asked: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlanning(2)
			*p.fleet = c.fleet
			in := p.uploaded(t, "list.csv", rows)
			single := inline(`{"sku":1}`)
			single.Submission, single.Request.Source = "s2", "new"
			for _, tr := range []func() *trial{firstAttempt, lateStart, inTime} {
				_, err := run(t, tr(), p.Plan, in)
				r := requireTransient(t, err, collection.ReasonLeaseLost, "line 5: no source owns the host new.example", c.says)
				requireAround(t, 10*time.Second, r.after)
				_, err = run(t, tr(), p.Plan, single)
				requireTransient(t, err, collection.ReasonLeaseLost, `source "new" is not in this worker's configuration`, c.says)
			}
			require.False(t, p.store.called("Put plans/s1/plan.json"))
			require.Empty(t, p.metrics.ended)

			_, err := run(t, lastOne(), p.Plan, single)
			requireFinal(t, err, collection.ReasonSourceUnknown)
			plan, err := run(t, lastOne(), p.Plan, in)
			require.NoError(t, err)
			require.Equal(t, 3, plan.Accepted)
			require.Equal(t, 2, plan.Rejected.Of(collection.OutcomeInvalid))
			require.Len(t, plan.Notes, 1)
			require.Contains(t, plan.Notes[0], "2 rows of unknown sources were refused, and another worker might have known them: ")
			require.Contains(t, plan.Notes[0], c.says)
		})
	}
}

// TestPlanTakenOver: what the worker with the old configuration has written on the way is no part of the plan.
func TestPlanTakenOver(t *testing.T) {
	p := newPlanning(2)
	p.fleet.rows = rowsOf("new")
	in := p.uploaded(t, "list.csv", urls(3)+"https://new.example/1\n")
	_, err := run(t, firstAttempt(), p.Plan, in)
	requireTransient(t, err, collection.ReasonLeaseLost)
	p.Directory = directory{customers: configured.customers, sources: append([]collection.Source{
		{Name: "new", Hosts: []string{"new.example"}, Ceiling: 1, GiveUpAfter: time.Hour}}, configured.sources...)}
	plan := p.mustPlan(t, in)
	require.Equal(t, 4, plan.Accepted)
	require.Empty(t, plan.Rejected)
	batches, rejected := p.stored(t, plan)
	require.Empty(t, rejected)
	require.Len(t, batches["new"][0], 1)
	require.Len(t, batches["books"], 2)
}

// rowsOf are sources with a worker each.
func rowsOf(sources ...string) []lease.SourceView {
	var rows []lease.SourceView
	for _, s := range sources {
		rows = append(rows, collectedFrom(s, false))
	}
	return rows
}
