package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"

	"github.com/weir-collect/weir/config"
)

// dialTimeout bounds the first contact: a wrong address must be known within 10 s.
const dialTimeout = 8 * time.Second

// TemporalOptions are what a caller adds to the configuration.
type TemporalOptions struct {
	Logger  log.Logger
	Metrics client.MetricsHandler
	// Identity names this process in histories; the SDK's own when empty.
	Identity string
}

// Temporal connects to the engine and checks that the namespace is there. What the configuration leaves open comes from
// Temporal's own environment (TEMPORAL_ADDRESS and so on) and profile, so that weir and the Temporal CLI agree.
func Temporal(ctx context.Context, cfg config.Config, secrets Secrets, o TemporalOptions) (client.Client, error) {
	options, err := temporalOptions(cfg, secrets)
	if err != nil {
		return nil, err
	}
	options.Logger, options.MetricsHandler, options.Identity = o.Logger, o.Metrics, o.Identity
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, &NoEngineError{Address: options.HostPort, Cause: err}
	}
	if err := checkNamespace(ctx, c, options); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// TemporalWhenNeeded is Temporal's client before anything was sent, and the first contact, which says what Temporal would
// have said. The error is one of the configuration.
func TemporalWhenNeeded(cfg config.Config, secrets Secrets, o TemporalOptions) (client.Client, *Contact, error) {
	options, err := temporalOptions(cfg, secrets)
	if err != nil {
		return nil, nil, err
	}
	options.Logger, options.MetricsHandler, options.Identity = o.Logger, o.Metrics, o.Identity
	c, err := client.NewLazyClient(options)
	if err != nil {
		return nil, nil, fmt.Errorf("Temporal at %s: %w", options.HostPort, err)
	}
	return c, NewContact(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		return checkNamespace(ctx, c, options)
	}, time.Now), nil
}

func checkNamespace(ctx context.Context, c client.Client, options client.Options) error {
	_, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: options.Namespace})
	var missing *serviceerror.NamespaceNotFound
	var denied *serviceerror.PermissionDenied
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("Temporal at %s has no namespace %q: create it, or set temporal.namespace", options.HostPort, options.Namespace)
	case errors.As(err, &denied):
		return fmt.Errorf("Temporal at %s denies access to namespace %q: check temporal.api_key or the client certificate (%w)",
			options.HostPort, options.Namespace, err)
	case EngineLost(err):
		return &NoEngineError{Address: options.HostPort, Cause: err}
	case err != nil:
		return fmt.Errorf("Temporal at %s does not answer for namespace %q: %w", options.HostPort, options.Namespace, err)
	}
	return nil
}

// TemporalAddress is where Temporal would dial.
func TemporalAddress(cfg config.Config, secrets Secrets) (address, namespace string, err error) {
	o, err := temporalOptions(cfg, secrets)
	return o.HostPort, o.Namespace, err
}

func temporalOptions(cfg config.Config, secrets Secrets) (client.Options, error) {
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return options, fmt.Errorf("read Temporal's own client environment: %w", err)
	}
	t := cfg.Temporal
	if t.Address != "" {
		options.HostPort = t.Address
	}
	if options.HostPort == "" {
		options.HostPort = client.DefaultHostPort
	}
	if t.Namespace != "" {
		options.Namespace = t.Namespace
	}
	if options.Namespace == "" {
		options.Namespace = client.DefaultNamespace
	}
	if !t.APIKey.IsZero() {
		if options.Credentials, err = apiKey(t.APIKey, secrets.In(cfg).cached()); err != nil {
			return options, err
		}
	}
	if t.WantsTLS() {
		options.ConnectionOptions.TLS, err = tlsConfig(cfg, options.ConnectionOptions.TLS)
		options.ConnectionOptions.TLSDisabled = false
	} else if t.TLS.Enabled != nil {
		// Without the second field the SDK would turn TLS on again for an API key.
		options.ConnectionOptions.TLS, options.ConnectionOptions.TLSDisabled = nil, true
	}
	return options, err
}

// apiKey gives every request the key as it is by then: one that was replaced is taken up without a restart. One that cannot
// be read at all is an error of the configuration, and known at once.
func apiKey(reference config.Secret, secrets *CachedSecrets) (client.Credentials, error) {
	value := func(context.Context) (string, error) { return secrets.of("temporal.api_key", reference) }
	if _, err := value(context.Background()); err != nil {
		return nil, err
	}
	return client.NewAPIKeyDynamicCredentials(value), nil
}

// tlsConfig is what the configuration says of TLS; what it leaves open is as in base, Temporal's own environment.
func tlsConfig(cfg config.Config, base *tls.Config) (*tls.Config, error) {
	t := cfg.Temporal.TLS
	out := &tls.Config{}
	if base != nil {
		out = base.Clone()
	}
	out.MinVersion = tls.VersionTLS12
	if t.ServerName != "" {
		out.ServerName = t.ServerName
	}
	if t.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(cfg.Path(t.CertFile), cfg.Path(t.KeyFile))
		if err != nil {
			return nil, fmt.Errorf("temporal.tls.cert_file: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	if t.CAFile != "" {
		pem, err := os.ReadFile(cfg.Path(t.CAFile))
		if err != nil {
			return nil, fmt.Errorf("temporal.tls.ca_file: %w", err)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("temporal.tls.ca_file: %s holds no PEM certificate", cfg.Path(t.CAFile))
		}
	}
	return out, nil
}
