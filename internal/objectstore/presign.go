package objectstore

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// MaxLinkLife is the longest life of a link that S3's signature allows.
const MaxLinkLife = 7 * 24 * time.Hour

// Link lets whoever holds it read one object, without credentials, until it expires.
type Link struct {
	URL string
	// ExpiresAt is when the store begins to refuse the link.
	ExpiresAt time.Time
	// Capped says that the link lives shorter than asked, because the credential that signed it expires then.
	Capped bool
}

// String names the object but leaves out what makes the link work, so that no log hands it on.
func (l Link) String() string {
	u, err := url.Parse(l.URL)
	if err != nil {
		return "link until " + l.ExpiresAt.Format(time.RFC3339)
	}
	u.RawQuery = ""
	return fmt.Sprintf("link to %s until %s", u, l.ExpiresAt.Format(time.RFC3339))
}

// PresignGet makes a link to an object, for at most MaxLinkLife, in whole seconds. It asks nothing of the store: the
// object need not exist. A credential that expires earlier shortens the link, and the link says so.
func (s *Store) PresignGet(ctx context.Context, key string, expiry time.Duration) (Link, error) {
	const action = "make a link to object"
	if err := CheckKey(key); err != nil {
		return Link{}, s.fail(action, key, err)
	}
	if expiry < time.Second || expiry > MaxLinkLife {
		return Link{}, s.fail(action, key, fmt.Errorf("a life of %s is not possible: ask for 1s to %s (7 days)", expiry, MaxLinkLife))
	}
	signer, err := s.credentials.Retrieve(ctx)
	if err != nil {
		return Link{}, s.fail(action, key, fmt.Errorf("no credentials: %w", err))
	}
	life, capped := expiry.Truncate(time.Second), false
	if signer.CanExpire {
		if left := time.Until(signer.Expires).Truncate(time.Second); left < life {
			life, capped = left, true
		}
	}
	if life < time.Second {
		return Link{}, s.fail(action, key, fmt.Errorf("the credential expires at %s: try again once it is renewed", signer.Expires.Format(time.RFC3339)))
	}
	// The very credential that was looked at signs, even if it is renewed meanwhile.
	fixed := credentials.StaticCredentialsProvider{Value: signer}
	request, err := s3.NewPresignClient(s.client).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key},
		s3.WithPresignExpires(life),
		s3.WithPresignClientFromClientOptions(func(o *s3.Options) { o.Credentials = fixed }))
	if err != nil {
		return Link{}, s.fail(action, key, err)
	}
	signedAt, err := signingTime(request.URL)
	if err != nil {
		return Link{}, s.fail(action, key, err)
	}
	return Link{URL: request.URL, ExpiresAt: signedAt.Add(life), Capped: capped}, nil
}

// signingTime is the time that the store counts a link's life from.
func signingTime(link string) (time.Time, error) {
	u, err := url.Parse(link)
	if err != nil {
		return time.Time{}, fmt.Errorf("the signed link is not a URL")
	}
	return time.Parse("20060102T150405Z", u.Query().Get("X-Amz-Date"))
}
