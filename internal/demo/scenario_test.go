package demo

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/demo/site"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/internal/urlkey"
)

// address makes URLs as a site on port 1234 would.
func address(host, path string) string { return "http://" + host + ":1234" + path }

// testConfig loads the demo's configuration with addresses at which nothing is.
func testConfig(t *testing.T) (config.Config, folder) {
	t.Helper()
	f, err := openFolder(t.TempDir() + "/a folder with \"quotes\"")
	require.NoError(t, err)
	cfg, err := loadConfig(f, configValues{
		Folder: f.path, Temporal: "127.0.0.1:1", Namespace: "default", S3: "http://127.0.0.1:2", Region: "us-east-1", Bucket: "weir",
		AccessKeyFile: f.file("a"), SecretKeyFile: f.file("s"), ShopHost: site.ShopHost, StockHost: site.StockHost,
		StockURL: address(site.StockHost, "/api/items/{sku}"), ShopCeiling: shopCeiling, StockCeiling: stockCeiling,
	})
	require.NoError(t, err)
	return cfg, f
}

func TestConfig(t *testing.T) {
	t.Parallel()
	cfg, f := testConfig(t)
	require.Equal(t, "file:"+f.file("s"), cfg.S3.SecretKey.String(), "a folder may be called anything")
	require.Equal(t, "127.0.0.1:1", cfg.Temporal.Address)
	require.Empty(t, cfg.Worker.MetricsAddress, "a demo takes no port that somebody may need")
	written, err := os.ReadFile(f.file(config.FileName))
	require.NoError(t, err)
	require.Contains(t, string(written), "name: shop")
	_, ok := cfg.Customer(customerName)
	require.True(t, ok)
	for name, ceiling := range map[string]int{sourceShop: shopCeiling, sourceStock: stockCeiling} {
		s, ok := cfg.Source(name)
		require.True(t, ok)
		require.Equal(t, ceiling, s.Ceiling)
		require.True(t, s.AllowPrivateAddresses)
	}
}

// TestHostsAreSources: loopback serves as two sources, since they are told apart by host and not by port.
func TestHostsAreSources(t *testing.T) {
	t.Parallel()
	cfg, _ := testConfig(t)
	for host, name := range map[string]string{site.ShopHost: sourceShop, site.StockHost: sourceStock} {
		key, err := urlkey.Key(address(host, "/x"))
		require.NoError(t, err)
		require.Equal(t, address(host, "/x"), key, "the port stays in the key")
		bare, err := urlkey.Host(key)
		require.NoError(t, err)
		s, ok := cfg.SourceForHost(bare)
		require.True(t, ok)
		require.Equal(t, name, s.Name)
		require.True(t, s.Owns(bare))
	}
}

func TestScenarioIsWhole(t *testing.T) {
	t.Parallel()
	rows := scenario(address)
	require.Len(t, rows, 40)
	ends := map[collection.Outcome]int{}
	for i, r := range rows {
		require.Equal(t, i+2, r.line)
		require.NotEmpty(t, r.what)
		require.Equal(t, r.outcome == collection.OutcomeDelivered, r.reason == "", "line %d", r.line)
		ends[r.outcome]++
	}
	require.Equal(t, map[collection.Outcome]int{
		collection.OutcomeDelivered: 35, collection.OutcomeGone: 1, collection.OutcomeDeadLettered: 1,
		collection.OutcomeInvalid: 2, collection.OutcomeDuplicate: 1,
	}, ends)
	require.Equal(t, collection.ReasonRowMalformed, rows[lineMalformed-2].reason)
	require.Equal(t, collection.ReasonSourceUnknown, rows[lineUnknown-2].reason)
	require.Equal(t, collection.ReasonRowDuplicate, rows[lineDuplicate-2].reason)
}

// TestEveryBehaviourHasAFate, and every fate a row.
func TestEveryBehaviourHasAFate(t *testing.T) {
	t.Parallel()
	seen := map[site.Behaviour]bool{}
	for _, b := range site.Books() {
		require.Contains(t, fates, b.Behaviour)
		seen[b.Behaviour] = true
	}
	for _, i := range site.Items() {
		require.Contains(t, fates, i.Behaviour)
	}
	require.Len(t, seen, len(fates))
}

// TestSubmissionReadsAsMeant: the file is read line by line as the scenario says.
func TestSubmissionReadsAsMeant(t *testing.T) {
	t.Parallel()
	rows := scenario(address)
	content, err := writeCSV(rows)
	require.NoError(t, err)
	reader, err := intake.Open(bytes.NewReader(content), intake.Options{Name: "submission.csv"})
	require.NoError(t, err)
	require.Equal(t, columns, reader.Header())
	keys := map[string]int{}
	for _, want := range rows {
		got, err := reader.Next()
		if want.reason == collection.ReasonRowMalformed {
			var bad *intake.RowError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, want.line, bad.Line)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.line, got.Line)
		require.Equal(t, want.cells[2], got.Fields["sku"])
		address, _ := got.Fields["url"].(string)
		if address == "" {
			require.Equal(t, sourceStock, got.Fields["source"])
			continue
		}
		key, err := urlkey.Key(address)
		require.NoError(t, err)
		first, twice := keys[key]
		require.Equal(t, want.outcome == collection.OutcomeDuplicate, twice, "line %d and line %d", want.line, first)
		keys[key] = want.line
		_, err = url.Parse(address)
		require.NoError(t, err)
	}
	_, err = reader.Next()
	require.True(t, errors.Is(err, io.EOF))
}
