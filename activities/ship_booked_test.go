package activities

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// shippedRecords are the records whose own objects are at the destination, in the order of the plan.
func (s *shipping) shippedRecords(t require.TestingT) []int {
	var records []int
	for i, p := range s.from.records {
		if _, there := s.to.dump(t)["in/s1/records/"+p.ID+".json"]; there {
			records = append(records, i)
		}
	}
	return records
}

// stage puts documents in the place of a staged part.
func (s *settling) stage(t require.TestingT, n int, documents ...string) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(strings.Join(documents, "\n") + "\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	s.store.set(t, collection.StagedKey("s1", n), packed.String())
}

// TestShipNothingOfASettlementThatFailed: one that has staged and then fails leaves other documents behind than those of the
// tables that stand, and as many. They are not shipped as what the manifest tells of.
func TestShipNothingOfASettlementThatFailed(t *testing.T) {
	from := newTables(t, csvLayout, wasDelivered, wasEmpty)
	from.store.remove(from.records[1].deliveredKey())
	s := newShipping(t, from, true)
	from.store.remove(from.records[0].deliveredKey()) // lost
	from.delivers(t, from.records[1], settledAt.Add(time.Minute))
	from.store.trouble = failOnce("Replace results/acme/s1/manifest.json", trouble{refuse: errOutage})
	_, err := from.settle(t, &trial{number: 1})
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	from.store.trouble = nil

	_, err = s.ship(t, &trial{}, shipInput)
	requireFinal(t, err, collection.ReasonDeliveryLost, "staged/s1/00001.jsonl.gz", "which the manifest counts as not delivered", "run weir redeliver s1")
	require.Empty(t, s.shippedRecords(t))
	require.NotContains(t, s.to.dump(t), "in/s1/manifest.json")

	from.mustSettle(t, &trial{})
	require.Equal(t, 4, s.mustShip(t, &trial{}).Objects)
	require.Equal(t, []int{1, 2, 3, 4}, s.shippedRecords(t))
}

// TestShipOnlyWhatIsBooked: a document is shipped as a record's object if it is what the ledger says was delivered.
func TestShipOnlyWhatIsBooked(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(t *testing.T, s *settling)
		says string
	}{
		"another content": {func(t *testing.T, s *settling) {
			s.stage(t, 1, s.records[0].body, strings.Replace(s.records[1].body, `"B"`, `"X"`, 1))
		}, "was delivered"},
		"a record twice": {func(t *testing.T, s *settling) { s.stage(t, 1, s.records[0].body, s.records[0].body) }, "no other delivery of record"},
		"a record of nowhere": {func(t *testing.T, s *settling) {
			s.stage(t, 1, s.records[0].body, strings.ReplaceAll(s.records[1].body, s.records[1].ID, strings.Repeat("0", 20)))
		}, "no other delivery of record 00000000000000000000"},
		"no document": {func(t *testing.T, s *settling) { s.stage(t, 1, s.records[0].body, "{}") }, "a line that is no document"},
		"no ledger":   {func(_ *testing.T, s *settling) { s.store.remove(s.records[2].ledgerKey()) }, "nothing tells what was delivered"},
		"never delivered": {func(t *testing.T, s *settling) {
			rows := lines[collection.LedgerRow](t, s.store.text(t, s.records[0].ledgerKey()))
			rows[0].Outcome, rows[0].Delivered = collection.OutcomeGone, nil
			require.NoError(t, writeLedger(background, s.store.Store, s.records[0].ledgerKey(), rows))
		}, "which the ledger has as gone"},
		"delivered in an earlier life": {func(t *testing.T, s *settling) {
			rows := lines[collection.LedgerRow](t, s.store.text(t, s.records[0].ledgerKey()))
			before := accepted.Add(-time.Hour)
			rows[0].AsOf = &before
			require.NoError(t, writeLedger(background, s.store.Store, s.records[0].ledgerKey(), rows))
		}, "no other delivery of record"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShipping(t, newTables(t, csvLayout), true)
			c.harm(t, s.from)
			_, err := s.ship(t, &trial{}, shipInput)
			requireFinal(t, err, collection.ReasonDeliveryLost, "is not in weir's bucket as it was settled", c.says)
			require.NotContains(t, s.to.dump(t), "in/s1/manifest.json")
		})
	}
}

// TestShipWhatWasLostSince: a delivery that was found lost in weir's bucket is in the tables that stand, and is shipped with them.
// A row that names a record twice is no failure of the record.
func TestShipWhatWasLostSince(t *testing.T) {
	from := newSettling(t, pages(3)+pages(1), wasDelivered)
	from.lay(t, csvLayout)
	s := newShipping(t, from, true)
	rows := lines[collection.LedgerRow](t, from.store.text(t, from.records[0].ledgerKey()))
	(lostRow{LostDelivery: collection.LostDelivery{Reason: collection.ReasonDeliveryLost}}).demote(&rows[0])
	require.NoError(t, writeLedger(background, from.store.Store, from.records[0].ledgerKey(), rows))
	require.Equal(t, 3, s.mustShip(t, &trial{}).Objects)
	require.Equal(t, []int{0, 1, 2}, s.shippedRecords(t))
}

// TestShipOfTablesGoesOn: a later attempt compares what is left, and reads no part of the ledger twice.
func TestShipOfTablesGoesOn(t *testing.T) {
	s := newShipping(t, newTables(t, csvLayout), true)
	third := "in/s1/records/" + s.from.records[2].ID + ".json"
	s.to.trouble = func(_ int, op, key string) trouble {
		if op == "Create" && key == third {
			return trouble{refuse: errOutage}
		}
		return trouble{}
	}
	tr := &trial{number: 1}
	_, err := s.ship(t, tr, shipInput)
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	s.to.trouble, s.from.store.calls = nil, nil
	require.Equal(t, 5, s.mustShip(t, tr.next(t)).Objects)
	require.Equal(t, []int{0, 1, 2, 3, 4}, s.shippedRecords(t))
	read := slices.DeleteFunc(slices.Clone(s.from.store.calls), func(c string) bool { return !strings.HasPrefix(c, "Get ledger/") })
	require.Equal(t, []string{"Get ledger/s1/books/00001.jsonl", "Get ledger/s1/books/00002.jsonl", "Get ledger/s1/books/00003.jsonl"}, read)
}
