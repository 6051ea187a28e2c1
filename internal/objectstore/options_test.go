package objectstore

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOptionsThatCannotWork(t *testing.T) {
	t.Parallel()
	good := Options{Endpoint: "http://127.0.0.1:9000", Bucket: "weir", AccessKey: "a", SecretKey: "b"}
	for name, c := range map[string]struct {
		change func(o *Options)
		words  []string
	}{
		"no bucket":      {func(o *Options) { o.Bucket = "" }, []string{"no bucket"}},
		"half a key":     {func(o *Options) { o.SecretKey = "" }, []string{"only one of"}},
		"other half":     {func(o *Options) { o.AccessKey = "" }, []string{"only one of"}},
		"keys twice":     {func(o *Options) { o.Keys = func() (string, string, error) { return "a", "b", nil } }, []string{"given twice"}},
		"attempts":       {func(o *Options) { o.Attempts = -1 }, []string{"-1"}},
		"no scheme":      {func(o *Options) { o.Endpoint = "127.0.0.1:9000" }, []string{"https://"}},
		"another scheme": {func(o *Options) { o.Endpoint = "ftp://h" }, []string{"ftp://h", "https://"}},
		"no host":        {func(o *Options) { o.Endpoint = "http://" }, []string{"https://"}},
		"query":          {func(o *Options) { o.Endpoint = "http://h?x=1" }, []string{"no query"}},
		"password":       {func(o *Options) { o.Endpoint = "http://u:hidden@h" }, []string{"password"}},
		"broken":         {func(o *Options) { o.Endpoint = "http://u:hidden@h:port" }, []string{"not a URL"}},
		"everything": {
			func(o *Options) { *o = Options{Endpoint: "x", AccessKey: "a", Attempts: -2} },
			[]string{"no bucket", "only one of", "-2", `"x"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := good
			c.change(&o)
			_, err := Open(t.Context(), o)
			for _, word := range c.words {
				require.ErrorContains(t, err, word)
			}
			require.NotContains(t, err.Error(), "hidden")
		})
	}
	_, err := Open(t.Context(), good)
	require.NoError(t, err)
}

func TestDefaultChain(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "FROMENVIRONMENT")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ENDPOINT_URL", "http://stray.example.com")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	for name, c := range map[string]struct {
		options          Options
		key, region, bin string
	}{
		"environment": {Options{Bucket: "b"}, "FROMENVIRONMENT", "eu-central-1", "AWS S3 in eu-central-1"},
		"own region":  {Options{Bucket: "b", Region: "eu-west-3"}, "FROMENVIRONMENT", "eu-west-3", "AWS S3 in eu-west-3"},
		"own keys": {
			Options{Bucket: "b", AccessKey: "own", SecretKey: "s", Endpoint: "https://s3.example.com/"},
			"own", "us-east-1", "https://s3.example.com",
		},
	} {
		store, err := Open(t.Context(), c.options)
		require.NoError(t, err, name)
		found, err := store.credentials.Retrieve(t.Context())
		require.NoError(t, err, name)
		require.Equal(t, c.key, found.AccessKeyID, name)
		require.Equal(t, c.region, store.client.Options().Region, name)
		require.Equal(t, c.bin, store.address, name)
	}
}

// withoutCredentials is an environment in which nothing but the machine's role could give any.
func withoutCredentials(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
}

// TestNoRoleOfTheMachine: a machine without a role is told of in the error alone; the SDK writes no line of its own.
func TestNoRoleOfTheMachine(t *testing.T) {
	withoutCredentials(t)
	asked := 0
	metadata := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(metadata.Close)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.URL)
	written, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = written.Close() })
	stderr := os.Stderr
	t.Cleanup(func() { os.Stderr = stderr })
	os.Stderr = written

	store, err := Open(t.Context(), Options{Bucket: "weir", Endpoint: "http://127.0.0.1:1", Region: "us-east-1"})
	require.NoError(t, err)
	require.ErrorContains(t, store.Check(t.Context()), "no credentials for the store at http://127.0.0.1:1 (bucket weir)")
	require.NotZero(t, asked)
	text, err := os.ReadFile(written.Name())
	require.NoError(t, err)
	require.Empty(t, string(text))
}

func TestNoCredentialsAtAll(t *testing.T) {
	withoutCredentials(t)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	store, err := Open(t.Context(), Options{Bucket: "weir", Endpoint: "http://127.0.0.1:1", Region: "us-east-1"})
	require.NoError(t, err, "Open asks nobody")
	err = store.Check(t.Context())
	require.ErrorContains(t, err, "no credentials for the store at http://127.0.0.1:1 (bucket weir)")
	require.ErrorContains(t, err, "give access key and secret key")
}

func TestConnectionsForManyRequests(t *testing.T) {
	t.Parallel()
	client := ownClient()
	require.Equal(t, 5*time.Second, client.GetDialer().Timeout)
	require.Equal(t, 64, client.GetTransport().MaxIdleConnsPerHost)
	require.GreaterOrEqual(t, client.GetTransport().MaxIdleConns, 64)
	require.Zero(t, client.GetTimeout(), "the context bounds a request, and bodies may be large")
	own := &http.Client{}
	require.Same(t, own, httpClient(own))
}
