package activities

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const manifestKey = "results/acme/s1/manifest.json"

// ends are n records that were delivered, but for those that ended otherwise.
func ends(n int, otherwise map[int]end) []end {
	all := slices.Repeat([]end{wasDelivered}, n)
	for i, e := range otherwise {
		all[i] = e
	}
	return all
}

// tableRows are the rows of a delivery's CSV files, each with its header before it.
func (s *settling) tableRows(t *testing.T, m collection.Manifest) [][]string {
	t.Helper()
	var rows [][]string
	for _, f := range m.Files {
		if !strings.HasSuffix(f.Name, ".csv") {
			continue
		}
		part, err := csv.NewReader(strings.NewReader(s.store.text(t, f.Key))).ReadAll()
		require.NoError(t, err)
		rows = append(rows, part...)
	}
	return rows
}

// C6 69: a formula in a value, and in the name of a field, is made harmless where a spreadsheet reads it, and delivered to
// the byte where programs do.
func TestFieldCaseC6x69FormulasAreHarmlessInCSVOnly(t *testing.T) {
	const fields = `{"=HYPERLINK(\"http://x\",\"y\")":1,"name":"=HYPERLINK(\"http://x\",\"y\")"}`
	formula := `=HYPERLINK("http://x","y")`

	s := newSettling(t, pages(1), wasDelivered)
	s.rewrite(t, 0, fields)
	_, m := s.mustSettle(t, &trial{})
	results, _ := s.results(t, m)
	require.Equal(t, []string{s.records[0].body}, results)
	require.Equal(t, formula, lines[collection.DeliveredDocument](t, results[0])[0].Fields["name"])

	s = newSettling(t, pages(1), wasDelivered)
	s.lay(t, csvLayout)
	s.rewrite(t, 0, fields)
	_, m = s.mustSettle(t, &trial{})
	rows := s.tableRows(t, m)
	require.Len(t, rows, 2)
	require.Equal(t, []string{"'" + formula, "name"}, rows[0][5:])
	require.Equal(t, []string{"1", "'" + formula}, rows[1][5:])
}

// C6 71: one item of three that cannot be written costs the other two nothing, and a delivery of no items is a valid one.
func TestFieldCaseC6x71OneBadItemAndNone(t *testing.T) {
	s := newSettling(t, pages(3), wasDelivered)
	s.lay(t, csvLayout)
	s.rewrite(t, 1, `"no object"`)
	_, m := s.mustSettle(t, &trial{})
	rows := slices.DeleteFunc(s.tableRows(t, m), func(row []string) bool { return row[0] == "record" })
	require.Len(t, rows, 2)
	require.Equal(t, []string{s.records[0].ID, s.records[2].ID}, []string{rows[0][0], rows[1][0]})
	failures := lines[collection.FailureRow](t, s.store.text(t, "results/acme/s1/failures.jsonl"))
	require.Len(t, failures, 1)
	require.Equal(t, s.records[1].ID, failures[0].Record)
	require.NotEmpty(t, failures[0].Reason)

	for name, layout := range map[string]*collection.PlannedLayout{"JSON Lines": nil, "CSV": &csvLayout} {
		s := newSettling(t, pages(2), wasGone)
		if layout != nil {
			s.lay(t, *layout)
		}
		out, m := s.mustSettle(t, &trial{})
		require.Equal(t, 2, out.Expected, name)
		results, failures := s.results(t, m)
		require.Empty(t, results, name)
		require.Len(t, failures, 2, name)
	}
}

// C6 72: three attempts that fail half-way deliver each of 100 rows once, and until one has succeeded there is no manifest,
// so nothing of theirs can be taken for a delivery.
func TestFieldCaseC6x72FailedAttemptsDeliverNothingTwice(t *testing.T) {
	const records = 100
	s := newSettling(t, pages(records), wasDelivered)
	s.PartRecords = 40
	tr := &trial{number: 1}
	for _, part := range []int{2, 3, 3} {
		fails := collection.ResultsKey("acme", "s1", part)
		s.store.trouble = failOnce("Create "+fails, trouble{refuse: errOutage})
		_, err := s.settle(t, tr)
		requireTransient(t, err, collection.ReasonStoreUnavailable)
		require.NotContains(t, s.store.dump(t), manifestKey)
		tr = tr.next(t)
	}
	s.store.trouble = nil
	out, m := s.mustSettle(t, tr)
	require.Equal(t, collection.StateComplete, out.State)
	results, failures := s.results(t, m)
	require.Len(t, results, records)
	require.Empty(t, failures)
	slices.Sort(results)
	require.Len(t, slices.Compact(results), records)
	named := 0
	for key := range s.store.dump(t) {
		if strings.HasPrefix(key, "results/acme/s1/results-") {
			named++
		}
	}
	require.Equal(t, 3, named, "no attempt has left another part behind")
}

