package objectstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/weir-collect/weir/collection"
)

// checkWithin bounds Check as a whole; it leaves room for one attempt that cannot connect and a second one.
const checkWithin = 10 * time.Second

// Check asks the store for the bucket, within 10 s. Its error names endpoint and bucket, tells an unreachable store from
// refused credentials and from a missing bucket, and says what to do. Refused credentials are collection.ErrStoreDenied.
func (s *Store) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	if _, err := s.credentials.Retrieve(ctx); err != nil {
		return fmt.Errorf("no credentials for the store at %s (bucket %s): give access key and secret key, or complete the AWS environment: %w",
			s.address, s.bucket, err)
	}
	_, err := s.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.bucket}, func(o *s3.Options) { o.RetryMaxAttempts = 2 })
	if err == nil {
		return nil
	}
	return s.diagnose(ctx, err)
}

func (s *Store) diagnose(ctx context.Context, err error) error {
	if region := bucketRegion(err); region != "" && region != s.client.Options().Region {
		return fmt.Errorf("bucket %s at %s is in region %s: set the region to it", s.bucket, s.address, region)
	}
	err = s.explain(ctx, err)
	status, code := answerOf(err)
	problem := &checkError{kind: kindOf(err), cause: err}
	switch {
	case status == 0:
		problem.text = fmt.Sprintf("the store at %s (bucket %s) cannot be reached (%s): check the endpoint, and that the store runs",
			s.address, s.bucket, said(err))
	case problem.kind == collection.ErrStoreDenied:
		problem.text = fmt.Sprintf("the store at %s refused the credentials for bucket %s (%s): check the access key, its secret and what it may do with the bucket",
			s.address, s.bucket, said(err))
	case code == codeNoSuchBucket:
		problem.text = fmt.Sprintf("the store at %s has no bucket %s: create it, or correct the bucket's name", s.address, s.bucket)
	default:
		problem.text = fmt.Sprintf("what answers at %s for bucket %s says %s: check the endpoint, or look into the store's own log",
			s.address, s.bucket, said(err))
	}
	return problem
}

// explain asks again with a request whose answer has a body: the answer to HEAD does not say why.
func (s *Store) explain(ctx context.Context, err error) error {
	if status, _ := answerOf(err); status < 400 || status >= 500 {
		return err
	}
	_, listErr := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &s.bucket, MaxKeys: aws.Int32(1)})
	if status, _ := answerOf(listErr); status == 0 {
		return err
	}
	return listErr
}

// bucketRegion is where AWS says that a bucket is.
func bucketRegion(err error) string {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		return response.Response.Header.Get("X-Amz-Bucket-Region")
	}
	return ""
}

// checkError is a sentence for a person above a cause for a program.
type checkError struct {
	text        string
	kind, cause error
}

func (e *checkError) Error() string { return e.text }

func (e *checkError) Unwrap() []error {
	if e.kind == nil {
		return []error{e.cause}
	}
	return []error{e.kind, e.cause}
}
