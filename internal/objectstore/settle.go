package objectstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weir-collect/weir/collection"
)

// settle decides what a write means that was refused or not answered. The same content is there: it is our own write
// whose answer was lost, or another attempt's that did the same work, and in both cases all is well. Another content is a
// conflict.
func (s *Store) settle(ctx context.Context, action, key string, c content) (collection.ObjectInfo, error) {
	existing, err := s.head(ctx, key)
	if err != nil {
		return collection.ObjectInfo{}, s.fail(action, key, err)
	}
	// Somebody may have written it without a checksum. A different size needs no further look.
	if existing.SHA256 == "" && existing.Size == c.size {
		if existing.SHA256, err = s.hash(ctx, key, existing.ETag); err != nil {
			return collection.ObjectInfo{}, s.fail(action, key, err)
		}
	}
	if existing.SHA256 == c.sha256() {
		return existing, nil
	}
	return collection.ObjectInfo{}, &collection.ConflictError{Existing: existing, SHA256: c.sha256()}
}

// hash reads an object, of exactly this ETag, for its digest.
func (s *Store) hash(ctx context.Context, key, etag string) (string, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key, IfMatch: &etag})
	if err != nil {
		return "", err
	}
	defer out.Body.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, out.Body); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
