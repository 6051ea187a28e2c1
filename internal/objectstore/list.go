package objectstore

import (
	"context"
	"fmt"
	"iter"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/weir-collect/weir/collection"
)

// List walks over the objects whose keys begin with a prefix. See storetest.Store.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[collection.ObjectInfo, error] {
	return s.ListAfter(ctx, prefix, "")
}

// ListAfter is List behind a key. See storetest.Store.
func (s *Store) ListAfter(ctx context.Context, prefix, after string) iter.Seq2[collection.ObjectInfo, error] {
	return func(yield func(collection.ObjectInfo, error) bool) {
		in := &s3.ListObjectsV2Input{
			Bucket: &s.bucket, Prefix: &prefix,
			// XML cannot carry every byte that a key may have.
			EncodingType: types.EncodingTypeUrl,
		}
		if after != "" {
			in.StartAfter = &after
		}
		pages := s3.NewListObjectsV2Paginator(s.client, in)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(collection.ObjectInfo{}, s.fail("list objects under", prefix, err))
				return
			}
			for _, object := range page.Contents {
				info, err := infoOfList(object, page.EncodingType)
				if err != nil {
					yield(collection.ObjectInfo{}, s.fail("list objects under", prefix, err))
					return
				}
				if !yield(info, nil) {
					return
				}
			}
		}
	}
}

// infoOfList undoes the encoding only where the store says that it did it.
func infoOfList(object types.Object, encoding types.EncodingType) (collection.ObjectInfo, error) {
	key := aws.ToString(object.Key)
	if encoding == types.EncodingTypeUrl {
		decoded, err := url.QueryUnescape(key)
		if err != nil {
			return collection.ObjectInfo{}, fmt.Errorf("the store wrote key %q in an encoding that it does not keep to: %w", key, err)
		}
		key = decoded
	}
	return collection.ObjectInfo{
		Key:          key,
		Size:         aws.ToInt64(object.Size),
		ETag:         aws.ToString(object.ETag),
		LastModified: aws.ToTime(object.LastModified),
	}, nil
}
