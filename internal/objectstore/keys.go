package objectstore

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// providerOf gives the SDK the keys as they are by now. It is no cache of the SDK's: that one would look at keys without an end
// once and for all, and keys with an end would shorten the links that they sign.
func providerOf(keys func() (access, secret string, err error)) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		access, secret, err := keys()
		return aws.Credentials{AccessKeyID: access, SecretAccessKey: secret, Source: "weir"}, err
	})
}

// changingSigner signs with keys that may be replaced. A signer of the SDK keeps what it has made of a secret key by the name
// of its access key, until midnight: a new secret of the same name needs a new signer.
type changingSigner struct {
	mu      sync.Mutex
	secret  string
	current *v4.Signer
}

// SignHTTP implements the SDK's signer.
func (s *changingSigner) SignHTTP(
	ctx context.Context, keys aws.Credentials, r *http.Request, payloadHash, service, region string, at time.Time, optFns ...func(*v4.SignerOptions),
) error {
	return s.of(keys.SecretAccessKey).SignHTTP(ctx, keys, r, payloadHash, service, region, at, optFns...)
}

func (s *changingSigner) of(secret string) *v4.Signer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.secret != secret {
		// S3 signs paths as they are, unlike AWS's other services.
		s.secret, s.current = secret, v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	}
	return s.current
}
