package config

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestValueProblems: values of the right kind that make no sense.
func TestValueProblems(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want []string
	}{
		"temporal": {
			"temporal:\n  address: https://temporal.example\n  namespace: a b\n  tls: {enabled: false, cert_file: c.pem}\n",
			[]string{
				`temporal.address = "https://temporal.example" (weir.yaml:2): write host:port, without a scheme`,
				`temporal.namespace = "a b" (weir.yaml:3): write the namespace without white space`,
				`temporal.tls.key_file (weir.yaml:4): a client certificate needs both cert_file and key_file: set this one too, or neither`,
				`temporal.tls.enabled = false (weir.yaml:4): TLS is off, but cert_file is set: set enabled to true, or take cert_file away`,
			},
		},
		"addresses": {
			"temporal: {address: 'temporal.example:0'}\nworker: {metrics_address: localhost}\n",
			[]string{
				`temporal.address = "temporal.example:0" (weir.yaml:1): write host:port with a port number of 1 to 65535`,
				`worker.metrics_address = "localhost" (weir.yaml:2): write host:port, an IPv6 address in brackets`,
			},
		},
		"certificate": {
			"temporal: {tls: {key_file: k.pem}}\n",
			[]string{`temporal.tls.cert_file (weir.yaml:1): a client certificate needs both cert_file and key_file: set this one too, or neither`},
		},
		"s3": {
			"s3:\n  endpoint: localhost:9000\n  region: \"\"\n  bucket: ../etc\n  access_key: env:A\n",
			[]string{
				`s3.secret_key (weir.yaml:1): access_key and secret_key belong together: set this one too, or neither`,
				`s3.endpoint = "localhost:9000" (weir.yaml:2): write the service's URL without a path, for instance https://s3.example.com:9000, or nothing for AWS`,
				`s3.region = "" (weir.yaml:3): write a region, for instance us-east-1, even where the service ignores it`,
				`s3.bucket = "../etc" (weir.yaml:4): write the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens`,
			},
		},
		"endpoint": {
			"s3:\n  secret_key: env:A\n  endpoint: https://u:p@s3.example\n",
			[]string{
				`s3.access_key (weir.yaml:1): access_key and secret_key belong together: set this one too, or neither`,
				`s3.endpoint (weir.yaml:3): write the address without user and password: keys belong into access_key and secret_key`,
			},
		},
		"worker": {
			"worker:\n  heartbeat_timeout: 1s\n  max_collects: 0\n  parse_slots: -1\n  deliver_slots: 10001\n" +
				"  batch_records: 501\n  log_format: xml\n  log_level: INFO\n  shutdown_grace: 11m\n  metrics_address: http://x:1\n",
			[]string{
				`worker.heartbeat_timeout = 1s (weir.yaml:2): use 2s to 5m`,
				`worker.max_collects = 0 (weir.yaml:3): use 1 to 10000`,
				`worker.parse_slots = -1 (weir.yaml:4): use 1 to 1024`,
				`worker.deliver_slots = 10001 (weir.yaml:5): use 1 to 10000`,
				`worker.batch_records = 501 (weir.yaml:6): use 1 to 500`,
				`worker.log_format = "xml" (weir.yaml:7): use text or json`,
				`worker.log_level = "INFO" (weir.yaml:8): use debug, info, warn or error`,
				`worker.shutdown_grace = 11m (weir.yaml:9): use 1s to 10m`,
				`worker.metrics_address = "http://x:1" (weir.yaml:10): write host:port, without a scheme`,
			},
		},
		"fleet": {
			"fleet:\n  lease_ttl: 2s\n",
			[]string{`fleet.lease_ttl = 2s (weir.yaml:2): use 3s to 5m`},
		},
		"user agent": {
			"user_agent: \" \"\n",
			[]string{`user_agent = " " (weir.yaml:1): name yourself and a contact, for instance example-bot/1.0 (+https://example.com/bot)`},
		},
		"user agent with a line break": {
			"user_agent: \"bot\\r\\nX: y\"\n",
			[]string{`user_agent = "bot\r\nX: y" (weir.yaml:1): write the value in one line, without control characters`},
		},
		"user agent without a name": {
			"user_agent: \"007 (+https://example.com/bot)\"\n",
			[]string{`user_agent = "007 (+https://example.com/bot)" (weir.yaml:1): begin with a name of letters, digits, - and _, by which a robots.txt can address you, for instance example-bot/1.0 (+https://example.com/bot)`},
		},
		"customers": {
			"customers:\n  - weight: .nan\n  - {name: Acme, weight: 1001}\n  - {name: b, lanes: [normal, fast, normal]}\n" +
				"  - {name: b, lanes: []}\n",
			[]string{
				`customers[0].weight = ".nan" (weir.yaml:2): write a number`,
				`customers[0].name (weir.yaml:2): give every customer a name`,
				`customers[1].name (weir.yaml:3): customer "Acme": use 1 to 63 lower-case letters, digits, - or _, starting with a letter or digit`,
				`customers[1].weight = 1001 (weir.yaml:3): use 0.001 to 1000`,
				`customers[2].lanes[1] = "fast" (weir.yaml:4): use urgent, normal or bulk`,
				`customers[2].lanes[2] = "normal" (weir.yaml:4): this lane is listed twice: keep one`,
				`customers[3].name = "b" (weir.yaml:5): customers[2] has the same name: give each its own`,
				`customers[3].lanes (weir.yaml:5): list at least one lane: urgent, normal or bulk`,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := loadText(test.text)
			requireProblems(t, err, test.want...)
		})
	}
}

