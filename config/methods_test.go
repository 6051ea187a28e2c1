package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// drawAsked draws how a source is asked, beyond its own request.
func drawAsked(t *rapid.T, s *collection.Source, line *rapid.Generator[string]) {
	s.Robots, s.Conditional = collection.RobotsObey, rapid.Bool().Draw(t, "conditional")
	if rapid.Bool().Draw(t, "ignores robots") {
		s.Robots, s.RobotsReason = collection.RobotsIgnore, "they said so "+line.Draw(t, "why")
	}
	if !rapid.Bool().Draw(t, "methods") {
		return
	}
	s.Methods = []collection.Method{
		{Name: "page", Request: s.Request},
		{Name: "api", Request: collection.Request{Method: "GET", URL: "https://api.h.example/{id}"},
			Parse: collection.Parse{Type: "json", Fields: []collection.Field{{Name: "a", JQ: ".a"}}}},
	}
	s.Request, s.FallbackAfter = collection.Request{}, rapid.IntRange(0, maxFallbackAfter).Draw(t, "fallback")
}

const asked = `
sources:
  - name: shop
    hosts: [shop.example]
    robots: ignore
    robots_reason: our own shop, see the contract
    conditional: true
    methods:
      - name: page
        parse: {type: html, fields: [{name: title, css: h1}]}
      - name: api
        request: {url: "https://api.example/{id}", headers: {accept: application/json}, secret_headers: {x-key: "env:KEY"}}
        parse: {type: json, schema: api.json, fields: [{name: title, jq: .title}]}
      - name: mirror
        request: {url: "{url}", method: POST}
    parse: {type: csv, schema: own.json, fields: [{name: title, column: T}]}
    fallback_after: 2
`

func TestLoadReadsMethods(t *testing.T) {
	t.Parallel()
	checked := map[string]string{}
	cfg, err := Load(Options{
		File: "weir.yaml", ReadFile: files(map[string]string{"weir.yaml": asked, "api.json": "1", "own.json": "2"}),
		CheckParse: func(parse collection.Parse, schema []byte) error {
			checked[parse.Type] = string(schema)
			return nil
		},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"html": "", "json": "1", "csv": "2"}, checked, "every set of rules, with its schema")

	s := cfg.Sources[0]
	require.Equal(t, collection.RobotsIgnore, s.Robots)
	require.Equal(t, "our own shop, see the contract", s.RobotsReason)
	require.True(t, s.Conditional)
	require.Equal(t, 2, s.FallbackAfter)
	require.Equal(t, collection.Request{}, s.Request, "nothing is filled in that nobody uses")
	require.Equal(t, collection.Request{Method: "GET"}, s.Methods[0].Request)
	require.Equal(t, collection.Request{
		Method: "GET", URL: "https://api.example/{id}",
		Headers: map[string]string{"Accept": "application/json"}, SecretHeaders: map[string]string{"X-Key": "env:KEY"},
	}, s.Methods[1].Request)
	require.Equal(t, "POST", s.Methods[2].Request.Method)

	for method, want := range map[string]string{"": "", "page": "", "api": "1", "mirror": "2", "ghost": ""} {
		require.Equal(t, want, string(cfg.SchemaOf("shop", method)), "the schema for %q", method)
	}
	require.Equal(t, "2", string(cfg.Schema("shop")))
	require.Nil(t, cfg.SchemaOf("other", ""))
}

// TestSchemaOfASourceWithoutMethods is that of its own rules.
func TestSchemaOfASourceWithoutMethods(t *testing.T) {
	t.Parallel()
	text := strings.Replace(minimal, "type: html,", "type: html, schema: item.json,", 1)
	cfg, err := Load(Options{File: "weir.yaml", ReadFile: files(map[string]string{"weir.yaml": text, "item.json": "1"})})
	require.NoError(t, err)
	require.Equal(t, "1", string(cfg.SchemaOf("shop", "")))
	require.Nil(t, cfg.SchemaOf("shop", "page"))
}

