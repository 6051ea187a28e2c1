package connect

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestTemporalOptionsPrecedence(t *testing.T) {
	tests := map[string]struct {
		section            string
		env                map[string]string
		address, namespace string
		tls, apiKey        bool
		disabled           bool
	}{
		"neither says anything": {address: client.DefaultHostPort, namespace: client.DefaultNamespace},
		"Temporal's environment": {
			env:     map[string]string{"TEMPORAL_ADDRESS": "env.example:7233", "TEMPORAL_NAMESPACE": "env"},
			address: "env.example:7233", namespace: "env",
		},
		"the configuration stands above it": {
			section: `temporal: {address: "cfg.example:7233", namespace: cfg}`,
			env:     map[string]string{"TEMPORAL_ADDRESS": "env.example:7233", "TEMPORAL_NAMESPACE": "env"},
			address: "cfg.example:7233", namespace: "cfg",
		},
		"each key by itself": {
			section: `temporal: {namespace: cfg}`,
			env:     map[string]string{"TEMPORAL_ADDRESS": "env.example:7233", "TEMPORAL_NAMESPACE": "env"},
			address: "env.example:7233", namespace: "cfg",
		},
		"TLS of the environment stays": {
			section: `temporal: {address: "cfg.example:7233"}`,
			env:     map[string]string{"TEMPORAL_TLS": "true"},
			address: "cfg.example:7233", namespace: "default", tls: true,
		},
		"TLS is turned off": {
			section: `temporal: {tls: {enabled: false}}`,
			env:     map[string]string{"TEMPORAL_TLS": "true", "TEMPORAL_API_KEY": "k"},
			address: client.DefaultHostPort, namespace: "default", disabled: true, apiKey: true,
		},
		"TLS is turned on": {
			section: `temporal: {tls: {enabled: true}}`,
			env:     map[string]string{"TEMPORAL_TLS": "false"},
			address: client.DefaultHostPort, namespace: "default", tls: true,
		},
		"an API key of the configuration wants TLS": {
			section: `temporal: {api_key: "env:KEY"}`,
			address: client.DefaultHostPort, namespace: "default", tls: true, apiKey: true,
		},
		"an API key of the environment wants it too": {
			env:     map[string]string{"TEMPORAL_API_KEY": "k"},
			address: client.DefaultHostPort, namespace: "default", tls: true, apiKey: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cleanEnvironment(t)
			for k, v := range test.env {
				t.Setenv(k, v)
			}
			cfg, secrets := load(t, test.section), secretsOf(map[string]string{"KEY": "k"})
			o, err := temporalOptions(cfg, secrets)
			require.NoError(t, err)
			require.Equal(t, test.address, o.HostPort)
			require.Equal(t, test.namespace, o.Namespace)
			require.Equal(t, test.tls, o.ConnectionOptions.TLS != nil, "TLS")
			require.Equal(t, test.disabled, o.ConnectionOptions.TLSDisabled, "TLS is off, whatever the SDK thinks of API keys")
			require.Equal(t, test.apiKey, o.Credentials != nil, "API key")
			address, namespace, err := TemporalAddress(cfg, secrets)
			require.NoError(t, err)
			require.Equal(t, [2]string{test.address, test.namespace}, [2]string{address, namespace})
		})
	}
}

func TestTemporalProfileCounts(t *testing.T) {
	cleanEnvironment(t)
	profile := filepath.Join(t.TempDir(), "temporal.toml")
	require.NoError(t, os.WriteFile(profile, []byte("[profile.default]\naddress = \"profile.example:7233\"\nnamespace = \"profile\"\n"), 0o600))
	t.Setenv("TEMPORAL_CONFIG_FILE", profile)
	address, namespace, err := TemporalAddress(load(t), secretsOf(nil))
	require.NoError(t, err)
	require.Equal(t, [2]string{"profile.example:7233", "profile"}, [2]string{address, namespace})

	require.NoError(t, os.WriteFile(profile, []byte("not TOML"), 0o600))
	_, _, err = TemporalAddress(load(t), secretsOf(nil))
	require.ErrorContains(t, err, "Temporal's own client environment")
}

// certificate writes a self-signed certificate and its key into a folder.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"temporal.example"}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
}

// TestTLSFiles are read beside the configuration, and complete what the environment says.
func TestTLSFiles(t *testing.T) {
	cleanEnvironment(t)
	t.Setenv("TEMPORAL_TLS_SERVER_NAME", "env.example")
	cfg := load(t, `temporal: {tls: {cert_file: cert.pem, key_file: key.pem, ca_file: cert.pem}}`)
	certificate(t, cfg.Path("."))
	o, err := temporalOptions(cfg, secretsOf(nil))
	require.NoError(t, err)
	got := o.ConnectionOptions.TLS
	require.Len(t, got.Certificates, 1)
	require.NotNil(t, got.RootCAs)
	require.Equal(t, "env.example", got.ServerName)
	require.Equal(t, uint16(tls.VersionTLS12), got.MinVersion)

	cfg = load(t, `temporal: {tls: {server_name: cfg.example}}`)
	o, err = temporalOptions(cfg, secretsOf(nil))
	require.NoError(t, err)
	require.Equal(t, "cfg.example", o.ConnectionOptions.TLS.ServerName)
}

func TestTLSFilesThatAreWrong(t *testing.T) {
	cleanEnvironment(t)
	for section, want := range map[string]string{
		`temporal: {tls: {cert_file: no.pem, key_file: no.pem}}`: "temporal.tls.cert_file",
		`temporal: {tls: {ca_file: no.pem}}`:                     "temporal.tls.ca_file",
		`temporal: {tls: {ca_file: weir.yaml}}`:                  "holds no PEM certificate",
		`temporal: {api_key: "env:NOT_SET"}`:                     "temporal.api_key",
	} {
		_, err := temporalOptions(load(t, section), secretsOf(nil))
		require.ErrorContains(t, err, want)
	}
}

// dial connects and measures how long it took.
func dial(t *testing.T, section string) (client.Client, time.Duration, error) {
	t.Helper()
	cleanEnvironment(t)
	start := time.Now()
	c, err := Temporal(t.Context(), load(t, section), secretsOf(nil), TemporalOptions{Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	return c, time.Since(start), err
}

func TestTemporalThatDoesNotAnswer(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	for name, address := range map[string]string{"nothing listens": closed.Addr().String(), "it listens and is silent": silent.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			_, took, err := dial(t, `temporal: {address: "`+address+`"}`)
			require.ErrorContains(t, err, address)
			require.ErrorContains(t, err, "temporal.address")
			require.Less(t, took, time.Minute)
		})
	}
}

func TestTemporalOfTheStack(t *testing.T) {
	s := stacktest.Shared(t)
	c, _, err := dial(t, `temporal: {address: "`+s.Temporal+`", namespace: "`+s.Namespace+`"}`)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.CheckHealth(t.Context(), &client.CheckHealthRequest{})
	require.NoError(t, err)

	_, _, err = dial(t, `temporal: {address: "`+s.Temporal+`", namespace: elsewhere}`)
	require.ErrorContains(t, err, `has no namespace "elsewhere"`)
	require.ErrorContains(t, err, s.Temporal)
	require.ErrorContains(t, err, "temporal.namespace")
}
