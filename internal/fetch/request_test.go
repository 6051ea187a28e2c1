package fetch

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/urlkey"
)

// api is a source that makes its URL from a record's fields.
func api(url string) collection.Source {
	src := source()
	src.Request.URL = url
	return src
}

func withFields(fields string) collection.Record {
	return collection.Record{Fields: json.RawMessage(fields)}
}

// The URL requested is the one written, but for what cannot stand in a request line.
func TestURLAsSubmitted(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.example":                        "http://a.example/",
		"HTTP://A.Example:80/Path?Q=1#frag":       "http://a.example/Path?Q=1",
		"http://a.example/?B=1&A=2":               "http://a.example/?B=1&A=2",
		"http://a.example/a%2fb/../c;x=1?":        "http://a.example/a%2fb/../c;x=1?",
		"http://a.example/a+b/_/90%+of+x":         "http://a.example/a+b/_/90%25+of+x",
		"http://a.example/p%2d1?q=50%":            "http://a.example/p%2d1?q=50%25",
		" http://a.example/a b?c d\n":             "http://a.example/a%20b?c%20d",
		"http://a.example/ü?ü":                    "http://a.example/%C3%BC?%C3%BC",
		"https://тест.тест:33":                    "https://xn--e1aybc.xn--e1aybc:33/",
		"https://a.example:443/":                  "https://a.example/",
		"http://[2001:DB8::0:1]:8080/":            "http://[2001:db8::1]:8080/",
		"http://a.example?x":                      "http://a.example/?x",
		"http://a.example/(x)!$&'()*+,;=:@-._~[]": "http://a.example/(x)!$&'()*+,;=:@-._~[]",
	} {
		req, err := BuildRequest(source(), record(raw))
		require.NoError(t, err, raw)
		require.Equal(t, want, req.URL.String(), raw)
		key, err := urlkey.Key(raw)
		require.NoError(t, err)
		again, err := urlkey.Key(req.URL.String())
		require.NoError(t, err)
		require.Equal(t, key, again, "what is requested is what the key names")
	}
}

func TestURLThatCannotBeRequested(t *testing.T) {
	for name, rec := range map[string]collection.Record{
		"none":            {},
		"another scheme":  record("ftp://a.example/"),
		"a file":          record("file:///etc/passwd"),
		"no scheme":       record("a.example/x"),
		"credentials":     record("http://user:hunter2@a.example/"),
		"no host":         record("http:///x"),
		"bad port":        record("http://a.example:99999/"),
		"long":            record("http://a.example/" + strings.Repeat("x", MaxURL)),
		"long once coded": record("http://a.example/" + strings.Repeat("ü", MaxURL/4)),
		"broken fields":   withFields(`{"a":`),
		"a list":          withFields(`[1]`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := BuildRequest(source(), rec)
			var input *InputError
			require.ErrorAs(t, err, &input)
			res, o := New(Options{}).Fetch(t.Context(), source(), rec, collection.Via{})
			requireFails(t, res, o, failure.TransportRequestInvalid, collection.ReasonBadRequest)
			require.NotContains(t, o.Message, "hunter2")
		})
	}
	_, err := BuildRequest(source(), record("http://a.example/"+strings.Repeat("x", MaxURL-len("http://a.example/"))))
	require.NoError(t, err, "the bound itself is allowed")
}

func TestURLTemplate(t *testing.T) {
	rec := collection.Record{
		URL:    "http://a.example/p?x=1",
		Fields: json.RawMessage(`{"sku":"A/1 é?&#","n":12.50,"big":12345678901234567890,"ok":true,"Product Name":"Tea","empty":"","dots":"..","null":null,"list":[1],"object":{"a":1}}`),
	}
	for template, want := range map[string]string{
		"http://a.example/i/{sku}":             "http://a.example/i/A%2F1%20%C3%A9%3F%26%23",
		"http://a.example/?q={sku}":            "http://a.example/?q=A%2F1%20%C3%A9%3F%26%23",
		"http://a.example/{n}/{ok}":            "http://a.example/12.50/true",
		"http://a.example/{big}":               "http://a.example/12345678901234567890",
		"http://a.example/{Product Name}.xml":  "http://a.example/Tea.xml",
		"http://a.example/?e={empty}&d={dots}": "http://a.example/?e=&d=..",
		"http://a.example/?u={url}":            "http://a.example/?u=http%3A%2F%2Fa.example%2Fp%3Fx%3D1",
		"{url}":                                "http://a.example/p?x=1",
		"http://{Product Name}.c.example/":     "http://tea.c.example/",
		"http://a.example/{}?{ x }":            "http://a.example/%7B%7D?{%20x%20}",
	} {
		req, err := BuildRequest(api(template), rec)
		require.NoError(t, err, template)
		require.Equal(t, want, req.URL.String(), template)
	}
	for template, field := range map[string]string{
		"http://a.example/{missing}":    "missing",
		"http://a.example/?{missing}":   "missing",
		"http://a.example/{null}":       "null",
		"http://a.example/?x={list}":    "list",
		"http://a.example/?x={object}":  "object",
		"http://a.example/{empty}/x":    "empty",
		"http://a.example/{dots}/admin": "dots",
	} {
		_, err := BuildRequest(api(template), rec)
		var input *InputError
		require.ErrorAs(t, err, &input, template)
		require.Equal(t, field, input.Field)
		require.Contains(t, input.Error(), `"`+field+`"`, "the message names the field")
	}
}

