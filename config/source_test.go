package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestSourceProblems(t *testing.T) {
	t.Parallel()
	const rules = ", parse: {type: json, fields: [{name: a, jq: .a}]}}\n"
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing leads to it": {
			"sources:\n  - {name: a" + rules,
			[]string{`sources[0].hosts (weir.yaml:2): nothing leads to this source: list the hosts whose URLs belong to it, or set request.url`},
		},
		"nothing leads to it but its own records": {
			"sources:\n  - {name: a, request: {url: '{url}'}" + rules,
			[]string{`sources[0].hosts (weir.yaml:2): nothing leads to this source: list the hosts whose URLs belong to it, or set request.url`},
		},
		"no parse rules": {
			"sources:\n  - {name: a, hosts: [a.example]}\n  - {name: b, hosts: [b.example], parse: {type: xml}}\n",
			[]string{
				`sources[0].parse.type (weir.yaml:2): say what the responses are: html, json or csv`,
				`sources[0].parse.fields (weir.yaml:2): list at least one field to take from the responses`,
				`sources[1].parse.type = "xml" (weir.yaml:3): use html, json or csv`,
				`sources[1].parse.fields (weir.yaml:3): list at least one field to take from the responses`,
			},
		},
		"owner": {
			sourceWith("owner: \"a\\nb\"\n"),
			[]string{`sources[0].owner = "a\nb" (weir.yaml:6): name who looks after the source in one line of at most 100 bytes`},
		},
		"names": {
			"sources:\n  - {hosts: [a.example]" + rules + "  - {name: b/c, hosts: [b.example]" + rules +
				"  - {name: d, hosts: [d.example]" + rules + "  - {name: d, hosts: [e.example]" + rules,
			[]string{
				`sources[0].name (weir.yaml:2): give every source a name`,
				`sources[1].name (weir.yaml:3): source "b/c": use 1 to 63 lower-case letters, digits, - or _, starting with a letter or digit`,
				`sources[3].name = "d" (weir.yaml:5): sources[2] has the same name: give each its own`,
			},
		},
		"hosts of two sources": {
			"sources:\n  - {name: a, hosts: [x.example, '*.y.example', x.example]" + rules +
				"  - {name: b, hosts: [z.y.example, '*.y.example', x.example]" + rules,
			[]string{
				`sources[0].hosts[2] = "x.example" (weir.yaml:2): this host is listed twice: keep one`,
				`sources[1].hosts[1] = "*.y.example" (weir.yaml:3): this host already belongs to sources[0] (a): keep it in one source`,
				`sources[1].hosts[2] = "x.example" (weir.yaml:3): this host already belongs to sources[0] (a): keep it in one source`,
			},
		},
		"url on a host of another source": {
			"sources:\n  - {name: a, hosts: [x.example, '*.y.example']" + rules +
				"  - {name: b, request: {url: 'https://x.example/1'}" + rules +
				"  - {name: c, request: {url: 'https://API.y.example:8443/{id}'}" + rules +
				"  - {name: d, hosts: [d.y.example], request: {url: 'https://d.y.example/{id}'}" + rules,
			[]string{
				`sources[1].request.url = "https://x.example/1" (weir.yaml:3): the host belongs to source a, whose ceiling these requests would go past: use that source, or list the exact host in this one only`,
				`sources[2].request.url = "https://API.y.example:8443/{id}" (weir.yaml:4): the host belongs to source a, whose ceiling these requests would go past: use that source, or list the exact host in this one only`,
			},
		},
		"waits": {
			sourceWith("backoff: {min: 0s, max: 25h}\n    timeout: 1m\n    give_up_after: 59s\n    max_body: 2GiB\n"),
			[]string{
				`sources[0].backoff.min = 0s (weir.yaml:6): use 1ms to 24h`,
				`sources[0].backoff.max = 25h (weir.yaml:6): use 1ms to 24h`,
				`sources[0].give_up_after = 59s (weir.yaml:8): use at least timeout, 1m: else no request could end`,
				`sources[0].max_body = 2GiB (weir.yaml:9): use 1KiB to 1GiB`,
			},
		},
		"backoff the wrong way round": {
			sourceWith("backoff: {min: 10m}\n"),
			[]string{`sources[0].backoff.max = 5m (weir.yaml:6): use at least backoff.min, 10m`},
		},
		"size": {
			sourceWith("max_body: 10M\n"),
			[]string{`sources[0].max_body = "10M" (weir.yaml:6): write a size as a whole number of bytes or with KB, MB, GB, KiB, MiB or GiB, for instance 10MiB`},
		},
		"schema": {
			strings.Replace(minimal, "type: html,", "type: html, schema: no.json,", 1),
			[]string{`sources[0].parse.schema = "no.json" (weir.yaml:5): name a file that can be read, relative to the configuration file: open etc/no.json: file does not exist`},
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

func TestHostProblems(t *testing.T) {
	t.Parallel()
	const form = "write a host name such as www.example.com, or *.example.com for every name below example.com"
	tests := map[string]string{
		"www.example.com":        "",
		"*.example.com":          "",
		"localhost":              "",
		"a_b.example":            "",
		"xn--bcher-kva.example":  "",
		"127.0.0.1":              "",
		"::1":                    "",
		"2001:db8::1":            "",
		"https://www.a.example/": "write the host alone, without https:// and without a path: www.a.example",
		"https://":               "write the host alone, without https:// and without a path",
		"a.example/b":            "write the host alone, without a path: a.example",
		"a.example:8080":         "write the host without a port: a source has its host on every port: a.example",
		"127.0.0.1:80":           "write the host without a port: a source has its host on every port",
		"u@a.example":            "write the host alone, without a user",
		"A.example":              "write the host in lower case: a.example",
		"a.example.":             "write the host without a dot at its end",
		"bücher.example":         "write the name in its ASCII form, which begins with xn--",
		"[::1]":                  "write the address without brackets: ::1",
		"0:0::1":                 "write the address in its short form: ::1",
		"2001:DB8::1":            "write the address in its short form: 2001:db8::1",
		"fe80::1%eth0":           "write the address without a zone",
		"":                       form,
		"*":                      "a * can only stand for everything before the first dot: " + form,
		"*.":                     form,
		"a.*.example":            "a * can only stand for everything before the first dot: " + form,
		"*.*.example":            "a * can only stand for everything before the first dot: " + form,
		"*a.example":             "a * can only stand for everything before the first dot: " + form,
		"a..example":             form,
		"-a.example":             form,
		"a b.example":            form,
		"{host}":                 form,
		"*.0.0.1":                "a name that ends in a number is taken for an address: write a whole address such as 192.0.2.1, or a name",
		"127.1":                  "a name that ends in a number is taken for an address: write a whole address such as 192.0.2.1, or a name",
	}
	for host, want := range tests {
		require.Equal(t, want, hostProblem(host), "%q", host)
	}
	require.Equal(t, "a host name has at most 253 characters", hostProblem(strings.Repeat("a.", 127)+"b"))
	require.Equal(t, form, hostProblem(strings.Repeat("a", 64)+".example"))
}

func TestCustomersOfASource(t *testing.T) {
	t.Parallel()
	with := func(customers string) string {
		return strings.Replace(minimal, "    hosts", "    customers: "+customers+"\n    hosts", 1)
	}
	cfg, err := loadText(with("[acme]"))
	require.NoError(t, err)
	require.True(t, cfg.Sources[0].Serves("acme"))
	require.False(t, cfg.Sources[0].Serves("initech"))
	cfg, err = loadText(with("[]"))
	require.NoError(t, err)
	require.True(t, cfg.Sources[0].Serves("anybody"))
	_, err = loadText(with("[acne, acme, acme, A b]"))
	requireProblems(t, err,
		`sources[0].customers[0] = "acne" (weir.yaml:4): there is no such customer, so the source would serve nobody by this name: did you mean acme?`,
		`sources[0].customers[2] = "acme" (weir.yaml:4): this customer is listed twice: keep one`,
		`sources[0].customers[3] = "A b" (weir.yaml:4): `+collection.CheckName("customer", "A b").Error())
	_, err = loadText(strings.Replace(with("[anybody]"), "customers:\n  - name: acme\n", "", 1))
	require.NoError(t, err, "workers that do not plan need no customers")
}

// TestParametersKeepTheirCase: viper puts names into lower case, and a query's names are another's then.
func TestParametersKeepTheirCase(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(strings.Replace(minimal, "    hosts", "    methods: [{name: a, request: {secret_query: {apiKey: env:Key}}}]\n    hosts", 1))
	require.NoError(t, err)
	require.Equal(t, collection.QuerySecrets{"apiKey": "env:Key"}, cfg.Sources[0].Methods[0].Request.SecretQuery)
}
