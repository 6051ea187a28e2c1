package activities

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/quality"
)

// breaches are what the metrics were told.
type breaches struct {
	mu   sync.Mutex
	told []string
}

func (b *breaches) Breached(source string, check collection.QualityKind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, source+" "+string(check))
}

const historyOfBooks = "checks/books/history.json"

// checking is a settling of 40 pages whose source has rules, and a history of three good submissions.
func checking(t testing.TB, rules collection.QualityRules, ends ...end) (*settling, *breaches) {
	s, metrics := newSettling(t, pages(40), ends...), &breaches{}
	s.PartRecords = 100
	s.Checks = QualityChecks{Metrics: metrics, Source: func(name string) (collection.Source, bool) {
		return collection.Source{Name: name, Checks: rules, Parse: collection.Parse{Type: "html",
			Fields: []collection.Field{{Name: "price"}, {Name: "title"}}}}, name == "books"
	}}
	for n := range 3 {
		s.remember(t, earlier(n))
	}
	return s, metrics
}

// earlier is a submission of 200 good records, so many days before.
func earlier(n int) collection.QualityEntry {
	return collection.QualityEntry{Fields: []string{"price", "title"}, QualityCounts: collection.QualityCounts{
		Source: "books", Submission: fmt.Sprint("before-", n), AcceptedAt: accepted.AddDate(0, 0, -10+n), Records: 200, Completed: 200, Stored: 200,
	}}
}

// remember enters another submission past the trouble.
func (s *settling) remember(t testing.TB, e collection.QualityEntry) {
	require.NoError(t, remember(background, s.store.Store, e))
}

// lack makes the first n records lack a field.
func (s *settling) lack(t testing.TB, field string, n int) {
	for _, r := range s.records[:n] {
		rows := s.ledgerOf(t, r)
		for i := range rows {
			if rows[i].Record == r.ID {
				rows[i].Missing = append(rows[i].Missing, field)
			}
		}
		require.NoError(t, writeLedger(background, s.store.Store, r.ledgerKey(), rows))
	}
}

func (s *settling) history(t testing.TB) collection.QualityHistory {
	var h collection.QualityHistory
	require.NoError(t, json.Unmarshal([]byte(s.store.text(t, historyOfBooks)), &h))
	return h
}

// reports are the keys of the reports that stand.
func (s *settling) reports(t testing.TB) []string {
	var keys []string
	for key := range s.store.dump(t) {
		if strings.HasPrefix(key, "ledger/s1/checks-") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// verdicts are the checks as short texts.
func verdicts(checks []collection.QualityCheck) []string {
	var texts []string
	for _, c := range checks {
		texts = append(texts, strings.TrimSpace(fmt.Sprint(c.Check, " ", c.Field))+": "+string(c.Result))
	}
	return texts
}

func TestSettleChecks(t *testing.T) {
	s, metrics := checking(t, collection.QualityRules{MaxMissing: []collection.FieldLimit{{Field: "title", Share: "1%"}}}, wasDelivered)
	s.lack(t, "price", 30)
	s.lack(t, "title", 1)
	out, m := s.mustSettle(t, &trial{})
	require.Equal(t, []string{"stored: ok", "empty: ok", "invalid: ok", "duplicates: ok", "missing title: ok", "missing_rise price: breach", "missing_rise title: ok"},
		verdicts(m.Checks))
	require.Equal(t, 1, m.Breaches)
	require.Equal(t, collection.Breaches(m.Checks), out.Breaches)
	require.Equal(t, `30 of 40 documents lack "price" (75%); 0% did in recent submissions, and up to 10% may`, out.Breaches[0].Detail)
	require.Equal(t, collection.StateComplete, out.State, "a breach changes no state")
	require.Equal(t, []string{"books missing_rise"}, metrics.told)

	h := s.history(t)
	require.Len(t, h.Submissions, 4)
	require.Equal(t, collection.QualityEntry{Fields: []string{"price", "title"}, Breached: []string{"price"}, QualityCounts: collection.QualityCounts{
		Source: "books", Submission: "s1", AcceptedAt: accepted, Records: 40, Completed: 40, Stored: 40, Missing: map[string]int{"price": 30, "title": 1},
	}}, h.Submissions[3])

	s.mustSettle(t, &trial{})
	require.Len(t, metrics.told, 1, "settling again is no other breach")
	require.Len(t, s.reports(t), 1)
}

func TestSettleChecksParses(t *testing.T) {
	ends := append(slices.Repeat([]end{wasEmpty}, 12), wasDelivered)
	s, metrics := checking(t, collection.QualityRules{}, ends...)
	_, m := s.mustSettle(t, &trial{})
	require.Equal(t, []string{"stored: ok", "empty: breach", "invalid: ok", "duplicates: ok"}, verdicts(m.Checks))
	require.Equal(t, []string{"books empty"}, metrics.told)

	tolerant, metrics := checking(t, collection.QualityRules{MaxEmpty: "30%"}, ends...)
	_, m = tolerant.mustSettle(t, &trial{})
	require.Zero(t, m.Breaches)
	require.Empty(t, metrics.told)
}

// TestSettleChecksStored: what is called delivered and is not there is a breach besides being a failure (M01).
func TestSettleChecksStored(t *testing.T) {
	s, _ := checking(t, collection.QualityRules{}, wasDelivered)
	s.lack(t, "price", 2)
	s.store.remove(s.records[1].deliveredKey())
	out, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StatePartiallyFailed, out.State)
	require.Equal(t, "stored: breach", verdicts(m.Checks)[0])
	require.Equal(t, 1, m.Outcomes.Of(collection.OutcomeDeadLettered))
	own := s.history(t).Submissions[3]
	require.Equal(t, []int{40, 39, 1}, []int{own.Completed, own.Stored, own.Missing["price"]})
}

// TestSettleChecksDuplicates: rows that repeat belong to the source of the record that they repeat (M04).
func TestSettleChecksDuplicates(t *testing.T) {
	s := newSettling(t, pages(30)+pages(25)+"{\n", wasDelivered)
	_, m := s.mustSettle(t, &trial{})
	require.Equal(t, []string{"stored: ok", "empty: ok", "invalid: ok", "duplicates: breach"}, verdicts(m.Checks))
	require.Equal(t, "25 of 55 rows name a record that an earlier row names (45.45%); 20% may", m.Checks[3].Detail)
}

// TestSettleChecksCrash: whichever call fails, and whatever is settled meanwhile, checks that were once made are the same ever
// after, and neither submission is lost from the history.
func TestSettleChecksCrash(t *testing.T) {
	fresh := func() *settling {
		s, _ := checking(t, collection.QualityRules{}, wasDelivered)
		s.lack(t, "price", 20)
		s.store.calls = nil
		return s
	}
	clean := fresh()
	clean.mustSettle(t, &trial{})
	want, calls := clean.store.sums(t), clean.store.count()
	delete(want, historyOfBooks)
	meanwhile := earlier(5)
	meanwhile.Missing = map[string]int{"price": 200}

	made := 0
	for n := 1; n <= calls; n++ {
		for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
			s := fresh()
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
			before := len(s.reports(t))
			s.remember(t, meanwhile)
			_, m := s.mustSettle(t, tr.next(t))
			require.Len(t, s.history(t).Submissions, 5, "call %d, %s", n, name)
			if before == 0 {
				require.Zero(t, m.Breaches, "the other submission is among what it is held against now")
				continue
			}
			made++
			got := s.store.sums(t)
			delete(got, historyOfBooks)
			require.Equal(t, want, got, "call %d, %s", n, name)
		}
	}
	require.Greater(t, made, 8, "there are calls behind the checks")
}