// C6 77: what was submitted and is not there is a row with a reason each, and the submission is never called complete.
func TestFieldCaseC6x77WhatIsMissingIsAccountedFor(t *testing.T) {
	const submitted, missing = 300, 14
	s := newSettling(t, pages(submitted), wasDelivered)
	for i := range missing {
		s.store.remove(s.records[i*20].deliveredKey())
	}
	out, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StatePartiallyFailed, out.State)
	require.Equal(t, submitted, out.Expected)
	require.Equal(t, submitted-missing, out.Outcomes.Of(collection.OutcomeDelivered))
	results, failures := s.results(t, m)
	require.Len(t, results, submitted-missing)
	require.Len(t, failures, missing)
	for i, row := range lines[collection.FailureRow](t, strings.Join(failures, "\n")) {
		require.Equal(t, s.records[i*20].ID, row.Record)
		require.Equal(t, collection.ReasonDeliveryLost, row.Reason)
		require.NotEmpty(t, row.Detail)
	}
}

// C6 78: failures count. One record whose extraction fails is a submission of one record, and each of two among ten is told
// of by itself.
func TestFieldCaseC6x78FailuresAreCountedOneByOne(t *testing.T) {
	for _, c := range []struct {
		records int
		failed  map[int]end
	}{
		{1, map[int]end{0: wasEmpty}},
		{10, map[int]end{3: wasEmpty, 7: wasEmpty}},
	} {
		s := newSettling(t, pages(c.records), ends(c.records, c.failed)...)
		out, m := s.mustSettle(t, &trial{})
		require.Equal(t, collection.StatePartiallyFailed, out.State)
		require.Equal(t, c.records, out.Expected)
		require.Equal(t, len(c.failed), out.Outcomes.Of(collection.OutcomeDeadLettered))
		_, failures := s.results(t, m)
		var failed []int
		for _, row := range lines[collection.FailureRow](t, strings.Join(failures, "\n")) {
			require.Equal(t, collection.ReasonParseEmpty, row.Reason)
			failed = append(failed, row.Line-1)
		}
		require.Len(t, failed, len(c.failed))
		for _, i := range failed {
			require.Contains(t, c.failed, i)
		}
	}
}

// C7 87: of ten entries, one repeats an id and one can never be taken; both are reported, once. When the store fails in the
// middle, the next attempt writes what is missing, and no entry twice.
func TestFieldCaseC7x87EntriesAreTakenOnce(t *testing.T) {
	rows := splitLines(pages(10))
	rows[4] = rows[1]
	rows[7] = "{"
	for n := 1; n <= 6; n++ {
		for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
			p := newPlanning(3)
			in := p.uploaded(t, "list.jsonl", strings.Join(rows, "\n"))
			p.store.calls = nil
			writes := 0
			p.store.trouble = func(_ int, op, _ string) trouble {
				if op == "Put" || op == "Create" {
					if writes++; writes == n {
						return failing
					}
				}
				return trouble{}
			}
			first, err := run(t, &trial{}, p.Plan, in)
			plan := first
			if err != nil {
				requireTransient(t, err, collection.ReasonStoreUnavailable)
				plan, err = run(t, &trial{number: 2}, p.Plan, in)
				require.NoError(t, err)
			}
			what := fmt.Sprintf("write %d %s", n, name)
			require.Equal(t, 10, plan.Expected, what)
			require.Equal(t, 8, plan.Accepted, what)
			batches, rejected := p.stored(t, plan)
			var entries []int
			for _, batch := range batches["books"] {
				for _, r := range batch {
					entries = append(entries, r.Line)
				}
			}
			require.Equal(t, []int{1, 2, 3, 4, 6, 7, 9, 10}, entries, what)
			require.Len(t, rejected, 2, what)
			require.Equal(t, collection.ReasonRowDuplicate, rejected[0].Reason)
			require.Equal(t, collection.ReasonRowMalformed, rejected[1].Reason)
		}
	}
}

// C7 95: who picks up a settlement of which nearly all is done reads what is left of it, not all of it again.
func TestFieldCaseC7x95PickUpCostsWhatIsPending(t *testing.T) {
	const records, part = 400, 20
	s := newSettling(t, pages(records), wasDelivered)
	s.PartRecords = part
	last := collection.ResultsKey("acme", "s1", records/part)
	s.store.trouble = failOnce("Create "+last, trouble{refuse: errOutage})
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable)

	s.store.calls = nil
	out, m := s.mustSettle(t, tr.next(t))
	require.Equal(t, collection.StateComplete, out.State)
	require.Len(t, m.Files, records/part)
	read := 0
	for _, r := range s.records {
		if s.store.called("Get " + r.deliveredKey()) {
			read++
		}
	}
	require.Equal(t, part, read)
	for n := 1; n < records/part; n++ {
		require.False(t, s.store.called("Create "+collection.ResultsKey("acme", "s1", n)), "part %d stands", n)
	}
}
