package activities

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// newTables is a submission of five delivered records, of which the third and the last have fields of their own, for a
// customer with a layout.
func newTables(t require.TestingT, l collection.PlannedLayout, ends ...end) *settling {
	s := newSettling(t, pages(5), append(ends, wasDelivered)...)
	s.lay(t, l)
	for i, fields := range []string{`{"title":"A"}`, `{"title":"B"}`, `{"title":"C","price":1.5}`, `{"title":"=1+1"}`, `{"other":{"x":1},"title":"E"}`} {
		s.rewrite(t, i, fields)
	}
	s.store.calls = nil
	return s
}

// lay gives the plan a layout.
func (s *settling) lay(t require.TestingT, l collection.PlannedLayout) {
	s.plan.Layout = &l
	body, err := json.Marshal(s.plan)
	require.NoError(t, err)
	s.store.set(t, collection.PlanKey("s1"), string(body))
}

// rewrite gives a delivered record other fields, and books it so.
func (s *settling) rewrite(t require.TestingT, i int, fields string) {
	r := s.records[i]
	body := fmt.Sprintf(`{"record":%q,"key":%q,"source":%q,"url":%q,"fetched_at":"2026-03-01T10:00:00Z","fields":%s}`, r.ID, r.Key, r.source, r.URL, fields)
	s.records[i].body = body
	s.store.set(t, r.deliveredKey(), body)
	rows := lines[collection.LedgerRow](t, s.store.text(t, r.ledgerKey()))
	for j := range rows {
		if d := rows[j].Delivered; d != nil && rows[j].Record == r.ID {
			d.SHA256, d.Size = collection.Digest([]byte(body)), int64(len(body))
		}
	}
	require.NoError(t, writeLedger(background, s.store, r.ledgerKey(), rows))
}

var csvLayout = collection.PlannedLayout{Layout: collection.Layout{Format: collection.FormatCSV, Name: "{customer}-{date}-{part}"}}

// TestSettleCSV: every part has the columns of the whole delivery.
func TestSettleCSV(t *testing.T) {
	s := newTables(t, csvLayout)
	_, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StateComplete, m.State)
	var rows [][]string
	for i, f := range m.Files {
		require.Equal(t, fmt.Sprintf("results/acme/s1/acme-2026-03-01-%05d.csv", i+1), f.Key)
		body := s.store.text(t, f.Key)
		require.Equal(t, f.SHA256, collection.Digest([]byte(body)))
		require.Equal(t, f.Size, int64(len(body)))
		part, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"record", "key", "source", "url", "fetched_at", "title", "price", "other"}, part[0])
		require.Len(t, part, f.Records+1)
		rows = append(rows, part[1:]...)
	}
	require.Len(t, m.Files, 3)
	for i, want := range [][]string{{"A", "", ""}, {"B", "", ""}, {"C", "1.5", ""}, {"'=1+1", "", ""}, {"E", "", `{"x":1}`}} {
		require.Equal(t, want, rows[i][5:])
		require.Equal(t, s.records[i].ID, rows[i][0])
	}
	require.Equal(t, s.records[3].body, splitLines(unzipped(t, s.store.text(t, collection.StagedKey("s1", 2))))[1], "staged to the byte")
}

func TestSettleParquet(t *testing.T) {
	s := newTables(t, collection.PlannedLayout{
		Layout: collection.Layout{Format: collection.FormatParquet, Records: 4, Columns: []string{"title", "price", "record"}},
		Types:  map[string]string{"price": "number"},
	})
	_, m := s.mustSettle(t, &trial{})
	require.Len(t, m.Files, 2)
	require.Equal(t, []int{4, 1}, []int{m.Files[0].Records, m.Files[1].Records}, "the layout's own bound")
	type row struct {
		Title  *string  `parquet:"title"`
		Price  *float64 `parquet:"price"`
		Record string   `parquet:"record"`
	}
	body := []byte(s.store.text(t, m.Files[0].Key))
	rows, err := parquet.Read[row](bytes.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	require.Len(t, rows, 4)
	require.Equal(t, "=1+1", *rows[3].Title, "no spreadsheet reads this: to the byte")
	require.Equal(t, 1.5, *rows[2].Price)
	require.Nil(t, rows[0].Price)
	require.Equal(t, s.records[2].ID, rows[2].Record)
}

// TestSettleLayoutBounds: a layout of JSON Lines has its own bounds and names, too.
func TestSettleLayoutBounds(t *testing.T) {
	s := newTables(t, collection.PlannedLayout{Layout: collection.Layout{Bytes: 1, Name: "{submission}.{part}"}})
	_, m := s.mustSettle(t, &trial{})
	require.Len(t, m.Files, 5)
	require.Equal(t, "s1.00005.jsonl.gz", m.Files[4].Name)
	require.Equal(t, s.records[4].body, strings.TrimSuffix(unzipped(t, s.store.text(t, m.Files[4].Key)), "\n"))
}

// TestSettleTablesCrash: whichever call fails, the next attempt makes the same delivery.
func TestSettleTablesCrash(t *testing.T) {
	for _, format := range []string{collection.FormatCSV, collection.FormatParquet} {
		l := collection.PlannedLayout{Layout: collection.Layout{Format: format}}
		clean := newTables(t, l, wasDelivered, wasEmpty)
		clean.mustSettle(t, &trial{})
		want, calls := clean.store.sums(t), clean.store.count()
		for n := 1; n <= calls; n++ {
			for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
				s := newTables(t, l, wasDelivered, wasEmpty)
				s.store.trouble = func(call int, _, _ string) trouble {
					if call == n {
						return failing
					}
					return trouble{}
				}
				tr := &trial{number: 1}
				_, err := s.settle(t, tr)
				requireTransient(t, err, collection.ReasonStoreUnavailable)
				s.store.trouble = nil
				s.mustSettle(t, tr.next(t))
				require.Equal(t, want, s.store.sums(t), "%s, call %d, %s", format, n, name)
			}
		}
	}
}

