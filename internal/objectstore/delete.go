package objectstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/weir-collect/weir/collection"
)

// MaxDelete is how many objects one call of Delete may name: what S3 takes in one request.
const MaxDelete = 1000

// CheckDelete says whether objects may be named together in one call of Delete.
func CheckDelete(keys []string) error {
	if len(keys) > MaxDelete {
		return fmt.Errorf("delete %d objects: one call may name %d: make several", len(keys), MaxDelete)
	}
	var problems []error
	for _, key := range keys {
		if err := CheckKey(key); err != nil {
			problems = append(problems, fmt.Errorf("delete object %s: %w", key, err))
		}
	}
	return errors.Join(problems...)
}

// Delete removes objects. See storetest.Store.
func (s *Store) Delete(ctx context.Context, keys []string) error {
	if err := CheckDelete(keys); err != nil || len(keys) == 0 {
		return err
	}
	objects := make([]types.ObjectIdentifier, len(keys))
	for i := range keys {
		objects[i] = types.ObjectIdentifier{Key: &keys[i]}
	}
	out, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &s.bucket, Delete: &types.Delete{Objects: objects, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return s.fail(fmt.Sprintf("delete %d objects, the first of them", len(keys)), keys[0], err)
	}
	var failed collection.DeleteError
	for _, e := range out.Errors {
		if code := aws.ToString(e.Code); code != codeNoSuchKey {
			failed.Failed = append(failed.Failed, collection.KeyFailure{
				Key: aws.ToString(e.Key), Reason: code + ": " + aws.ToString(e.Message),
			})
		}
	}
	if len(failed.Failed) > 0 {
		return &failed
	}
	return nil
}