func TestMethodProblems(t *testing.T) {
	t.Parallel()
	const source = "sources:\n  - name: shop\n    hosts: [shop.example]\n"
	const json = "parse: {type: json, fields: [{name: a, jq: .a}]}"
	tests := map[string]struct {
		text string
		want []string
	}{
		"a request beside them": {
			source + "    " + json + "\n    request: {headers: {A: b}}\n    methods: [{name: page}]\n",
			[]string{`sources[0].request (weir.yaml:5): the source is asked by its methods: move this into one of them, or take methods away`},
		},
		"names": {
			source + "    " + json + "\n    methods:\n      - {name: page}\n      - {name: Page}\n      - {}\n      - {name: page}\n",
			[]string{
				`sources[0].methods[1].name (weir.yaml:7): method "Page": use 1 to 63 lower-case letters, digits, - or _, starting with a letter or digit`,
				`sources[0].methods[2].name (weir.yaml:8): give every method a name`,
				`sources[0].methods[3].name = "page" (weir.yaml:9): methods[0] has the same name: give each its own`,
			},
		},
		"their requests": {
			source + "    " + json + "\n    methods:\n      - {name: a, request: {url: 'https://{host}/'}}\n      - {name: b, request: {method: get}}\n" +
				"  - {name: other, hosts: [other.example], " + json + ", methods: [{name: a, request: {url: 'https://shop.example/{id}', secret_headers: {A: b}}}]}\n",
			[]string{
				`sources[0].methods[0].request.url = "https://{host}/" (weir.yaml:6): write the host without a placeholder: a record must not choose whose ceiling it uses`,
				`sources[0].methods[1].request.method = "get" (weir.yaml:7): methods are case-sensitive: write GET`,
				`sources[1].methods[0].request.url = "https://shop.example/{id}" (weir.yaml:8): the host belongs to source shop, whose ceiling these requests would go past: use that source, or list the exact host in this one only`,
				`sources[1].methods[0].request.secret_headers.A (weir.yaml:8): write a reference, not the secret itself: env:NAME for an environment variable, file:PATH for a file`,
			},
		},
		"their rules": {
			source + "    methods:\n      - {name: a, " + json + "}\n      - {name: b}\n      - {name: c, parse: {fields: []}}\n",
			[]string{
				`sources[0].methods[1].parse (weir.yaml:6): neither the method nor the source says how its responses are read: write the rules in one of them`,
				`sources[0].methods[2].parse.type (weir.yaml:7): say what the responses are: html, json or csv`,
				`sources[0].methods[2].parse.fields (weir.yaml:7): list at least one field to take from the responses`,
			},
		},
		"rules of the source that nobody may need": {
			source + "    parse: {type: xml}\n    methods: [{name: a, " + json + "}]\n",
			[]string{
				`sources[0].parse.type = "xml" (weir.yaml:4): use html, json or csv`,
				`sources[0].parse.fields (weir.yaml:4): list at least one field to take from the responses`,
			},
		},
		"a schema that cannot be read": {
			source + "    methods: [{name: a, parse: {type: json, schema: no.json, fields: [{name: a, jq: .a}]}}]\n",
			[]string{`sources[0].methods[0].parse.schema = "no.json" (weir.yaml:4): name a file that can be read, relative to the configuration file: open etc/no.json: file does not exist`},
		},
		"nothing leads to one": {
			"sources:\n  - name: shop\n    " + json + "\n    methods:\n      - {name: a, request: {url: 'https://shop.example/{id}'}}\n      - {name: b}\n",
			[]string{`sources[0].methods[1].request.url (weir.yaml:6): the source has no hosts, so no record brings this method a URL: write one, or list the source's hosts`},
		},
		"nothing to fall back to": {
			source + "    " + json + "\n    fallback_after: 3\n    methods: [{name: a}]\n",
			[]string{`sources[0].fallback_after = 3 (weir.yaml:5): there is no other method to fall back to: list two or more in methods, or take fallback_after away`},
		},
		"methods that cannot be read": {
			"sources:\n  - name: shop\n    fallback_after: 3\n    methods: page\n",
			[]string{`sources[0].methods (weir.yaml:4): write a list here, one item a line with a - before it, not a single value`},
		},
		"a method that cannot be read": {
			source + "    " + json + "\n    methods: [page]\n",
			[]string{`sources[0].methods[0] (weir.yaml:5): write keys with values here, not a single value`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := loadText(test.text)
			require.Error(t, err, "%+v", cfg)
			requireProblems(t, err, test.want...)
		})
	}
}

// TestMethodsReportParseRules: what is wrong with a method's rules is reported there.
func TestMethodsReportParseRules(t *testing.T) {
	t.Parallel()
	_, err := Load(Options{
		File:       "weir.yaml",
		ReadFile:   files(map[string]string{"weir.yaml": strings.NewReplacer(", schema: api.json", "", ", schema: own.json", "").Replace(asked)}),
		CheckParse: compileRules,
	})
	require.NoError(t, err)
	_, err = Load(Options{
		File:       "weir.yaml",
		ReadFile:   files(map[string]string{"weir.yaml": strings.Replace(asked, "jq: .title", "jq: '|'", 1), "api.json": "{}", "own.json": "{}"}),
		CheckParse: compileRules,
	})
	require.ErrorContains(t, err, "sources[0].methods[1].parse.fields[0].jq (weir.yaml:13): ")
}
