package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// loadCustomer loads a configuration with one customer that has these keys.
func loadCustomer(keys string) (collection.Customer, error) {
	head, _, _ := strings.Cut(minimal, "customers:")
	cfg, err := loadText(head + "\ncustomers:\n  - name: acme\n" + keys)
	if err != nil {
		return collection.Customer{}, err
	}
	return cfg.Customers[0], nil
}

func TestCustomerDelivery(t *testing.T) {
	t.Parallel()
	c, err := loadCustomer("")
	require.NoError(t, err)
	require.True(t, c.Layout.IsZero(), "what nobody asked for is as it was")
	require.True(t, c.Destination.IsZero())

	c, err = loadCustomer(`
    layout: {format: parquet, columns: [record, "price (EUR)"], records: 500, bytes: 8MiB, name: "{date}_{submission}.{part}"}
    destination: {endpoint: "https://s3.example", region: eu-central-1, bucket: inbox, prefix: in/weir/, path_style: true,
      access_key: "env:A", secret_key: "file:b", objects: true}`)
	require.NoError(t, err)
	require.Equal(t, collection.Layout{
		Format: "parquet", Columns: []string{"record", "price (EUR)"}, Records: 500, Bytes: 8 << 20, Name: "{date}_{submission}.{part}",
	}, c.Layout)
	require.Equal(t, collection.Destination{
		Endpoint: "https://s3.example", Region: "eu-central-1", Bucket: "inbox", Prefix: "in/weir/", PathStyle: true,
		AccessKey: "env:A", SecretKey: "file:b", Objects: true,
	}, c.Destination)
	require.Equal(t, "in/weir/s1/", c.Destination.Folder("s1"))
}

func TestCustomerDeliveryProblems(t *testing.T) {
	t.Parallel()
	const bucket = "region: r, bucket: inbox, "
	for keys, want := range map[string]string{
		`layout: {format: xml}`:                                                       "layout.format",
		`layout: {columns: [a]}`:                                                      "JSON Lines have no columns",
		`layout: {format: csv, columns: [a, b, a]}`:                                   "columns[2]",
		`layout: {format: csv, columns: [""]}`:                                        "columns[0]",
		`layout: {records: -1}`:                                                       "layout.records",
		`layout: {bytes: 10}`:                                                         "use 1KiB to 64MiB",
		`layout: {bytes: 1GiB}`:                                                       "layout.bytes",
		`layout: {name: results}`:                                                     "must hold {part}",
		`layout: {name: "a/{part}"}`:                                                  "layout.name",
		`layout: {name: ".{part}"}`:                                                   "layout.name",
		`layout: {name: "{part}{record}"}`:                                            "layout.name",
		`layout: {compression: none}`:                                                 "compression",
		`destination: {prefix: x/}`:                                                   "destination.bucket",
		`destination: {bucket: inbox}`:                                                "destination.region",
		`destination: {` + bucket + `access_key: "env:A"}`:                            "destination.secret_key",
		`destination: {` + bucket + `endpoint: "ftp://x"}`:                            "destination.endpoint",
		`destination: {` + bucket + `prefix: in}`:                                     "with a slash behind each",
		`destination: {` + bucket + `prefix: /in/}`:                                   "destination.prefix",
		`destination: {` + bucket + `prefix: "a/../b/"}`:                              "is called '.' or '..'",
		`destination: {` + bucket + `prefix: "./"}`:                                   "is called '.' or '..'",
		`destination: {` + bucket + `prefix: "a/./b/"}`:                               "is called '.' or '..'",
		`destination: {` + bucket + `prefix: "../in/"}`:                               "is called '.' or '..'",
		`destination: {` + bucket + `prefix: "a b/"}`:                                 "destination.prefix",
		`destination: {` + bucket + `endpoint: "http://u:hunter2@x"}`:                 "without user and password",
		`destination: {` + bucket + `access_key: hunter2, secret_key: "env:S"}`:       "not the secret itself",
		`destination: {` + bucket + `access_key: "env:S", secret_key: "AKIAhunter2"}`: "destination.secret_key",
	} {
		_, err := loadCustomer("    " + keys + "\n")
		require.ErrorContains(t, err, want, keys)
		require.ErrorContains(t, err, "customers[0]", keys)
		require.NotContains(t, err.Error(), "hunter2", keys)
	}
}

// TestDestinationIsWrittenBack as it was, and never with anything but references.
func TestDestinationIsWrittenBack(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(minimal + "    destination: {region: r, bucket: inbox, access_key: \"env:A\", secret_key: \"env:B\"}\n    layout: {format: csv}\n")
	require.NoError(t, err)
	out, err := cfg.YAML()
	require.NoError(t, err)
	again, err := loadText(string(out))
	require.NoError(t, err)
	require.Equal(t, cfg.Customers, again.Customers)

	cfg.Customers[0].Destination.SecretKey = "hunter2"
	_, err = cfg.YAML()
	require.ErrorContains(t, err, "customers[0].destination.secret_key")
	require.NotContains(t, err.Error(), "hunter2")
}

// TestPartNames: names are valid, differ from part to part, and are those of always without a layout.
func TestPartNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, collection.ResultsKey("acme", "s1", 7), collection.PartKey("acme", "s1", collection.Layout{}, noon, 7))
	for template, want := range map[string]string{
		"":                               "results-00012.csv",
		"{part}":                         "00012.csv",
		"{customer}.{submission}_{part}": "acme.s1_00012.csv",
		"{date}-{part}-{part}":           fmt.Sprintf("%s-00012-00012.csv", noon.Format("2006-01-02")),
	} {
		l := collection.Layout{Format: "csv", Name: template}
		if template != "" {
			require.NoError(t, collection.CheckPartName(template))
		}
		require.Equal(t, want, l.PartName("acme", "s1", noon, 12))
	}
	require.Error(t, collection.CheckPartName("{part}"+strings.Repeat("x", 80)))
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// TestTakesFor: a destination takes another customer's deliveries only where that stands in the configuration.
func TestTakesFor(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(minimal, "customers:")
	const destination = "    destination: {bucket: inbox, region: r}\n"
	for keys, want := range map[string]string{
		destination + "    takes_for: [initech]\n":         "",
		destination + "    takes_for: [acme]\n":            "a customer's own deliveries go there in any case: take it away",
		destination + "    takes_for: [initech, nobody]\n": "there is no such customer: name one of this list",
		"    takes_for: [initech]\n":                       "there is no destination that could take them: set destination, or take this away",
	} {
		cfg, err := loadText(head + "\ncustomers:\n  - name: initech\n  - name: acme\n" + keys)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.True(t, cfg.Customers[1].Takes("initech"))
		require.False(t, cfg.Customers[0].Takes("acme"))
		require.True(t, cfg.Customers[0].Takes("initech"))
	}
}
