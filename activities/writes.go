package activities

import (
	"context"
	"errors"

	"github.com/weir-collect/weir/collection"
)

// conditional is a store's writes under a condition; see Store.
type conditional interface {
	Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error)
	Replace(ctx context.Context, key string, body []byte, contentType string, existing collection.ObjectInfo) (collection.ObjectInfo, error)
}

// writeGeneration writes an object once, or its next generation where another content stands; then stood is what stood there.
// A *collection.ConflictError says that somebody wrote in between.
func writeGeneration(
	ctx context.Context, store conditional, key string, body []byte, contentType string,
) (written collection.ObjectInfo, stood *collection.ObjectInfo, err error) {
	written, err = store.Create(ctx, key, body, contentType)
	var conflict *collection.ConflictError
	if !errors.As(err, &conflict) {
		return written, nil, err
	}
	written, err = store.Replace(ctx, key, body, contentType, conflict.Existing)
	return written, &conflict.Existing, err
}

// swap writes an object in the place of the one that was read before, and of no other; nil stands for none. A
// *collection.ConflictError says that somebody wrote in between.
func swap(ctx context.Context, store conditional, key string, body []byte, contentType string, standing *collection.ObjectInfo) error {
	if standing == nil {
		_, err := store.Create(ctx, key, body, contentType)
		return err
	}
	_, err := store.Replace(ctx, key, body, contentType, *standing)
	return err
}
