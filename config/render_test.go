package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// TestRenderedConfigIsStable: whatever is in force, its YAML is read as the same, and written as the same again.
func TestRenderedConfigIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawn := drawConfig(t)
		text, err := drawn.YAML()
		if err != nil {
			t.Fatal(err)
		}
		first, err := loadText(string(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again, err := first.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(text) {
			t.Fatalf("first\n%s\nthen\n%s", text, again)
		}
		second, err := loadText(string(again))
		if err != nil {
			t.Fatal(err)
		}
		require.Equal(t, first, second)
		first.dir, first.schemas, first.index = "", nil, nil
		require.Equal(t, drawn, first)
	})
}

func TestRenderDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Options{CPUs: 2, Version: "1"})
	require.NoError(t, err)
	text, err := cfg.YAML()
	require.NoError(t, err)
	require.Equal(t, `s3:
    region: "us-east-1"
    bucket: "weir"
    path_style: false
fleet:
    lease_ttl: 15s
worker:
    heartbeat_timeout: 20s
    max_collects: 200
    body_memory: 512MiB
    parse_slots: 2
    deliver_slots: 32
    batch_records: 500
    metrics_address: "127.0.0.1:9464"
    log_format: "text"
    log_level: "info"
    shutdown_grace: 20s
retention:
    uploads: 720h
    raw: 168h
    parsed: 168h
    seen: 168h
    staged: 240h
    results: 0s
    replays: 2160h
    ledger: 2160h
    plans: 2400h
user_agent: "weir/1 (+https://github.com/weir-collect/weir)"
`, string(text))
}

func TestRenderRefusesLiteralSecrets(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(minimal)
	require.NoError(t, err)
	cfg.Sources[0].Request.SecretHeaders = map[string]string{"X-Key": hunter}
	refused := func(where string) {
		t.Helper()
		_, err = cfg.YAML()
		require.ErrorContains(t, err, where+": write a reference")
		require.NotContains(t, err.Error(), hunter)
	}
	refused("sources[0].request.secret_headers.X-Key")
	cfg.Sources[0].Request = collection.Request{SecretQuery: collection.QuerySecrets{"key": hunter}}
	refused("sources[0].request.secret_query.key")
	cfg.Sources[0].Request = collection.Request{SecretHeaders: map[string]string{"X-Key": hunter}}
	cfg.Sources[0].Methods = []collection.Method{{Request: collection.Request{SecretHeaders: cfg.Sources[0].Request.SecretHeaders}}}
	cfg.Sources[0].Request = collection.Request{}
	refused("sources[0].methods[0].request.secret_headers.X-Key")
	cfg.Egresses = []collection.Egress{{Name: "a"}, {Name: "b", User: "env:A", Password: hunter}}
	refused("egresses[1].password")
}

// drawConfig makes a valid configuration of values that are hard on YAML.
func drawConfig(t *rapid.T) Config {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"yes", "null", "~", "010", "1e3", "2006-01-02", "a: b", "# c", "'", `"`, "*x", "{y}", "<<", " z ", "ä\u2028", "a\nb\n", "\ta"}),
		rapid.StringN(1, 12, -1),
	)
	line := text.Filter(func(s string) bool { return headerValueProblem(s) == "" && strings.TrimSpace(s) != "" })
	seconds := func(least, most int, label string) time.Duration {
		return time.Duration(rapid.IntRange(least*1000, most*1000).Draw(t, label)) * time.Millisecond
	}
	cfg := Config{
		S3:    S3{Region: "r", Bucket: "bucket", PathStyle: rapid.Bool().Draw(t, "path style")},
		Fleet: Fleet{LeaseTTL: seconds(3, 300, "lease")},
		Worker: Worker{
			HeartbeatTimeout: seconds(2, 300, "heartbeat"), BodyMemory: rapid.Int64Range(minBodyMemory, maxBodyMemory).Draw(t, "body memory"), MaxCollects: rapid.IntRange(1, maxCollects).Draw(t, "collects"),
			ParseSlots: 1, DeliverSlots: 2, BatchRecords: rapid.IntRange(1, maxBatchRecords).Draw(t, "records"),
			MetricsAddress: rapid.SampledFrom([]string{"", ":0", "[::1]:9464"}).Draw(t, "metrics"),
			LogFormat:      "json", LogLevel: "warn", ShutdownGrace: seconds(1, 600, "grace"),
		},
		UserAgent: "bot/" + line.Draw(t, "agent"),
	}
	if rapid.Bool().Draw(t, "secured") {
		enabled := rapid.Bool().Draw(t, "tls")
		cfg.Temporal = Temporal{Address: "h:1", Namespace: "yes", APIKey: Secret{ref: "file:/a: b"}, TLS: TLS{Enabled: &enabled}}
	}
	if rapid.Bool().Draw(t, "egresses") {
		cfg.Egresses = drawnEgresses()
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "sources") {
		cfg.Sources = append(cfg.Sources, drawSource(t, i, text, line))
		if cfg.Egresses != nil {
			cfg.Sources[i].Egress = collection.EgressUse{Use: []string{"paris", collection.EgressDirect}, Sticky: "a{account}"}
		}
		cfg.Customers = append(cfg.Customers, collection.Customer{
			Name: fmt.Sprint(i), Weight: rapid.Float64Range(minWeight, maxWeight).Draw(t, "weight"),
			Lanes: []collection.Lane{rapid.SampledFrom(collection.Lanes()).Draw(t, "lane")},
		})
	}
	return cfg
}

