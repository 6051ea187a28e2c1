package fetch

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// Which record's URL a source's secrets may follow.
func TestWhereSecretsMayGo(t *testing.T) {
	const port = "go to https on its own port only"
	for _, tt := range []struct {
		url, template string
		origins       []string
		refused       string
	}{
		{url: "https://a.example/"},
		{url: "https://a.example:443/"},
		{url: "HTTPS://x.c.example/"},
		{url: "http://a.example/", refused: port},
		{url: "https://a.example:8443/", refused: port},
		{url: "http://a.example:443/", refused: port},
		{url: "https://other.example/", refused: "is not one of source"},
		{url: "http://other.example/", origins: []string{"http://other.example"}, refused: "is not one of source"},
		{url: "http://a.example/", origins: []string{"http://a.example"}},
		{url: "http://a.example:80/", origins: []string{"http://a.example"}},
		{url: "http://a.example:8081/", origins: []string{"http://a.example"}, refused: port},
		{url: "http://b.example/", origins: []string{"http://a.example"}, refused: port},
		{url: "https://a.example:8443/", origins: []string{"http://a.example", "https://a.example:8443"}},
		{url: "http://x.c.example:81/", origins: []string{"http://*.c.example:81"}},
		{url: "http://x.c.example/", origins: []string{"http://*.c.example:81"}, refused: port},
		{url: "http://127.0.0.1:8081/", origins: []string{"http://127.0.0.1:8081"}},
		{template: "http://api.elsewhere:8080/{url}", url: "x"},
	} {
		for _, secrets := range []collection.Request{
			{SecretHeaders: map[string]string{"X-Key": "env:KEY"}},
			{SecretQuery: collection.QuerySecrets{"key": "env:KEY"}},
			{Headers: map[string]string{"private-token": "x"}},
		} {
			src := source()
			src.Request = secrets
			src.Request.URL, src.Request.SecretOrigins = tt.template, tt.origins
			_, err := BuildRequest(src, record(tt.url))
			if tt.refused == "" {
				require.NoError(t, err, "%s %v", tt.url, tt.origins)
				continue
			}
			require.ErrorContains(t, err, tt.refused, "%s %v", tt.url, tt.origins)
			var input *InputError
			require.ErrorAs(t, err, &input)
		}
	}
	_, err := BuildRequest(source(), record("http://other.example:8081/"))
	require.NoError(t, err, "who sends no secrets may go anywhere")
}

// A record that leads the secrets astray costs no request, and its sentence names the key.
func TestSecretsAreNotSentInTheClear(t *testing.T) {
	web := newWeb(t, leads(nil))
	o := web.options()
	o.Secret = func(string) (string, error) { return "value", nil }
	src := source()
	src.Request.SecretHeaders = map[string]string{"Authorization": "env:AUTH"}
	for _, address := range []string{"http://a.example/", "http://a.example:8081/"} {
		res, seen := get(t, o, src, address)
		requireFails(t, res, seen, failure.TransportRequestInvalid, collection.ReasonBadRequest)
		require.Contains(t, seen.Message, "secret_origins")
	}
	require.Empty(t, web.requests)
}

func TestCredentialsAreDroppedByTheirNames(t *testing.T) {
	src := source()
	src.Request.SecretHeaders = map[string]string{"X-Any": "env:ANY"}
	req := httptest.NewRequest(http.MethodGet, "http://a.example/", nil)
	for _, name := range []string{"X-Any", "Authorization", "X-Auth-Key", "Ocp-Apim-Subscription-Key", "X-Api-Key", "Accept", "X-Csrf-Token"} {
		req.Header.Set(name, "v")
	}
	dropCredentials(req.Header, src)
	require.Equal(t, http.Header{"Accept": {"v"}, "X-Csrf-Token": {"v"}}, req.Header)
}