func TestBodyTemplates(t *testing.T) {
	fields := `{"sku":"A \"1\" é","n":12.50,"list":[1,{"a":null}],"null":null}`
	for _, tt := range []struct{ kind, template, want, contentType string }{
		{"json", `{"id":{sku},"n":{n},"l":{list},"z":{null},"fixed":{"a":{}}}`, `{"id":"A \"1\" é","n":12.50,"l":[1,{"a":null}],"z":null,"fixed":{"a":{}}}`, "application/json"},
		{"json", `{"text":"sku \" {sku}: {n}"}`, `{"text":"sku \" A \"1\" é: 12.50"}`, "application/json"},
		{"", `[{n}, {sku}]`, `[12.50, "A \"1\" é"]`, "application/json"},
		{"form", `id={sku}&n={n}`, `id=A+%221%22+%C3%A9&n=12.50`, "application/x-www-form-urlencoded"},
	} {
		src := source()
		src.Request.Method, src.Request.Body, src.Request.BodyType = "post", tt.template, tt.kind
		rec := withFields(fields)
		rec.URL = "http://a.example/"
		req, err := BuildRequest(src, rec)
		require.NoError(t, err)
		body, err := io.ReadAll(req.Body)
		require.NoError(t, err)
		require.Equal(t, "POST", req.Method)
		require.Equal(t, tt.contentType, req.Header.Get("Content-Type"))
		require.Equal(t, int64(len(body)), req.ContentLength)
		if tt.contentType == "application/json" && !strings.Contains(tt.template, "text") {
			require.JSONEq(t, tt.want, string(body))
			continue
		}
		if tt.kind == "form" {
			require.Equal(t, tt.want, string(body))
			continue
		}
		var parsed map[string]string
		require.NoError(t, json.Unmarshal(body, &parsed))
		require.Equal(t, `sku " A "1" é: 12.50`, parsed["text"])
	}
}

func TestRequestsThatCannotBeMade(t *testing.T) {
	rec := withFields(`{"a":1}`)
	rec.URL = "http://a.example/"
	for name, r := range map[string]collection.Request{
		"a field is missing in the body": {Method: "POST", Body: `{"x":{y}}`},
		"a form field is a list":         {Method: "POST", Body: `x={list}`, BodyType: "form"},
		"the body is not JSON":           {Method: "POST", Body: `{"x":{a}`},
		"the body's type is not known":   {Method: "POST", Body: `x`, BodyType: "xml"},
		"the body is too long":           {Method: "POST", Body: `"` + strings.Repeat("x", MaxRequestBody) + `"`},
		"the method is none":             {Method: "GET IT"},
		"a header breaks the line":       {Headers: map[string]string{"X": "a\r\nY: b"}},
		"a header has no name":           {Headers: map[string]string{"": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			src := source()
			src.Request = r
			_, err := BuildRequest(src, rec)
			var input *InputError
			require.ErrorAs(t, err, &input)
		})
	}
}

func TestHeaders(t *testing.T) {
	web := newWeb(t, func(http.ResponseWriter, *http.Request) {})
	options := web.options()
	options.UserAgent = "weir-test (+https://example.com/bot)"
	_, _ = get(t, options, source(), "http://a.example/")
	src := source()
	src.Request.Headers = map[string]string{"user-agent": "own", "accept-encoding": "identity", "Host": "b.example", "X-A": "1"}
	_, _ = get(t, options, src, "http://a.example/")

	first, second := web.requests[0], web.requests[1]
	require.Equal(t, "weir-test (+https://example.com/bot)", first.Header.Get("User-Agent"))
	require.Equal(t, acceptEncoding, first.Header.Get("Accept-Encoding"))
	require.Empty(t, first.Header.Get("Referer"))
	require.Equal(t, "own", second.Header.Get("User-Agent"))
	require.Equal(t, "identity", second.Header.Get("Accept-Encoding"))
	require.Equal(t, "b.example", second.Host)
	require.Equal(t, "1", second.Header.Get("X-A"))
}