func drawSource(t *rapid.T, i int, text, line *rapid.Generator[string]) collection.Source {
	trim := rapid.Bool().Draw(t, "trim")
	timeout := time.Duration(rapid.Int64Range(int64(minTimeout), int64(maxTimeout)).Draw(t, "timeout"))
	source := collection.Source{
		Name: fmt.Sprint(i), Hosts: []string{fmt.Sprintf("*.h%d.example", i), fmt.Sprintf("127.0.0.%d", i)},
		Ceiling: rapid.IntRange(1, maxCeiling).Draw(t, "ceiling"), Pace: rapid.Float64Range(0, maxPace).Draw(t, "pace"),
		Burst: rapid.IntRange(1, maxBurst).Draw(t, "burst"), Breaker: drawBreaker(t), Prefetch: rapid.IntRange(0, maxPrefetch).Draw(t, "prefetch"),
		Window: rapid.IntRange(0, maxWindow).Draw(t, "window"), Timeout: timeout, Attempts: 3,
		Backoff: collection.Backoff{Min: time.Second, Max: time.Hour}, GiveUpAfter: timeout + time.Minute,
		MaxBody: rapid.Int64Range(minBody, maxBodyBound).Draw(t, "body"), AllowPrivateAddresses: rapid.Bool().Draw(t, "private"),
		Request: collection.Request{Method: "POST"}, Checks: drawChecks(t),
		Parse: collection.Parse{Type: "html", Fields: []collection.Field{
			{Name: text.Draw(t, "field"), CSS: text.Draw(t, "css"), Required: true},
			{Name: "o", Type: "object", Trim: &trim, Layouts: []string{text.Draw(t, "layout"), ""}, Fields: []collection.Field{
				{Name: "inner", Match: text.Draw(t, "match"), Fields: []collection.Field{{List: true}}},
			}},
		}},
	}
	if rapid.Bool().Draw(t, "headers") {
		source.Request.Headers = map[string]string{"X-A": line.Draw(t, "header"), "X-B": ""}
		source.Request.SecretHeaders = map[string]string{"Authorization": "env:TOKEN"}
		source.Request.SecretQuery = collection.QuerySecrets{"apiKey": "env:KEY", "apikey": "file:/a: b", "~": "env:KEY"}
		source.Request.SecretOrigins = []string{fmt.Sprintf("http://*.h%d.example:81", i), fmt.Sprintf("http://127.0.0.%d", i)}
		source.Customers = []string{fmt.Sprint(i)}
	}
	if rapid.Bool().Draw(t, "hours") {
		source.Hours = collection.Hours{
			Zone:    rapid.SampledFrom([]string{"", "UTC", "Europe/London", "Australia/Lord_Howe"}).Draw(t, "zone"),
			Windows: rapid.SliceOfN(rapid.SampledFrom([]string{"22:00-06:00", "6:00-22:00", "Sun 0:00-24:00", "Fri-Mon 12:00-12:00"}), 1, 3).Draw(t, "windows"),
		}
	}
	drawAsked(t, &source, line)
	return source
}

func drawBreaker(t *rapid.T) collection.Breaker {
	open := time.Duration(rapid.Int64Range(int64(minBreakerOpen), int64(maxBreakerOpen)).Draw(t, "open"))
	return collection.Breaker{
		Window: time.Duration(rapid.Int64Range(int64(minBreakerWindow), int64(maxBreakerWindow)).Draw(t, "breaker window")),
		Faults: rapid.IntRange(1, maxBreakerFaults).Draw(t, "faults"), Percent: rapid.IntRange(1, 100).Draw(t, "percent"),
		Open: open, MaxOpen: time.Duration(rapid.Int64Range(int64(open), int64(longestOpen)).Draw(t, "max open")),
	}
}
