package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/quality"
)

// files is a file system of names and contents.
func files(content map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := content[filepath.ToSlash(name)]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
}

func environment(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

// loadText loads a weir.yaml of that text.
func loadText(text string) (Config, error) {
	return Load(Options{File: "etc/weir.yaml", CPUs: 4, ReadFile: files(map[string]string{"etc/weir.yaml": text})})
}

const minimal = `
sources:
  - name: shop
    hosts: [shop.example]
    parse: {type: html, fields: [{name: title, css: h1}]}
customers:
  - name: acme
`

func TestLoadWithoutFileGivesDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Options{Dir: t.TempDir(), CPUs: 8, Version: "1.2.3"})
	require.NoError(t, err)
	require.Equal(t, Temporal{}, cfg.Temporal, "what is not set must be left to Temporal's own environment")
	require.Equal(t, S3{Region: "us-east-1", Bucket: "weir"}, cfg.S3)
	require.Equal(t, Fleet{LeaseTTL: 15 * time.Second}, cfg.Fleet)
	require.Equal(t, Worker{
		HeartbeatTimeout: 20 * time.Second, MaxCollects: 200, BodyMemory: 512 << 20, ParseSlots: 8, DeliverSlots: 32, BatchRecords: 500,
		MetricsAddress: "127.0.0.1:9464", LogFormat: "text", LogLevel: "info", ShutdownGrace: 20 * time.Second,
	}, cfg.Worker)
	require.Equal(t, "weir/1.2.3 (+https://github.com/weir-collect/weir)", cfg.UserAgent)
	require.Empty(t, cfg.Sources)
	require.Empty(t, cfg.Customers)
}

func TestLoadWithNothingAtAll(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Options{})
	require.NoError(t, err)
	require.Equal(t, 1, cfg.Worker.ParseSlots)
	require.Equal(t, "weir/dev (+https://github.com/weir-collect/weir)", cfg.UserAgent)
}

func TestLoadFillsSourcesAndCustomers(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(minimal)
	require.NoError(t, err)
	require.Equal(t, []collection.Source{{
		Name: "shop", Hosts: []string{"shop.example"}, Ceiling: 1, Burst: 2,
		Breaker:  collection.Breaker{Window: time.Minute, Faults: 5, Percent: 50, Open: 15 * time.Second, MaxOpen: 10 * time.Minute},
		Prefetch: 2, Timeout: 30 * time.Second, Attempts: 5,
		Backoff: collection.Backoff{Min: time.Second, Max: 5 * time.Minute}, GiveUpAfter: 24 * time.Hour, MaxBody: 10 << 20,
		Robots:  collection.RobotsObey,
		Checks:  quality.Defaults(),
		Request: collection.Request{Method: "GET"},
		Parse:   collection.Parse{Type: "html", Fields: []collection.Field{{Name: "title", CSS: "h1"}}},
	}}, cfg.Sources)
	require.Equal(t, []collection.Customer{{
		Name: "acme", Weight: 1, Lanes: []collection.Lane{collection.LaneNormal, collection.LaneBulk},
	}}, cfg.Customers)
}

func TestLoadKeepsWhatIsSetToZero(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(strings.Replace(minimal, "    hosts", "    prefetch: 0\n    backoff: {max: 1h}\n    breaker: {faults: 9}\n    hosts", 1) +
		"worker: {metrics_address: \"\"}\n")
	require.NoError(t, err)
	require.Zero(t, cfg.Sources[0].Prefetch)
	require.Equal(t, collection.Backoff{Min: time.Second, Max: time.Hour}, cfg.Sources[0].Backoff)
	require.Empty(t, cfg.Worker.MetricsAddress)
	require.Equal(t, collection.Breaker{Window: time.Minute, Faults: 9, Percent: 50, Open: 15 * time.Second, MaxOpen: 10 * time.Minute}, cfg.Sources[0].Breaker)
}

func TestLoadKeepsCase(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(`
sources:
  - name: shop
    hosts: [shop.example]
    request:
      url: https://shop.example/Items/{ItemID}
      headers: {x-RANGE-unit: Rows, accept: text/HTML}
      secret_headers: {x-shop-token: "env:Shop_Token"}
    parse: {type: html, fields: [{name: TitleText, css: H1}]}
`)
	require.NoError(t, err)
	source := cfg.Sources[0]
	require.Equal(t, map[string]string{"X-Range-Unit": "Rows", "Accept": "text/HTML"}, source.Request.Headers)
	require.Equal(t, map[string]string{"X-Shop-Token": "env:Shop_Token"}, source.Request.SecretHeaders)
	require.Equal(t, "https://shop.example/Items/{ItemID}", source.Request.URL)
	require.Equal(t, "TitleText", source.Parse.Fields[0].Name)
}

func TestLoadTakesPlainTextsAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(`
sources:
  - name: 007
    hosts: [shop.example]
    request: {headers: {X-Version: 1.10, X-Flag: yes}}
    parse: {type: csv, fields: [{name: day, column: 2024, type: date, layouts: [2006-01-02]}]}
`)
	require.NoError(t, err)
	require.Equal(t, "007", cfg.Sources[0].Name)
	require.Equal(t, map[string]string{"X-Version": "1.10", "X-Flag": "yes"}, cfg.Sources[0].Request.Headers)
	require.Equal(t, "2024", cfg.Sources[0].Parse.Fields[0].Column)
	require.Equal(t, []string{"2006-01-02"}, cfg.Sources[0].Parse.Fields[0].Layouts)
}

func TestLoadFollowsAnchors(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(`
sources:
  - &shop
    name: one
    hosts: [one.example]
    ceiling: 7
    parse: &rules {type: html, fields: [{name: title, css: h1}]}
  - <<: *shop
    name: two
    hosts: [two.example]
  - {name: three, hosts: [three.example], parse: *rules}
`)
	require.NoError(t, err)
	require.Equal(t, 7, cfg.Sources[1].Ceiling)
	require.Equal(t, "two", cfg.Sources[1].Name)
	require.Equal(t, cfg.Sources[0].Parse, cfg.Sources[2].Parse)
}

func TestLoadMergesInOrder(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(`
sources:
  - &first {name: first, hosts: [a.example], ceiling: 3, attempts: 9, parse: {type: csv, fields: [{name: a, column: A}]}}
  - &second {<<: *first, name: second, hosts: [b.example], ceiling: 5}
  - {<<: [*second, *first], name: third, hosts: [c.example]}
  - {name: fourth, hosts: [d.example], <<: {ceiling: 7, parse: {type: csv, fields: [{name: b, column: B}]}}}
`)
	require.NoError(t, err)
	third, fourth := cfg.Sources[2], cfg.Sources[3]
	require.Equal(t, "third", third.Name, "a section's own keys win")
	require.Equal(t, 5, third.Ceiling, "then those of the first one named")
	require.Equal(t, 9, third.Attempts, "then those that it has from another")
	require.Equal(t, 7, fourth.Ceiling)
	require.Equal(t, "B", fourth.Parse.Fields[0].Column)
}

func TestLoadPrecedence(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file, env, flag string
		want            string
	}{
		"default":                 {want: "weir"},
		"file over default":       {file: "from-file", want: "from-file"},
		"variable over default":   {env: "from-env", want: "from-env"},
		"variable over file":      {file: "from-file", env: "from-env", want: "from-env"},
		"flag over variable":      {file: "from-file", env: "from-env", flag: "from-flag", want: "from-flag"},
		"flag over file":          {file: "from-file", flag: "from-flag", want: "from-flag"},
		"empty variable is unset": {file: "from-file", env: "-", want: "from-file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := Options{Flags: pflag.NewFlagSet("weir", pflag.ContinueOnError)}
			opts.Flags.String("bucket", "flag-default", "")
			require.NoError(t, Bind(opts.Flags, map[string]string{"bucket": "s3.bucket"}))
			if test.file != "" {
				opts.File = "weir.yaml"
				opts.ReadFile = files(map[string]string{"weir.yaml": "s3: {bucket: " + test.file + ", region: eu-west-2}"})
			}
			if test.env != "" {
				opts.Env = environment(map[string]string{"WEIR_S3_BUCKET": strings.TrimPrefix(test.env, "-")})
			}
			if test.flag != "" {
				require.NoError(t, opts.Flags.Parse([]string{"--bucket", test.flag}))
			}
			cfg, err := Load(opts)
			require.NoError(t, err)
			require.Equal(t, test.want, cfg.S3.Bucket)
			if test.file != "" {
				require.Equal(t, "eu-west-2", cfg.S3.Region, "the rest of the section stays")
			}
		})
	}
}

