package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// drawnEgresses are two egresses with everything that can be set.
func drawnEgresses() []collection.Egress {
	return []collection.Egress{
		{Name: "london", Type: "socks5", Address: "[2001:db8::1]:1080", User: "env:USER", Password: "file:/run/a: b"},
		{Name: "paris", Type: "https", Address: "10.0.0.1:443", AllowPrivateAddress: true},
	}
}

func TestLoadReadsEgresses(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(`
egresses:
  - {name: london, type: http, address: "proxy.example:3128", user: "env:PROXY_USER", password: "file:/run/secrets/proxy"}
  - {name: own, type: socks5, address: "localhost:1080", allow_private_address: true}
sources:
  - name: shop
    hosts: [shop.example]
    egress: {use: [own, direct, london], sticky: "{account}-{region}"}
    parse: {type: html, fields: [{name: title, css: h1}]}
`)
	require.NoError(t, err)
	require.Equal(t, []collection.Egress{
		{Name: "london", Type: "http", Address: "proxy.example:3128", User: "env:PROXY_USER", Password: "file:/run/secrets/proxy"},
		{Name: "own", Type: "socks5", Address: "localhost:1080", AllowPrivateAddress: true},
	}, cfg.Egresses)
	require.Equal(t, collection.EgressUse{Use: []string{"own", "direct", "london"}, Sticky: "{account}-{region}"}, cfg.Sources[0].Egress)
}

func TestEgressProblems(t *testing.T) {
	t.Parallel()
	const reference = "write a reference, not the secret itself: env:NAME for an environment variable, file:PATH for a file"
	const private = "this address is a private one: set allow_private_address to true if the proxy is yours"
	const form = "placeholder is {name}, the name of a field"
	tests := map[string]struct {
		text string
		want []string
	}{
		"names": {
			"egresses:\n  - {type: http, address: 'a:1'}\n  - {name: direct, type: http, address: 'a:1'}\n  - {name: a b, type: http, address: 'a:1'}\n" +
				"  - {name: c, type: http, address: 'a:1'}\n  - {name: c, type: http, address: 'a:1'}\n",
			[]string{
				`egresses[0].name (weir.yaml:2): give every egress a name`,
				`egresses[1].name = "direct" (weir.yaml:3): this is the name of the egress without a proxy, which is always there: give the proxy another name`,
				`egresses[2].name (weir.yaml:4): egress "a b": use 1 to 63 lower-case letters, digits, - or _, starting with a letter or digit`,
				`egresses[4].name = "c" (weir.yaml:6): egresses[3] has the same name: give each its own`,
			},
		},
		"types and addresses": {
			"egresses:\n  - {name: a}\n  - {name: b, type: socks4, address: 'http://proxy.example:1'}\n  - {name: c, type: http, address: ':3128'}\n" +
				"  - {name: d, type: http, address: 'proxy.example:0'}\n  - {name: e, type: http, address: 'u:hunter2@proxy.example:1'}\n",
			[]string{
				`egresses[0].type (weir.yaml:2): say what the proxy speaks: http, https or socks5`,
				`egresses[0].address (weir.yaml:2): write the proxy's host:port`,
				`egresses[1].type = "socks4" (weir.yaml:3): use http, https or socks5`,
				`egresses[1].address = "http://proxy.example:1" (weir.yaml:3): write host:port, without a scheme`,
				`egresses[2].address = ":3128" (weir.yaml:4): write host:port: there is no host before the port`,
				`egresses[3].address = "proxy.example:0" (weir.yaml:5): write host:port with a port number of 1 to 65535`,
				`egresses[4].address (weir.yaml:6): write host:port without user and password: they belong into user and password, as references`,
			},
		},
		"private addresses": {
			"egresses:\n  - {name: a, type: http, address: 'localhost:1'}\n  - {name: b, type: http, address: '[::ffff:127.0.0.1]:1'}\n  - {name: c, type: http, address: '192.168.0.1:1'}\n",
			[]string{
				`egresses[0].address = "localhost:1" (weir.yaml:2): ` + private,
				`egresses[1].address = "[::ffff:127.0.0.1]:1" (weir.yaml:3): ` + private,
				`egresses[2].address = "192.168.0.1:1" (weir.yaml:4): ` + private,
			},
		},
		"credentials": {
			"egresses:\n  - {name: a, type: http, address: 'a:1', user: 'env:A'}\n  - {name: b, type: http, address: 'a:1', password: hunter2}\n  - {name: c, type: http, address: 'a:1', user: hunter2, password: 'env:A'}\n",
			[]string{
				`egresses[0].password (weir.yaml:2): user and password belong together: set this one too, or neither`,
				`egresses[1].user (weir.yaml:3): user and password belong together: set this one too, or neither`,
				`egresses[1].password (weir.yaml:3): ` + reference,
				`egresses[2].user (weir.yaml:4): ` + reference,
			},
		},
		"use": {
			"egresses:\n  - {name: london, type: http, address: 'a:1'}\n" + sourceWith("egress: {use: [london, londn, direct, london, paris-7]}\n")[1:],
			[]string{
				`sources[0].egress.use[1] = "londn" (weir.yaml:7): there is no egress of this name: did you mean london?`,
				`sources[0].egress.use[3] = "london" (weir.yaml:7): this egress is listed twice: keep one`,
				`sources[0].egress.use[4] = "paris-7" (weir.yaml:7): there is no egress of this name: use direct, london`,
			},
		},
		"sticky to a field that is none": {
			sourceWith("egress: {use: [direct], sticky: '{a'}\n"),
			[]string{`sources[0].egress.sticky = "{a" (weir.yaml:6): a ` + form},
		},
		"sticky to nothing": {
			sourceWith("egress: {use: [direct], sticky: account}\n"),
			[]string{`sources[0].egress.sticky = "account" (weir.yaml:6): this is the same for every record, which would all go out by one way: name a field, as in {account}`},
		},
		"sticky without egresses": {
			sourceWith("egress: {sticky: '{account}'}\n"),
			[]string{`sources[0].egress.sticky = "{account}" (weir.yaml:6): without egresses in use, every record goes out directly: list some in use, or take sticky away`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := loadText(test.text)
			requireProblems(t, err, test.want...)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}
