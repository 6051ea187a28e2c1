package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFileProblems: what is wrong with the form of the file, and with the names and the kinds of its keys.
func TestFileProblems(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want []string
	}{
		"syntax": {
			"s3:\n  bucket: a\n   region: b\n",
			[]string{`weir.yaml:3: not valid YAML: mapping values are not allowed in this context`},
		},
		"tab": {
			"s3:\n\tbucket: a\n",
			[]string{`weir.yaml:2: not valid YAML: found character that cannot start any token`},
		},
		"key twice": {
			"s3:\n  bucket: a\n  bucket: b\n",
			[]string{`weir.yaml:3: not valid YAML: mapping key "bucket" already defined at line 2`},
		},
		"anchor that does not exist": {
			"s3:\n  bucket: *weir\n",
			[]string{`weir.yaml: not valid YAML: a value begins with * and so names an anchor, which does not exist: put the value in quotes`},
		},
		"alias within itself": {
			"sources:\n  - parse: {fields: &f [{name: a, fields: *f}]}\n",
			[]string{`weir.yaml: not valid YAML: anchor 'f' value contains itself`},
		},
		"two documents": {
			"s3: {bucket: one}\n---\ns3: {bucket: two}\n",
			[]string{`weir.yaml:2: a second document begins here: keep one document, without ---`},
		},
		"not a section":   {"just text", []string{`weir.yaml: write keys with values here, not a single value`}},
		"list at the top": {"- a\n- b\n", []string{`weir.yaml: write keys with values here, not a list`}},
		"unknown keys": {
			"s4: {}\ns3:\n  buckett: a\n  Region: b\n  path-style: true\nbucket: c\nzzzzzzzz: 1\n",
			[]string{
				`s4 (weir.yaml:1): there is no such key: did you mean s3?`,
				`s3.buckett (weir.yaml:3): there is no such key: did you mean bucket?`,
				`s3.Region (weir.yaml:4): there is no such key: did you mean region?`,
				`s3.path-style (weir.yaml:5): there is no such key: did you mean path_style?`,
				`bucket (weir.yaml:6): there is no such key: did you mean s3.bucket?`,
				`zzzzzzzz (weir.yaml:7): there is no such key: use one of temporal, s3, fleet, worker, retention, user_agent, egresses, sources, customers`,
			},
		},
		"unknown keys in lists": {
			minimal + "    wieght: 2\n    lane: urgent\n",
			[]string{
				`customers[0].wieght (weir.yaml:8): there is no such key: did you mean weight?`,
				`customers[0].lane (weir.yaml:9): there is no such key: did you mean lanes?`,
			},
		},
		"wrong kinds": {
			"s3: [a]\nworker:\n  max_collects: {a: 1}\n  parse_slots: ten\n  deliver_slots: 1.5\n  heartbeat_timeout: 30\n" +
				"  batch_records: 99999999999999999999\n" +
				"temporal:\n  tls:\n    enabled: yes\nsources: {name: a}\nuser_agent: [a]\n",
			[]string{
				`s3 (weir.yaml:1): write keys with values here, not a list`,
				`worker.max_collects (weir.yaml:3): write one value here, not a section with keys`,
				`worker.parse_slots = "ten" (weir.yaml:4): write a whole number`,
				`worker.deliver_slots = "1.5" (weir.yaml:5): write a whole number`,
				`worker.heartbeat_timeout = "30" (weir.yaml:6): write a duration with its unit, for instance 500ms, 30s, 5m or 24h`,
				`worker.batch_records = "99999999999999999999" (weir.yaml:7): write a whole number`,
				`temporal.tls.enabled = "yes" (weir.yaml:10): write true or false`,
				`sources (weir.yaml:11): write a list here, one item a line with a - before it, not a section with keys`,
				`user_agent (weir.yaml:12): write one value here, not a list`,
			},
		},
		"wrong kinds in lists": {
			"customers:\n  -\n  - acme\n  - name: b\n    weight: heavy\n    lanes: urgent\n  - {name: c, lanes: [~, bulk]}\n",
			[]string{
				`customers[0] (weir.yaml:2): this item is empty: write it, or take its - away`,
				`customers[1] (weir.yaml:3): write keys with values here, not a single value`,
				`customers[2].weight = "heavy" (weir.yaml:5): write a number`,
				`customers[2].lanes (weir.yaml:6): write a list here, one item a line with a - before it, not a single value`,
				`customers[3].lanes[0] (weir.yaml:7): this item is empty: write it, or take its - away`,
			},
		},
		"header twice": {
			sourceWith("request:\n      headers:\n        Accept: a\n        accept: b\n"),
			[]string{
				`sources[0].request.headers.Accept (weir.yaml:9): this header is given twice, and names of headers ignore case: keep one`,
			},
		},
		"headers as a list": {
			sourceWith("request:\n      headers: [a]\n"),
			[]string{`sources[0].request.headers (weir.yaml:7): write header names with values here, not a list`},
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

// sourceWith is a file with one source, valid but for the keys given: indented by 4, from line 6 on.
func sourceWith(keys string) string {
	return `
sources:
  - name: shop
    hosts: [shop.example]
    parse: {type: html, fields: [{name: title, css: h1}]}
    ` + keys
}

func TestFileMayBeEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "~\n", "s3:\nsources:\ncustomers: []\n", "--- {}\n...\n"} {
		cfg, err := loadText(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, "weir", cfg.S3.Bucket)
	}
}

// TestProblemsOfAllLayersComeTogether: nothing hides behind something else.
func TestProblemsOfAllLayersComeTogether(t *testing.T) {
	t.Parallel()
	_, err := Load(Options{
		File: "weir.yaml",
		ReadFile: files(map[string]string{"weir.yaml": "worker:\n  parse_slots: 0\n  max_colects: 1\ns3:\n  bucket: ok-bucket\n" +
			"sources:\n  - name: shop\n    hosts: [HTTP://Shop.example]\n"}),
		Env: environment(map[string]string{"WEIR_S3_BUCKET": "No", "WEIR_WORKER_MAX_COLLECTS": "many"}),
	})
	require.EqualError(t, err, `the configuration has 7 problems:
  worker.parse_slots = 0 (weir.yaml:2): use 1 to 1024
  worker.max_colects (weir.yaml:3): there is no such key: did you mean max_collects?
  sources[0].parse.type (weir.yaml:7): say what the responses are: html, json or csv
  sources[0].parse.fields (weir.yaml:7): list at least one field to take from the responses
  sources[0].hosts[0] = "HTTP://Shop.example" (weir.yaml:8): write the host alone, without HTTP:// and without a path: shop.example
  worker.max_collects = "many" (WEIR_WORKER_MAX_COLLECTS): write a whole number
  s3.bucket = "No" (WEIR_S3_BUCKET): write the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens`)
}