func TestLoadReadsEveryKindFromVariables(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Options{Env: environment(map[string]string{
		"WEIR_TEMPORAL_TLS_ENABLED":     "false",
		"WEIR_TEMPORAL_API_KEY":         "file:/run/key",
		"WEIR_S3_PATH_STYLE":            "true",
		"WEIR_WORKER_MAX_COLLECTS":      "77",
		"WEIR_WORKER_HEARTBEAT_TIMEOUT": "9s",
		"WEIR_USER_AGENT":               "bot/1",
		"WEIR_SERVICE_HOST":             "10.0.0.1",
		"WEIR_S3":                       "made up by a platform",
	})})
	require.NoError(t, err)
	require.NotNil(t, cfg.Temporal.TLS.Enabled)
	require.False(t, *cfg.Temporal.TLS.Enabled)
	require.Equal(t, "file:/run/key", cfg.Temporal.APIKey.String())
	require.True(t, cfg.S3.PathStyle)
	require.Equal(t, 77, cfg.Worker.MaxCollects)
	require.Equal(t, 9*time.Second, cfg.Worker.HeartbeatTimeout)
	require.Equal(t, "bot/1", cfg.UserAgent)
}

func TestLoadFindsTheFileInDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName), []byte("s3: {bucket: found}"), 0o600))
	cfg, err := Load(Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, "found", cfg.S3.Bucket)
	require.Equal(t, filepath.Join(dir, "tls", "ca.pem"), cfg.Path("tls/ca.pem"))
	require.Equal(t, "/abs/ca.pem", cfg.Path("/abs/ca.pem"))
}

func TestLoadUnreadableFiles(t *testing.T) {
	t.Parallel()
	_, err := Load(Options{File: "missing.yaml", ReadFile: files(nil)})
	require.EqualError(t, err, "configuration file missing.yaml: name a file that exists and can be read: open missing.yaml: file does not exist")
	require.ErrorIs(t, err, fs.ErrNotExist)

	denied := errors.New("permission denied")
	_, err = Load(Options{Dir: "etc", ReadFile: func(string) ([]byte, error) { return nil, denied }})
	require.EqualError(t, err, "configuration file etc/weir.yaml: make it readable, or name another: permission denied")
	require.ErrorIs(t, err, denied)
}

func TestLoadReadsSchemasBesideTheFile(t *testing.T) {
	t.Parallel()
	text := strings.Replace(minimal, "type: html,", "type: html, schema: schemas/item.json,", 1)
	checked := map[string]string{}
	cfg, err := Load(Options{
		File:     "etc/weir.yaml",
		ReadFile: files(map[string]string{"etc/weir.yaml": text, "etc/schemas/item.json": `{"type":"object"}`}),
		CheckParse: func(parse collection.Parse, schema []byte) error {
			checked[parse.Type] = string(schema)
			return nil
		},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"html": `{"type":"object"}`}, checked)
	require.Equal(t, `{"type":"object"}`, string(cfg.Schema("shop")))
	require.Nil(t, cfg.Schema("other"))
}

func TestLoadReportsParseRules(t *testing.T) {
	t.Parallel()
	_, err := Load(Options{
		File: "weir.yaml",
		ReadFile: files(map[string]string{"weir.yaml": minimal + `
  - name: initech
    weight: 0
`}),
		CheckParse: func(parse collection.Parse, schema []byte) error {
			require.Nil(t, schema)
			return errors.Join(errors.New("fields[0].css is no selector"), errors.Join(errors.New("the rules are odd")))
		},
	})
	requireProblems(t, err,
		`sources[0].parse.fields[0].css (weir.yaml:5): is no selector`,
		`sources[0].parse (weir.yaml:5): the rules are odd`,
		`customers[1].weight = 0 (weir.yaml:10): use 0.001 to 1000`,
	)
}

func TestSplitKeepsWhatAnErrorSaysItself(t *testing.T) {
	t.Parallel()
	one, two := errors.New("one"), errors.New("two")
	require.Equal(t, []error{one, two}, split(errors.Join(one, two)))
	whole := &wrapped{errs: []error{one, two}}
	require.Equal(t, []error{whole}, split(whole))
	require.Empty(t, split(nil))
}

// wrapped is an error that says more than those it wraps.
type wrapped struct{ errs []error }

func (w *wrapped) Error() string   { return "both of these" }
func (w *wrapped) Unwrap() []error { return w.errs }

// requireProblems wants exactly these problems, in this order.
func requireProblems(t *testing.T, err error, want ...string) {
	t.Helper()
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
	var got []string
	for _, p := range invalid.Problems {
		got = append(got, p.Error())
	}
	require.Equal(t, want, got)
}
