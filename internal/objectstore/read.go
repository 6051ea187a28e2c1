package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/weir-collect/weir/collection"
)

// MaxRange is how many bytes GetRange reads at once.
const MaxRange = 64 << 20

// Head asks the store what it keeps under a key. See storetest.Store.
func (s *Store) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	info, err := s.head(ctx, key)
	if err != nil {
		return collection.ObjectInfo{}, s.fail("head object", key, err)
	}
	return info, nil
}

func (s *Store) head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	if err := CheckKey(key); err != nil {
		return collection.ObjectInfo{}, err
	}
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{
		Bucket: &s.bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled,
	})
	if err != nil {
		return collection.ObjectInfo{}, s.whyNot(ctx, key, err)
	}
	return infoOfHead(key, out), nil
}

// whyNot asks again with a request whose answer has a body: the answer to HEAD does not say whether it is the object, the
// bucket or the access key that is missing. An object that has appeared meanwhile leaves the error as it was, which counts
// as one that may pass.
func (s *Store) whyNot(ctx context.Context, key string, err error) error {
	if status, _ := answerOf(err); status < 400 || status >= 500 {
		return err
	}
	out, getErr := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key, Range: aws.String("bytes=0-0")})
	if getErr == nil {
		_ = out.Body.Close()
		return err
	}
	return getErr
}

// Open streams an object. See storetest.Store.
func (s *Store) Open(ctx context.Context, key string) (io.ReadCloser, collection.ObjectInfo, error) {
	stream, info, err := s.open(ctx, key)
	if err != nil {
		return nil, collection.ObjectInfo{}, err
	}
	return stream, info, nil
}

func (s *Store) open(ctx context.Context, key string) (*body, collection.ObjectInfo, error) {
	if err := CheckKey(key); err != nil {
		return nil, collection.ObjectInfo{}, s.fail("get object", key, err)
	}
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled,
	})
	if err != nil {
		return nil, collection.ObjectInfo{}, s.fail("get object", key, err)
	}
	return &body{ReadCloser: out.Body, store: s, key: key}, infoOfGet(key, out), nil
}

// Get reads a whole object of at most limit bytes. See storetest.Store.
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	stream, info, err := s.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	if info.Size > limit {
		return nil, &collection.TooLargeError{Key: key, Size: info.Size, Limit: limit}
	}
	return readExactly(stream, info.Size)
}

// GetRange reads a part of an object. See storetest.Store.
func (s *Store) GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error) {
	if err := CheckRange(r); err != nil {
		return nil, s.fail("get range of object", r.Key, err)
	}
	if r.Length == 0 {
		return s.Get(ctx, r.Key, MaxRange)
	}
	// The checksum of a whole object does not fit a part of it, and so it is not asked for.
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &r.Key,
		Range: aws.String(fmt.Sprintf("bytes=%d-%d", r.Offset, r.Offset+r.Length-1)),
	})
	if err != nil {
		return nil, s.fail("get range of object", r.Key, err)
	}
	stream := &body{ReadCloser: out.Body, store: s, key: r.Key}
	defer stream.Close()
	if got := aws.ToInt64(out.ContentLength); got != r.Length {
		return nil, s.fail("get range of object", r.Key, fmt.Errorf(
			"%d bytes from byte %d were asked for, and the store sent %d: the object is not the one that the range was made for",
			r.Length, r.Offset, got))
	}
	return readExactly(stream, r.Length)
}

// CheckRange says whether a range can be asked for.
func CheckRange(r collection.ObjectRange) error {
	if err := CheckKey(r.Key); err != nil {
		return err
	}
	switch {
	case r.Offset < 0 || r.Length < 0:
		return fmt.Errorf("offset %d and length %d must not be negative", r.Offset, r.Length)
	case r.Length == 0 && r.Offset > 0:
		return fmt.Errorf("offset %d needs a length: without one the whole object is meant", r.Offset)
	case r.Length > MaxRange:
		return &collection.TooLargeError{Key: r.Key, Size: r.Length, Limit: MaxRange}
	}
	return nil
}

// readExactly reads to the end as well, because only there the content's checksum is compared.
func readExactly(stream *body, size int64) ([]byte, error) {
	content := make([]byte, size)
	if _, err := io.ReadFull(stream, content); err != nil {
		return nil, stream.named(err)
	}
	n, err := stream.Read(make([]byte, 1))
	switch {
	case n > 0:
		return nil, stream.named(fmt.Errorf("the store sent more than the %d bytes that it announced", size))
	case !errors.Is(err, io.EOF):
		return nil, stream.named(err)
	}
	return content, nil
}

// body names the object in the errors of its stream.
type body struct {
	io.ReadCloser
	store *Store
	key   string
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.named(err)
	}
	return n, err
}

func (b *body) named(err error) error {
	if _, already := errors.AsType[*requestError](err); already {
		return err
	}
	return b.store.fail("read object", b.key, err)
}