func TestSecretHeaders(t *testing.T) {
	const value = "s3cr3t-value"
	web := newWeb(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	options := web.options()
	options.Secret = func(ref string) (string, error) {
		if ref == "env:KEY" {
			return value, nil
		}
		return "", errors.New("variable NOKEY is not set")
	}
	src := source()
	src.Request.SecretHeaders, src.Request.SecretOrigins = map[string]string{"X-Key": "env:KEY"}, []string{"http://a.example"}
	res, o := get(t, options, src, "http://a.example/?token=hidden")
	requireFails(t, res, o, "", collection.ReasonBlocked)
	require.Equal(t, value, web.requests[0].Header.Get("X-Key"))
	requireNoSecrets(t, o, value, "hidden")

	t.Run("one that cannot be read waits for the store", func(t *testing.T) {
		src := source()
		src.Request.SecretHeaders, src.Request.SecretOrigins = map[string]string{"X-Key": "env:NOKEY"}, []string{"http://a.example"}
		res, o := get(t, options, src, "http://a.example/")
		requireFails(t, res, o, failure.TransportSecretUnavailable, collection.ReasonStoreUnavailable)
		require.Contains(t, o.Message, "X-Key")
		require.True(t, failure.Lookup(failure.Classify(o)).Retry)
		require.Len(t, web.requests, 1)
	})
	t.Run("none is sent where the record points", func(t *testing.T) {
		res, o := get(t, options, src, "http://attacker.example/")
		requireFails(t, res, o, failure.TransportRequestInvalid, collection.ReasonBadRequest)
		require.Len(t, web.requests, 1)
	})
	t.Run("nor is a credential among the plain headers", func(t *testing.T) {
		src := source()
		src.Request.Headers = map[string]string{"authorization": "Bearer x"}
		res, o := get(t, options, src, "http://attacker.example/")
		requireFails(t, res, o, failure.TransportRequestInvalid, collection.ReasonBadRequest)
		require.Len(t, web.requests, 1)
	})
	t.Run("a client without secrets says so", func(t *testing.T) {
		res, o := get(t, web.options(), src, "http://a.example/")
		requireFails(t, res, o, failure.TransportSecretUnavailable, collection.ReasonStoreUnavailable)
	})
	t.Run("a value that breaks the line is not shown", func(t *testing.T) {
		broken := web.options()
		broken.Secret = func(string) (string, error) { return value + "\r\nX: y", nil }
		res, o := get(t, broken, src, "http://a.example/")
		requireFails(t, res, o, failure.TransportSecretUnavailable, collection.ReasonStoreUnavailable)
		requireNoSecrets(t, o, value)
	})
}

// A template's own host is trusted with credentials, a field's is not.
func TestLiteralHost(t *testing.T) {
	for template, trusted := range map[string]bool{
		"http://api.other/{x}":   true,
		"http://api.other":       true,
		"http://api.other?q={x}": true,
		"http://{x}.other/":      false,
		"{x}://api.other/":       false,
		"{url}":                  false,
		"":                       false,
	} {
		require.Equal(t, trusted, literalHost(template), template)
	}
}

func requireNoSecrets(t *testing.T, o failure.Observation, secrets ...string) {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	for _, secret := range secrets {
		require.NotContains(t, string(text), secret)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range [][3]string{
		{"http://a.example/{name}", `{"x":{name}}`, "value"},
		{"http://a.example/?q={name}&r={name}", `{"x":"{name}"}`, "a/../b?#%é"},
		{"http://{name}.c.example/", `[{name},"\"{name}"]`, `"}]`},
		{"{name}", `{name}`, "http://evil.example/"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, urlTemplate, body, value string) {
		text, err := json.Marshal(value)
		if err != nil {
			t.Skip("not a field's value")
		}
		fields := fields{"name": text}
		if out, err := expandJSON(body, fields); err == nil && !json.Valid([]byte(out)) {
			t.Fatalf("%q with %q gives %q, which is not JSON", body, value, out)
		}
		out, err := expandURL(urlTemplate, fields)
		if err != nil {
			return
		}
		fixed := collection.Placeholder.ReplaceAllString(urlTemplate, "")
		for i := range len(out) {
			unreserved := out[i] == '%' || strings.IndexByte("-._~", out[i]) >= 0 || '0' <= out[i] && out[i] <= '9' || 'a' <= out[i]|0x20 && out[i]|0x20 <= 'z'
			if !unreserved && strings.IndexByte(fixed, out[i]) < 0 {
				t.Fatalf("%q with %q gives %q: byte %q comes from the value", urlTemplate, value, out, out[i])
			}
		}
	})
}