// TestBounds sets every bounded key to its bounds and just past them.
func TestBounds(t *testing.T) {
	t.Parallel()
	tests := []struct{ key, low, below, high, above string }{
		{"ceiling", "1", "0", "10000", "10001"},
		{"pace", "0", "-1", "10000", "10001"},
		{"burst", "1", "0", "1000", "1001"},
		{"prefetch", "0", "-1", "64", "65"},
		{"window", "0", "-1", "2000", "2001"},
		{"timeout", "100ms", "99ms", "1h", "1h0m1s"},
		{"attempts", "1", "0", "100", "101"},
		{"fallback_after", "0", "-1", "0", "101"},
		{"give_up_after", "30s", "29s", "720h", "720h0m1s"},
		{"max_body", "1KiB", "1023", "1GiB", "1073741825"},
	}
	for _, test := range tests {
		for _, value := range []string{test.low, test.high} {
			_, err := loadText(sourceWith(test.key + ": " + value))
			require.NoError(t, err, "%s: %s", test.key, value)
		}
		for _, value := range []string{test.below, test.above} {
			_, err := loadText(sourceWith(test.key + ": " + value))
			require.ErrorContains(t, err, "sources[0]."+test.key+" = "+value+" (weir.yaml:6): use ", "%s: %s", test.key, value)
		}
	}
}

func TestValidateNeedsNoFile(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(minimal)
	require.NoError(t, err)
	require.NoError(t, cfg.Validate())

	cfg.Worker.ShutdownGrace = 0
	cfg.Customers[0].Weight = math.NaN()
	requireProblems(t, cfg.Validate(), `worker.shutdown_grace = 0s: use 1s to 10m`, `customers[0].weight = NaN: use 0.001 to 1000`)

	cfg.Worker.ShutdownGrace = time.Second
	require.EqualError(t, cfg.Validate(), `configuration: customers[0].weight = NaN: use 0.001 to 1000`)
}

func TestWantsTLS(t *testing.T) {
	t.Parallel()
	on, off := true, false
	key := mustSecret(t, "env:KEY")
	tests := map[string]struct {
		temporal Temporal
		want     bool
	}{
		"nothing set":     {Temporal{}, false},
		"on":              {Temporal{TLS: TLS{Enabled: &on}}, true},
		"off despite key": {Temporal{APIKey: key, TLS: TLS{Enabled: &off}}, false},
		"api key":         {Temporal{APIKey: key}, true},
		"certificate":     {Temporal{TLS: TLS{CertFile: "c", KeyFile: "k"}}, true},
		"key alone":       {Temporal{TLS: TLS{KeyFile: "k"}}, true},
		"authority":       {Temporal{TLS: TLS{CAFile: "c"}}, true},
		"server name":     {Temporal{TLS: TLS{ServerName: "n"}}, true},
	}
	for name, test := range tests {
		require.Equal(t, test.want, test.temporal.WantsTLS(), name)
	}
}

func TestLongValuesAreCut(t *testing.T) {
	t.Parallel()
	_, err := loadText("s3: {bucket: " + strings.Repeat("ä", 1000) + "}")
	require.ErrorContains(t, err, `= "`+strings.Repeat("ä", 80)+`…" (`)
}