// TestSettleStagedLost: what an attempt relies on and does not find is staged again.
func TestSettleStagedLost(t *testing.T) {
	for name, harm := range map[string]func(*settling){
		"deleted": func(s *settling) { s.store.remove(collection.StagedKey("s1", 1)) },
		"other":   func(s *settling) { s.store.set(t, collection.StagedKey("s1", 1), "x") },
	} {
		s := newTables(t, csvLayout)
		s.store.trouble = failOnce("Create results/acme/s1/acme-2026-03-01-00001.csv", trouble{refuse: errOutage})
		tr := &trial{number: 1}
		_, err := s.settle(t, tr)
		require.Error(t, err)
		harm(s)
		tr = tr.next(t)
		require.NotNil(t, tr.before.(collection.AttemptProgress).Settle)
		_, err = s.settle(t, tr)
		requireTransient(t, err, collection.ReasonStoreUnavailable, "staged/s1/00001")
		tr = tr.next(t)
		require.Nil(t, tr.before.(collection.AttemptProgress).Settle, name)
		_, m := s.mustSettle(t, tr)
		require.Equal(t, collection.StateComplete, m.State)
	}
}

// TestSettleUnreadableDocument: a document that no table can show is a failure with a reason, and the others are delivered.
func TestSettleUnreadableDocument(t *testing.T) {
	s := newTables(t, csvLayout)
	s.rewrite(t, 1, `3`)
	_, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StatePartiallyFailed, m.State)
	require.Equal(t, 4, m.Outcomes.Of(collection.OutcomeDelivered))
	failures := lines[collection.FailureRow](t, s.store.text(t, "results/acme/s1/failures.jsonl"))
	require.Len(t, failures, 1)
	require.Equal(t, collection.ReasonDeliveryConflict, failures[0].Reason)
	require.Contains(t, failures[0].Detail, "cannot be put into a table")
	require.Equal(t, s.records[1].ID, failures[0].Record)
}

// TestSettleNoTables: without delivered records there are no parts, and the manifest lists none.
func TestSettleNoTables(t *testing.T) {
	s := newSettling(t, pages(2), wasGone)
	s.lay(t, csvLayout)
	out, m := s.mustSettle(t, &trial{})
	require.Len(t, m.Files, 1)
	require.Equal(t, "failures.jsonl", m.Files[0].Name)
	require.Equal(t, collection.StateComplete, out.State)
}

func TestPlanDelivery(t *testing.T) {
	for name, c := range map[string]struct {
		customer collection.Customer
		layout   *collection.PlannedLayout
		ship     bool
	}{
		"nothing":     {collection.Customer{Name: "acme"}, nil, false},
		"destination": {collection.Customer{Name: "acme", Destination: collection.Destination{Bucket: "inbox", SecretKey: "env:SECRET"}}, nil, true},
		"csv":         {collection.Customer{Name: "acme", Layout: csvLayout.Layout}, &csvLayout, false},
		"parquet": {collection.Customer{Name: "acme", Layout: collection.Layout{Format: "parquet"}},
			&collection.PlannedLayout{Layout: collection.Layout{Format: "parquet"}, Types: map[string]string{
				"title": "string", "price": "any", "tags": "any", "stock": "integer"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlanning(2)
			p.Directory = directory{customers: []collection.Customer{c.customer}, sources: []collection.Source{
				{Name: "books", Hosts: []string{"books.example"}, Ceiling: 1,
					Parse: collection.Parse{Type: "html", Fields: []collection.Field{
						{Name: "title"}, {Name: "price", Type: "number"}, {Name: "tags", List: true}}},
					Methods: []collection.Method{{Name: "api", Parse: collection.Parse{Type: "json", Fields: []collection.Field{
						{Name: "price", Type: "string"}, {Name: "stock", Type: "integer"}}}}, {Name: "mirror"}}},
				{Name: "unused", Hosts: []string{"other.example"}, Parse: collection.Parse{Type: "html", Fields: []collection.Field{{Name: "x"}}}},
			}}
			plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", pages(1)))
			require.Equal(t, c.layout, plan.Layout)
			require.Equal(t, c.ship, plan.Ship)
			require.NotContains(t, p.store.text(t, collection.PlanKey("s1")), "SECRET", "credentials stay in the configuration")
		})
	}
}