// TestSettleChecksAgain: a delivery that is verified long after, when its source has other habits and other rules, keeps its
// manifest to the byte.
func TestSettleChecksAgain(t *testing.T) {
	s, _ := checking(t, collection.QualityRules{}, wasDelivered)
	s.lack(t, "price", 20)
	s.mustSettle(t, &trial{})
	want := s.store.text(t, "results/acme/s1/manifest.json")
	for n := range quality.MaxHistory + 10 {
		later := earlier(n)
		later.Submission, later.AcceptedAt = fmt.Sprintf("later-%02d", n), accepted.Add(time.Duration(n+1)*time.Hour)
		later.Missing = map[string]int{"price": 150}
		s.remember(t, later)
	}
	history := s.store.text(t, historyOfBooks)
	s.Checks = QualityChecks{}
	s.mustSettle(t, &trial{})
	require.Equal(t, want, s.store.text(t, "results/acme/s1/manifest.json"))
	require.Equal(t, history, s.store.text(t, historyOfBooks), "what is older than the history does not come into it again")
}

// TestSettleChecksOfOld: a delivery from before there were checks keeps its manifest when it is verified.
func TestSettleChecksOfOld(t *testing.T) {
	s, _ := checking(t, collection.QualityRules{}, wasDelivered)
	_, m := s.mustSettle(t, &trial{})
	m.Checks, m.Breaches = nil, 0
	old, err := json.MarshalIndent(m, "", "  ")
	require.NoError(t, err)
	s.store.set(t, "results/acme/s1/manifest.json", string(old))
	s.store.set(t, "results/acme/s1/manifest.sha256", string(sumOf("manifest.json", old)))
	_, m = s.mustSettle(t, &trial{})
	require.Empty(t, m.Checks)
	require.Zero(t, m.Generation)
	require.Equal(t, string(old), s.store.text(t, "results/acme/s1/manifest.json"))
}

// TestSettleChecksAfterReplay: other counts are checked anew, and stand in the history in the place of those before.
func TestSettleChecksAfterReplay(t *testing.T) {
	s, metrics := checking(t, collection.QualityRules{}, append(slices.Repeat([]end{wasEmpty}, 12), wasDelivered)...)
	first, _ := s.mustSettle(t, &trial{})
	require.Len(t, first.Breaches, 1)
	for _, r := range s.records[:12] {
		rows := s.ledgerOf(t, r)
		for i := range rows {
			if rows[i].Record == r.ID {
				rows[i] = s.ended(t, r.source, r.batch, r.Record, wasDelivered)
			}
		}
		require.NoError(t, writeLedger(background, s.store, r.ledgerKey(), rows))
	}
	second, m := s.mustSettle(t, &trial{})
	require.Empty(t, second.Breaches)
	require.Equal(t, 2, m.Generation)
	require.Len(t, s.reports(t), 2)
	require.Len(t, metrics.told, 1)
	h := s.history(t)
	require.Len(t, h.Submissions, 4)
	require.Equal(t, []int{40, 0}, []int{h.Submissions[3].Completed, h.Submissions[3].Empty})
}
