package activities

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const (
	firstFailures = "results/acme/s1/failures.jsonl"
	laterFailures = "results/acme/s1/failures.g3.jsonl"
)

// listedIn writes objects and lists them as a manifest does.
func listedIn(t *testing.T, store *shaky, bodies ...[2]string) []collection.ManifestFile {
	var files []collection.ManifestFile
	for _, b := range bodies {
		store.set(t, b[0], b[1])
		files = append(files, collection.ManifestFile{Key: b[0], SHA256: collection.Digest([]byte(b[1]))})
	}
	return files
}

// TestListedFailures: the failures are read in the order of the list, whatever generation they are of, and nothing else is.
func TestListedFailures(t *testing.T) {
	plan := collection.PlanResult{Submission: "s1", Customer: "acme"}
	part := [2]string{"results/acme/s1/results-00001.jsonl.gz", "no lines"}
	for name, c := range map[string]struct {
		bodies [][2]string
		want   []int
	}{
		"no files":             {},
		"no failures":          {[][2]string{part}, nil},
		"failures":             {[][2]string{part, {firstFailures, `{"line":2}` + "\n" + `{"line":1}` + "\n"}}, []int{2, 1}},
		"a later generation":   {[][2]string{{laterFailures, `{"line":4}` + "\n"}, part}, []int{4}},
		"another submission's": {[][2]string{{"results/acme/s2/failures.jsonl", "{"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			store := newShaky()
			rows, err := listedFailures(background, store, plan, listedIn(t, store, c.bodies...))
			require.NoError(t, err)
			var lines []int
			for _, row := range rows {
				lines = append(lines, row.Line)
			}
			require.Equal(t, c.want, lines)
			require.False(t, store.called("Get "+part[0]), "what holds no failures is not read")
		})
	}
}

// TestListedFailuresTellWhatIsWrong: each kind of harm has its own error, for who settles and who ships answer them differently.
func TestListedFailuresTellWhatIsWrong(t *testing.T) {
	const body = `{"line":1}` + "\n"
	plan := collection.PlanResult{Submission: "s1", Customer: "acme"}
	read := func(body string, harm func(store *shaky)) error {
		store := newShaky()
		files := listedIn(t, store, [2]string{firstFailures, body})
		harm(store)
		rows, err := listedFailures(background, store, plan, files)
		require.Empty(t, rows)
		return err
	}
	var other *notAsListed
	err := read(body, func(store *shaky) { store.remove(firstFailures) })
	require.ErrorAs(t, err, &other)
	require.Empty(t, other.got)
	require.EqualError(t, err, firstFailures+" is not there any more")

	err = read(body, func(store *shaky) { store.set(t, firstFailures, "{}\n") })
	require.ErrorAs(t, err, &other)
	require.Equal(t, collection.Digest([]byte("{}\n")), other.got)
	require.EqualError(t, err, firstFailures+" has SHA-256 "+other.got+", and the manifest says "+collection.Digest([]byte(body)))

	var damaged *damagedFailures
	err = read(body+"{", func(*shaky) {})
	require.ErrorAs(t, err, &damaged)
	require.ErrorContains(t, err, firstFailures+" is damaged in line 2")
	require.ErrorIs(t, err, damaged.cause)

	err = read(body, func(store *shaky) { store.trouble = failOnce("Get "+firstFailures, trouble{refuse: errOutage}) })
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read "+firstFailures)
}

// TestAsLost: only what weir's bucket does not hold as it was settled calls for another settlement.
func TestAsLost(t *testing.T) {
	file := collection.ManifestFile{Key: "k", SHA256: "ab"}
	requireFinal(t, asLost("s1", &notAsListed{file: file}), collection.ReasonDeliveryLost,
		"k is not in weir's bucket any more: run weir redeliver s1")
	requireFinal(t, asLost("s1", &notAsListed{file: file, got: "cd"}), collection.ReasonDeliveryLost,
		"k in weir's bucket has SHA-256 cd, and the manifest says ab: run weir redeliver s1")
	another := errors.New("another")
	require.Equal(t, another, asLost("s1", another))
	require.NoError(t, asLost("s1", nil))
}

// TestShipOfTablesReadsItsFailures: the failures are read once more when the records' own objects are compared with them, and may
// have gone or been changed since they were shipped themselves. What was settled so that it cannot be read, nobody has lost.
func TestShipOfTablesReadsItsFailures(t *testing.T) {
	const spoilt = `{"line":1}` + "\n{"
	for name, c := range map[string]struct {
		harm   func(store *shaky, d *delivery)
		reason collection.Reason
		says   string
	}{
		"gone": {func(store *shaky, _ *delivery) { store.remove(firstFailures) }, collection.ReasonDeliveryLost,
			" is not in weir's bucket any more"},
		"changed": {func(store *shaky, _ *delivery) { store.set(t, firstFailures, spoilt) }, collection.ReasonDeliveryLost,
			" in weir's bucket has SHA-256 " + collection.Digest([]byte(spoilt))},
		"damaged": {func(store *shaky, d *delivery) {
			d.manifest.Files = listedIn(t, store, [2]string{firstFailures, spoilt})
		},
			collection.ReasonInternal, " is damaged in line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShipping(t, newTables(t, csvLayout, wasDelivered, wasEmpty), true)
			d, err := s.readDelivery(background, shipInput)
			require.NoError(t, err)
			c.harm(s.from.store, d)
			booked, err := (&shipment{shipper: s.Shipper, delivery: d}).booked(background)
			requireFinal(t, err, c.reason, firstFailures+c.says)
			require.Nil(t, booked)
		})
	}
}
