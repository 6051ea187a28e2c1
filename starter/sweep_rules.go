package starter

import (
	"context"

	"github.com/weir-collect/weir/internal/objectstore"
)

// Expiry is a lifecycle rule of weir's in the bucket.
type Expiry = objectstore.Expiry

// ErrNoLifecycle says that the store knows no lifecycle rules; the janitor does without.
var ErrNoLifecycle = objectstore.ErrNoLifecycle

// LifecycleStore is a Store that can be told to delete by age.
type LifecycleStore interface {
	// Expiries are weir's rules that are in force, and how many rules others have.
	Expiries(ctx context.Context) (ours []Expiry, foreign int, err error)
	// SetExpiries puts weir's rules into force, and leaves all others as they are.
	SetExpiries(ctx context.Context, want []Expiry) error
}

// Lifecycle is the bucket's lifecycle rules.
func (c *Client) Lifecycle() (LifecycleStore, error) {
	if s, ok := c.store.(LifecycleStore); ok {
		return s, nil
	}
	return nil, ErrNoLifecycle
}
