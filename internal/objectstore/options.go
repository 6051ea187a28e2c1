package objectstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"
)

const (
	// defaultRegion is what stores that know no regions expect requests to be signed for.
	defaultRegion = "us-east-1"
	// defaultAttempts and maxBackoff keep the SDK's retries few and short.
	defaultAttempts = 3
	maxBackoff      = 2 * time.Second
)

// Options say where a store is and who asks.
type Options struct {
	// Endpoint is the store's URL, for instance "http://127.0.0.1:9000"; empty means AWS in the given region.
	Endpoint string
	// Region is what requests are signed for. Empty means the AWS environment's region, else us-east-1.
	Region string
	Bucket string
	// PathStyle puts the bucket into the path instead of the host name, as most stores other than AWS want it.
	PathStyle bool
	// AccessKey and SecretKey sign the requests. Both empty means the AWS default chain: environment, shared files,
	// container or instance role.
	AccessKey, SecretKey string
	// Keys gives AccessKey and SecretKey as they are by now, instead of them. It is asked for every request, so it should cache.
	Keys func() (access, secret string, err error)
	// HTTPClient sends the requests; nil means a client of the package's own, which gives up connecting after 5 s and
	// keeps up to 64 idle connections.
	HTTPClient *http.Client
	// Attempts is how often one request is tried in all; 0 means 3.
	Attempts int
	// Silence is after how long without a byte from the store, or taken by it, a request is ended, with an error that is a
	// context.DeadlineExceeded and is not tried again here; 0 means a minute. The answer to an upload may take longer by a second
	// for each 64 KiB of it, up to 64 s: so much may still be under way on a slow line. How long a whole request may take is its
	// context's business.
	Silence time.Duration
}

func (o Options) silence() time.Duration {
	if o.Silence == 0 {
		return defaultSilence
	}
	return o.Silence
}

// check reports everything that is wrong with the options by themselves.
func (o Options) check() error {
	var problems []error
	if o.Bucket == "" {
		problems = append(problems, errors.New("no bucket is given: name the bucket that holds weir's objects"))
	}
	if (o.AccessKey == "") != (o.SecretKey == "") {
		problems = append(problems, errors.New("only one of access key and secret key is given: give both, or none to use the AWS default chain"))
	}
	if o.Keys != nil && o.AccessKey != "" {
		problems = append(problems, errors.New("keys are given twice: give Keys, or access key and secret key"))
	}
	if o.Attempts < 0 {
		problems = append(problems, fmt.Errorf("attempts is %d: use 1 or more, or 0 for %d", o.Attempts, defaultAttempts))
	}
	if o.Silence < 0 {
		problems = append(problems, fmt.Errorf("silence is %s: use a time above zero, or 0 for %s", o.Silence, defaultSilence))
	}
	if o.Endpoint != "" {
		problems = append(problems, checkEndpoint(o.Endpoint))
	}
	return errors.Join(problems...)
}

// checkEndpoint never repeats the endpoint itself where it may hold a password.
func checkEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return errors.New("the endpoint is not a URL: write it like https://s3.example.com")
	case u.User != nil:
		return errors.New("the endpoint holds a user name or a password: give them as access key and secret key")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("endpoint %q: write it like https://s3.example.com, with http or https, a host, and no query", endpoint)
	}
	return nil
}

// identity resolves who asks and for which region. The default chain is consulted only when no keys are given, so that a
// stray environment variable never changes what was configured.
func (o Options) identity(ctx context.Context) (aws.CredentialsProvider, string, error) {
	if o.Keys != nil {
		return providerOf(o.Keys), orDefault(o.Region, defaultRegion), nil
	}
	if o.AccessKey != "" {
		fixed := credentials.NewStaticCredentialsProvider(o.AccessKey, o.SecretKey, "")
		return aws.NewCredentialsCache(fixed), orDefault(o.Region, defaultRegion), nil
	}
	// The chain would write to stderr, past every logger, which way it tries next. That none led to credentials is an error of
	// Retrieve, and Check makes a sentence of it.
	chain, err := config.LoadDefaultConfig(ctx, config.WithRegion(o.Region), config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, "", fmt.Errorf("the AWS environment cannot be read: correct it or give access key and secret key: %w", err)
	}
	return chain.Credentials, orDefault(chain.Region, defaultRegion), nil
}

// address is how messages call the store.
func (o Options) address(region string) string {
	if o.Endpoint == "" {
		return "AWS S3 in " + region
	}
	return strings.TrimRight(o.Endpoint, "/")
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
