package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"

	"github.com/weir-collect/weir/collection"
)

// Put writes an object, whatever was there before. See storetest.Store.
func (s *Store) Put(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error) {
	info, err := s.write(ctx, key, contentOf(body, contentType), condition{})
	if err != nil {
		return collection.ObjectInfo{}, s.fail("put object", key, err)
	}
	return info, nil
}

// Create writes an object that must not exist with another content. See storetest.Store.
func (s *Store) Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error) {
	return s.create(ctx, "create object", key, contentOf(body, contentType))
}

// Upload is Create for what is too large to hold in memory. See storetest.Store.
func (s *Store) Upload(ctx context.Context, key string, r io.ReadSeeker, size int64, contentType string) (collection.ObjectInfo, error) {
	c, err := contentOfFile(ctx, r, size, contentType)
	if err != nil {
		return collection.ObjectInfo{}, s.fail("upload object", key, err)
	}
	return s.create(ctx, "upload object", key, c)
}

// Replace writes the next generation of an object that was seen before. See storetest.Store.
func (s *Store) Replace(ctx context.Context, key string, body []byte, contentType string, existing collection.ObjectInfo) (collection.ObjectInfo, error) {
	const action = "replace object"
	if existing.ETag == "" {
		return collection.ObjectInfo{}, s.fail(action, key, errors.New("the object to replace has no ETag: ask for it with Head"))
	}
	c := contentOf(body, contentType)
	if existing.SHA256 == c.sha256() {
		// The same content is not another generation.
		return s.settle(ctx, action, key, c)
	}
	// An object of which nothing says its generation has had one content at least.
	next := max(existing.Generation, 1) + 1
	info, err := s.write(ctx, key, c, condition{ifMatch: existing.ETag, generation: next})
	switch {
	case err == nil:
		return info, nil
	case refusedCondition(err):
		return s.settle(ctx, action, key, c)
	case unanswered(ctx, err):
		info, settled := s.settle(ctx, action, key, c)
		if conflict, ok := errors.AsType[*collection.ConflictError](settled); !ok || conflict.Existing.ETag != existing.ETag {
			return info, settled
		}
		// What was to be replaced is there still: the request has done nothing.
	}
	return collection.ObjectInfo{}, s.fail(action, key, err)
}

// createRounds bounds how often Create starts again because an object vanished between a refusal and the look at it.
const createRounds = 3

func (s *Store) create(ctx context.Context, action, key string, c content) (collection.ObjectInfo, error) {
	for range createRounds {
		info, err := s.write(ctx, key, c, condition{ifNoneMatch: true, generation: 1})
		if err == nil {
			return info, nil
		}
		silence := unanswered(ctx, err)
		if !silence && !refusedCondition(err) {
			return collection.ObjectInfo{}, s.fail(action, key, err)
		}
		info, settled := s.settle(ctx, action, key, c)
		if !errors.Is(settled, collection.ErrObjectMissing) {
			return info, settled
		}
		if silence {
			return collection.ObjectInfo{}, s.fail(action, key, err)
		}
	}
	return collection.ObjectInfo{}, s.fail(action, key, errors.New("somebody keeps removing the object while it is written"))
}

// condition is what must hold for a write to happen, and the generation that it writes.
type condition struct {
	ifNoneMatch bool
	ifMatch     string
	generation  int
}

func (s *Store) write(ctx context.Context, key string, c content, when condition) (collection.ObjectInfo, error) {
	if err := CheckKey(key); err != nil {
		return collection.ObjectInfo{}, err
	}
	if _, err := c.body.Seek(0, io.SeekStart); err != nil {
		return collection.ObjectInfo{}, fmt.Errorf("the content cannot be read again: %w", err)
	}
	in := &s3.PutObjectInput{
		Bucket:         &s.bucket,
		Key:            &key,
		Body:           c.body,
		ContentLength:  &c.size,
		ChecksumSHA256: aws.String(c.checksum()),
	}
	if c.contentType != "" {
		in.ContentType = &c.contentType
	}
	if when.ifNoneMatch {
		in.IfNoneMatch = aws.String("*")
	}
	if when.ifMatch != "" {
		in.IfMatch = &when.ifMatch
	}
	if when.generation > 0 {
		in.Metadata = map[string]string{generationKey: strconv.Itoa(when.generation)}
	}
	out, err := s.client.PutObject(ctx, in, signedPayload(c.sha256()))
	if err != nil {
		return collection.ObjectInfo{}, err
	}
	kept := storedDigest(out.ChecksumSHA256, out.ChecksumType)
	if kept != "" && kept != c.sha256() {
		return collection.ObjectInfo{}, fmt.Errorf("the store keeps SHA-256 %s, sent was %s", kept, c.sha256())
	}
	return collection.ObjectInfo{
		Key: key, Size: c.size, SHA256: kept, ETag: aws.ToString(out.ETag), Generation: when.generation,
	}, nil
}

// signedPayload makes the digest a part of the signature: over plain HTTP this saves the SDK another pass over the
// content, and over TLS the body is signed as well.
func signedPayload(sha256 string) func(*s3.Options) {
	set := middleware.InitializeMiddlewareFunc("weirSignedPayload", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		return next.HandleInitialize(v4.SetPayloadHash(ctx, sha256), in)
	})
	return s3.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Initialize.Add(set, middleware.Before)
	})
}
