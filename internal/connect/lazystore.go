package connect

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/objectstore"
)

// LazyStore is a bucket that is looked at when it is first needed: whether it answers and lets us in. The error of a request
// is then that of Store.
type LazyStore struct {
	store   *objectstore.Store
	contact *Contact
}

// StoreWhenNeeded is the bucket before anything was sent to it. Its error is one of the configuration.
func StoreWhenNeeded(ctx context.Context, cfg config.Config, secrets Secrets) (*LazyStore, error) {
	store, err := open(ctx, cfg, secrets)
	if err != nil {
		return nil, err
	}
	return &LazyStore{store: store, contact: NewContact(store.Check, time.Now)}, nil
}

// Get reads an object of up to limit bytes.
func (s *LazyStore) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if err := s.contact.Make(ctx); err != nil {
		return nil, err
	}
	return s.store.Get(ctx, key, limit)
}

// GetRange reads a part of an object.
func (s *LazyStore) GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error) {
	if err := s.contact.Make(ctx); err != nil {
		return nil, err
	}
	return s.store.GetRange(ctx, r)
}

// Upload creates an object.
func (s *LazyStore) Upload(ctx context.Context, key string, r io.ReadSeeker, size int64, contentType string) (collection.ObjectInfo, error) {
	if err := s.contact.Make(ctx); err != nil {
		return collection.ObjectInfo{}, err
	}
	return s.store.Upload(ctx, key, r, size, contentType)
}

// PresignGet signs a link. Nothing is sent for it, but who signs for a bucket that is not there has made no link.
func (s *LazyStore) PresignGet(ctx context.Context, key string, expiry time.Duration) (objectstore.Link, error) {
	if err := s.contact.Make(ctx); err != nil {
		return objectstore.Link{}, err
	}
	return s.store.PresignGet(ctx, key, expiry)
}

// Head tells of an object.
func (s *LazyStore) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	if err := s.contact.Make(ctx); err != nil {
		return collection.ObjectInfo{}, err
	}
	return s.store.Head(ctx, key)
}

// List lists the objects under a prefix.
func (s *LazyStore) List(ctx context.Context, prefix string) iter.Seq2[collection.ObjectInfo, error] {
	return func(yield func(collection.ObjectInfo, error) bool) {
		if err := s.contact.Make(ctx); err != nil {
			yield(collection.ObjectInfo{}, err)
			return
		}
		s.store.List(ctx, prefix)(yield)
	}
}

// Expiries are weir's lifecycle rules that are in force, and how many rules others have.
func (s *LazyStore) Expiries(ctx context.Context) (ours []objectstore.Expiry, foreign int, err error) {
	if err := s.contact.Make(ctx); err != nil {
		return nil, 0, err
	}
	return s.store.Expiries(ctx)
}

// SetExpiries puts weir's lifecycle rules into force, and leaves all others as they are.
func (s *LazyStore) SetExpiries(ctx context.Context, want []objectstore.Expiry) error {
	if err := s.contact.Make(ctx); err != nil {
		return err
	}
	return s.store.SetExpiries(ctx, want)
}
