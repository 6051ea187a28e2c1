package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRequestProblems: each case is the request section of a source, and what is said of it.
func TestRequestProblems(t *testing.T) {
	t.Parallel()
	const json = "write valid JSON, where {name} stands for a whole value, or within quotes for text"
	const form = "write a form as a={name}&b=text in one line, other characters encoded: " + placeholderForm
	const secretHeader = "this header holds a secret: move it to secret_headers and write a reference, env:NAME or file:PATH"
	const secretParameter = "holds a secret, which every result, history and log would show: move it to secret_query and write a reference, env:NAME or file:PATH"
	const originForm = "write scheme, host and port, for instance http://www.example.com:8080, without a path"
	tests := []struct {
		request string
		want    []string
	}{
		{request: `{url: 'https://shop.example/{a}/{b-c.d}?q={_e}'}`},
		{request: `{url: 'http://127.0.0.1:8080/{id}'}`},
		{request: `{url: 'ftp://shop.example/'}`, want: []string{`url = "ftp://shop.example/": write a whole URL that begins with https:// or http://`}},
		{request: `{url: '/items/{id}'}`, want: []string{`url = "/items/{id}": write a whole URL that begins with https:// or http://`}},
		{request: `{url: 'https:///items'}`, want: []string{`url = "https:///items": write a URL with a host`}},
		{request: `{url: 'https://shop.example:x/'}`, want: []string{`url = "https://shop.example:x/": write a URL such as https://api.example.com/items/{id}`}},
		{request: `{url: 'https://shop.example/{id'}`, want: []string{`url = "https://shop.example/{id": ` + placeholderForm + `: write other braces as %7B and %7D`}},
		{request: `{url: 'https://shop.example/{}'}`, want: []string{`url = "https://shop.example/{}": ` + placeholderForm + `: write other braces as %7B and %7D`}},
		{request: `{url: 'https://shop.example/{Product ID}'}`},
		{request: `{url: '{url}'}`},
		{request: `{headers: {host: other.example}}`},
		{request: `{url: '{url}?x=1'}`, want: []string{`url = "{url}?x=1": write a whole URL that begins with https:// or http://`}},
		{request: `{url: 'https://shop.example/{ a}'}`, want: []string{`url = "https://shop.example/{ a}": ` + placeholderForm + `: write other braces as %7B and %7D`}},
		{request: `{url: 'https://{host}.example/'}`, want: []string{`url = "https://{host}.example/": write the host without a placeholder: a record must not choose whose ceiling it uses`}},
		{request: `{url: 'https://shop.example:80/#top'}`, want: []string{`url = "https://shop.example:80/#top": take away the # and what follows: it is never sent`}},
		{request: `{url: 'https://u:p@shop.example/'}`, want: []string{`url: write the URL without user and password: send them with secret_headers`}},

		{request: `{method: POST}`},
		{request: `{method: PROPFIND}`},
		{request: `{method: post}`, want: []string{`method = "post": methods are case-sensitive: write POST`}},
		{request: `{method: 'GET /'}`, want: []string{`method = "GET /": write an HTTP method such as GET or POST`}},
		{request: `{method: CONNECT}`, want: []string{`method = "CONNECT": a tunnel collects nothing: write another method, such as GET or POST`}},

		{request: `{headers: {X-A: "", X-B: "a\tb"}, secret_headers: {Authorization: env:A}}`},
		{request: `{headers: {"X A": b}}`, want: []string{`headers.x a = "b": write a header's name with letters, digits and hyphens`}},
		{request: `{headers: {"": b}}`, want: []string{`headers. = "b": write a header's name with letters, digits and hyphens`}},
		{request: `{headers: {X-A: "b\nC: d"}}`, want: []string{`headers.X-A = "b\nC: d": write the value in one line, without control characters`}},
		{request: `{headers: {upgrade: b}}`, want: []string{`headers.Upgrade = "b": this header is written by the HTTP client itself: take it away`}},
		{request: `{secret_headers: {content-length: env:A}}`, want: []string{`secret_headers.Content-Length: this header is written by the HTTP client itself: take it away`}},
		{request: `{headers: {authorization: b}}`, want: []string{`headers.Authorization: this header holds a secret: move it to secret_headers and write a reference, env:NAME or file:PATH`}},
		{request: `{secret_headers: {X-A: b}}`, want: []string{`secret_headers.X-A: write a reference, not the secret itself: env:NAME for an environment variable, file:PATH for a file`}},
		{request: `{headers: {x-a: b}, secret_headers: {X-A: env:B}}`, want: []string{`secret_headers.X-A: this header stands in headers as well: keep one of them`}},

		{request: `{headers: {X-Auth-Key: b}}`, want: []string{`headers.X-Auth-Key: ` + secretHeader}},
		{request: `{headers: {private-token: b}}`, want: []string{`headers.Private-Token: ` + secretHeader}},
		{request: `{headers: {Ocp-Apim-Subscription-Key: b}}`, want: []string{`headers.Ocp-Apim-Subscription-Key: ` + secretHeader}},
		{request: `{headers: {X-Key: 9f86d081884c7d659a2feaa0c55ad015}}`, want: []string{`headers.X-Key: ` + secretHeader}},
		{request: `{headers: {X-Key: price, X-CSRF-Token: fetch, X-Atlassian-Token: no-check, Sort-Key: by-price}}`},

		{request: `{url: 'https://shop.example/?api_key=abc&id={id}'}`, want: []string{`url: the parameter api_key ` + secretParameter}},
		{request: `{url: 'https://shop.example/?id={id}&X-Amz-Signature=1f'}`, want: []string{`url: the parameter X-Amz-Signature ` + secretParameter}},
		{request: `{url: 'https://shop.example/{id?a%70i_key=abc'}`, want: []string{`url: the parameter api_key ` + secretParameter}},
		{request: `{url: 'https://shop.example/?key=9f86d081884c7d659a2feaa0c55ad015'}`, want: []string{`url: the parameter key ` + secretParameter}},
		{request: `{url: 'https://shop.example/?key=price&token={token}&pageToken=1&max_tokens=5&api_key='}`},
		{request: `{url: 'https://shop.example/?id={id}', secret_query: {Api-Key: env:A, api-key: 'file:b c'}}`},
		{request: `{secret_query: {"": env:A}}`, want: []string{`secret_query.: write the name of a parameter`}},
		{request: `{secret_query: {k: b}}`, want: []string{`secret_query.k: ` + errReference.Error()}},
		{request: `{secret_query: b}`, want: []string{`secret_query: write names of parameters with references here, not a single value`}},
		{request: `{secret_query: {k: [env:A]}}`, want: []string{`secret_query.k: write one value here, not a list`}},
		{request: `{url: 'https://shop.example/?a%20b={id}', secret_query: {a b: env:A}}`, want: []string{`secret_query.a b: this parameter stands in url as well: keep one of them`}},

		{request: `{secret_headers: {X-A: env:A}, secret_origins: ['http://shop.example', 'http://shop.example:8080', 'https://shop.example:8443']}`},
		{request: `{secret_origins: ['http://shop.example']}`, want: []string{`secret_origins: there are no secrets that could go there: set secret_headers or secret_query, or take this away`}},
		{request: `{secret_query: {k: env:A}, secret_origins: ['http://shop.example/', shop.example, 'ftp://shop.example', 'http://shop.example:', 'http://x:y@shop.example']}`, want: []string{
			`secret_origins[0] = "http://shop.example/": ` + originForm, `secret_origins[1] = "shop.example": ` + originForm,
			`secret_origins[2] = "ftp://shop.example": ` + originForm, `secret_origins[3] = "http://shop.example:": ` + originForm,
			`secret_origins[4]: ` + originForm}},
		{request: `{secret_query: {k: env:A}, secret_origins: ['https://shop.example', 'http://shop.example:80', 'http://other.example', 'http://SHOP.example']}`, want: []string{
			`secret_origins[0] = "https://shop.example": https on its own port needs no leave: take it away`,
			`secret_origins[1] = "http://shop.example:80": 80 is the port of http: write http://shop.example`,
			`secret_origins[2] = "http://other.example": the host is none of the source's hosts: list it there, or take it away`,
			`secret_origins[3] = "http://SHOP.example": write the host in lower case: shop.example`}},
		{request: `{secret_query: {k: env:A}, secret_origins: ['http://shop.example', 'http://shop.example']}`, want: []string{
			`secret_origins[1] = "http://shop.example": this origin is listed twice: keep one`}},

		{request: `{body_type: json, body: '{"a": {a}, "b": [{b}], "c": {}, "d": {"e": 1}}'}`},
		{request: `{body_type: json, body: '{a}'}`},
		{request: `{body_type: json, body: '{"a": "b {c d} e"}'}`},
		{request: `{body_type: json, body: '{a}{b}'}`, want: []string{`body = "{a}{b}": ` + json}},
		{request: `{body_type: json, body: '{"a": {a}'}`, want: []string{`body = "{\"a\": {a}": ` + json}},
		{request: `{body_type: form, body: 'a={a}&b=%20c'}`},
		{request: `{body_type: form, body: 'a={a'}`, want: []string{`body = "a={a": ` + form}},
		{request: `{body_type: form, body: 'a=%zz'}`, want: []string{`body = "a=%zz": ` + form}},
		{request: `{body_type: form, body: 'a=b c'}`, want: []string{`body = "a=b c": ` + form}},
		{request: `{body: 'a=b'}`, want: []string{`body_type: say how the body is written: json or form`}},
		{request: `{body_type: form}`, want: []string{`body: body_type is set, but there is no body: write one, or take body_type away`}},
		{request: `{body_type: xml, body: '<a/>'}`, want: []string{`body_type = "xml": use json or form`}},
		{request: `{body_type: json, body: '1', headers: {content-type: a}}`, want: []string{`headers.Content-Type: body_type sets this header: take it away`}},
	}
	for _, test := range tests {
		_, err := loadText(sourceWith("request: " + test.request))
		if test.want == nil {
			require.NoError(t, err, test.request)
			continue
		}
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid, test.request)
		var got []string
		for _, p := range invalid.Problems {
			require.Equal(t, "weir.yaml:6", p.Origin)
			p.Origin = ""
			got = append(got, p.Error())
		}
		for i := range test.want {
			test.want[i] = "sources[0].request." + test.want[i]
		}
		require.Equal(t, test.want, got, test.request)
	}
}
