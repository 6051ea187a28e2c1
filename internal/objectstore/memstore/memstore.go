// Package memstore is an object store in memory, for the tests of whatever needs one. It keeps the contract of
// storetest.Store, and its suite holds it to that. It is no stand-in for what only a network can do: requests cannot be
// denied, lost or slow, and there are no links.
package memstore

import (
	"bytes"
	"context"
	"crypto/md5" // names a content, as S3 does; protects nothing
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore"
)

// Store holds objects in memory. It is safe for concurrent use.
type Store struct {
	mu      sync.Mutex
	objects map[string]object
}

type object struct {
	info collection.ObjectInfo
	body []byte
}

// New returns an empty store.
func New() *Store { return &Store{objects: map[string]object{}} }

// Put writes an object, whatever was there before.
func (s *Store) Put(ctx context.Context, key string, body []byte, _ string) (collection.ObjectInfo, error) {
	if err := usable(ctx, key); err != nil {
		return collection.ObjectInfo{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(key, body, 0), nil
}

// Create writes an object that must not exist with another content.
func (s *Store) Create(ctx context.Context, key string, body []byte, _ string) (collection.ObjectInfo, error) {
	if err := usable(ctx, key); err != nil {
		return collection.ObjectInfo{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if there, ok := s.objects[key]; ok {
		return settle(there, body)
	}
	return s.write(key, body, 1), nil
}

// Upload is Create for what is too large to hold in memory elsewhere; here it is held all the same.
func (s *Store) Upload(ctx context.Context, key string, r io.ReadSeeker, size int64, contentType string) (collection.ObjectInfo, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return collection.ObjectInfo{}, fmt.Errorf("upload object %s: %w", key, err)
	}
	body, err := io.ReadAll(io.LimitReader(r, size+1))
	if err != nil {
		return collection.ObjectInfo{}, fmt.Errorf("upload object %s: %w", key, err)
	}
	if int64(len(body)) != size {
		return collection.ObjectInfo{}, fmt.Errorf("upload object %s: the file does not have the %d bytes that were announced", key, size)
	}
	return s.Create(ctx, key, body, contentType)
}

// Replace writes the next generation of an object that was seen before.
func (s *Store) Replace(ctx context.Context, key string, body []byte, _ string, existing collection.ObjectInfo) (collection.ObjectInfo, error) {
	if err := usable(ctx, key); err != nil {
		return collection.ObjectInfo{}, err
	}
	if existing.ETag == "" {
		return collection.ObjectInfo{}, fmt.Errorf("replace object %s: the object to replace has no ETag: ask for it with Head", key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there, ok := s.objects[key]
	switch {
	case !ok:
		return collection.ObjectInfo{}, missing("replace", key)
	case there.info.ETag != existing.ETag, there.info.SHA256 == digest(body):
		return settle(there, body)
	}
	return s.write(key, body, max(existing.Generation, 1)+1), nil
}

// Get reads a whole object of at most limit bytes.
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	o, err := s.object(ctx, "get", key)
	if err != nil {
		return nil, err
	}
	if o.info.Size > limit {
		return nil, &collection.TooLargeError{Key: key, Size: o.info.Size, Limit: limit}
	}
	return bytes.Clone(o.body), nil
}

// GetRange reads a part of an object.
func (s *Store) GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error) {
	if err := objectstore.CheckRange(r); err != nil {
		return nil, fmt.Errorf("get range of object %s: %w", r.Key, err)
	}
	if r.Length == 0 {
		return s.Get(ctx, r.Key, objectstore.MaxRange)
	}
	o, err := s.object(ctx, "get range of", r.Key)
	if err != nil {
		return nil, err
	}
	if r.Offset+r.Length > o.info.Size {
		return nil, fmt.Errorf("get range of object %s: %d bytes from byte %d were asked for, and it has %d",
			r.Key, r.Length, r.Offset, o.info.Size)
	}
	return bytes.Clone(o.body[r.Offset : r.Offset+r.Length]), nil
}

// Open streams an object.
func (s *Store) Open(ctx context.Context, key string) (io.ReadCloser, collection.ObjectInfo, error) {
	o, err := s.object(ctx, "get", key)
	if err != nil {
		return nil, collection.ObjectInfo{}, err
	}
	return io.NopCloser(bytes.NewReader(o.body)), o.info, nil
}

// Delete removes objects; what is not there is no error.
func (s *Store) Delete(ctx context.Context, keys []string) error {
	if err := objectstore.CheckDelete(keys); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		delete(s.objects, key)
	}
	return nil
}

// Head says what is kept under a key.
func (s *Store) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	o, err := s.object(ctx, "head", key)
	return o.info, err
}

// List walks over the objects whose keys begin with a prefix, as they were when it began.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[collection.ObjectInfo, error] {
	return s.ListAfter(ctx, prefix, "")
}

// ListAfter is List behind a key.
func (s *Store) ListAfter(ctx context.Context, prefix, after string) iter.Seq2[collection.ObjectInfo, error] {
	return func(yield func(collection.ObjectInfo, error) bool) {
		s.mu.Lock()
		objects := maps.Clone(s.objects)
		s.mu.Unlock()
		for _, key := range slices.Sorted(maps.Keys(objects)) {
			if !strings.HasPrefix(key, prefix) || key <= after {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(collection.ObjectInfo{}, fmt.Errorf("list objects under %s: %w", prefix, err))
				return
			}
			listed := objects[key].info
			// A listing of S3 tells neither.
			listed.SHA256, listed.Generation = "", 0
			if !yield(listed, nil) {
				return
			}
		}
	}
}

func (s *Store) object(ctx context.Context, action, key string) (object, error) {
	if err := usable(ctx, key); err != nil {
		return object{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[key]
	if !ok {
		return object{}, missing(action, key)
	}
	return o, nil
}

// write stores a copy, which nobody changes again: readers may share it. Like S3, it tells the time of the write only to
// those who ask later.
func (s *Store) write(key string, body []byte, generation int) collection.ObjectInfo {
	sum := md5.Sum(body)
	info := collection.ObjectInfo{
		Key: key, Size: int64(len(body)), SHA256: digest(body),
		ETag: `"` + hex.EncodeToString(sum[:]) + `"`, Generation: generation,
	}
	kept := info
	kept.LastModified = time.Now()
	s.objects[key] = object{info: kept, body: bytes.Clone(body)}
	return info
}

func settle(there object, body []byte) (collection.ObjectInfo, error) {
	if there.info.SHA256 == digest(body) {
		return there.info, nil
	}
	return collection.ObjectInfo{}, &collection.ConflictError{Existing: there.info, SHA256: digest(body)}
}

func usable(ctx context.Context, key string) error {
	if err := objectstore.CheckKey(key); err != nil {
		return fmt.Errorf("object %s: %w", key, err)
	}
	return ctx.Err()
}

func missing(action, key string) error {
	return fmt.Errorf("%s object %s: %w", action, key, collection.ErrObjectMissing)
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
