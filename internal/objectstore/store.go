package objectstore

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
)

const (
	connectTimeout = 5 * time.Second
	// idleConnections is how many requests may run side by side without opening new connections all the time.
	idleConnections = 64
)

// Store is one bucket of an S3 store. It is safe for concurrent use.
type Store struct {
	client      *s3.Client
	credentials aws.CredentialsProvider
	bucket      string
	// address is for messages; it never holds a credential.
	address string
}

// Open prepares the access to a bucket. It sends nothing: Check says whether the store answers.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	provider, region, err := o.identity(ctx)
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	return open(o, provider, region), nil
}

func open(o Options, provider aws.CredentialsProvider, region string) *Store {
	settings := s3.Options{
		Region:       region,
		Credentials:  provider,
		UsePathStyle: o.PathStyle,
		HTTPClient:   impatient{client: httpClient(o.HTTPClient), limit: o.silence()},
		Retryer:      retryer(o.Attempts),
		Logger:       logging.Nop{},
		// Checksums are set where they are wanted, always as a header that is known before the first byte is sent: the
		// SDK's own default is a trailer in chunked encoding, which many stores do not take.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
		// Objects written without a checksum are expected, not worth a line in a log.
		DisableLogOutputChecksumValidationSkipped: true,
	}
	if o.Keys != nil {
		settings.HTTPSignerV4 = &changingSigner{}
	}
	if o.Endpoint != "" {
		settings.BaseEndpoint = aws.String(o.address(region))
	}
	return &Store{
		client:      s3.New(settings),
		credentials: provider,
		bucket:      o.Bucket,
		address:     o.address(region),
	}
}

func httpClient(given *http.Client) s3.HTTPClient {
	if given != nil {
		return given
	}
	// Frozen, so that the SDK adds no timeouts of its own.
	return ownClient().Freeze()
}

func ownClient() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = connectTimeout }).
		WithTransportOptions(func(t *http.Transport) {
			t.MaxIdleConns = idleConnections
			t.MaxIdleConnsPerHost = idleConnections
			t.TLSHandshakeTimeout = connectTimeout
		})
}

func retryer(attempts int) aws.Retryer {
	if attempts == 0 {
		attempts = defaultAttempts
	}
	standard := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = attempts
		o.MaxBackoff = maxBackoff
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(leaveSilence)}, o.Retryables...)
	})
	// A 409 says that another conditional write of the same key is under way; the next attempt will see its result.
	return retry.AddWithErrorCodes(standard, codeConditionalConflict, codeOperationAborted)
}
