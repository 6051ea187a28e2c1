package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/objectstore"
)

// Destinations opens customers' buckets. Their keys are read anew each time: a shipment is rare, and a key that was
// replaced is taken up without a restart.
type Destinations struct{ secrets Secrets }

// NewDestinations reads secrets relative to the folder of a configuration.
func NewDestinations(cfg config.Config, secrets Secrets) Destinations {
	return Destinations{secrets: secrets.In(cfg)}
}

// Open opens a destination and checks that it answers and lets us in. The error is collection.ErrDestinationRefused where
// asking again would not help before a person has acted.
func (d Destinations) Open(ctx context.Context, to collection.Destination) (*objectstore.Store, error) {
	access, err := d.key("access_key", to.AccessKey)
	if err != nil {
		return nil, err
	}
	secret, err := d.key("secret_key", to.SecretKey)
	if err != nil {
		return nil, err
	}
	store, err := objectstore.Open(ctx, objectstore.Options{
		Endpoint: to.Endpoint, Region: to.Region, Bucket: to.Bucket, PathStyle: to.PathStyle, AccessKey: access, SecretKey: secret,
	})
	if err != nil {
		return nil, refusal{err}
	}
	if err := store.Check(ctx); err != nil {
		if isRefusal(err) {
			return nil, refusal{err}
		}
		return nil, err
	}
	return store, nil
}

func (d Destinations) key(name, reference string) (string, error) {
	if reference == "" {
		return "", nil
	}
	value, err := d.secrets.Value(reference)
	if err != nil {
		return "", refusal{fmt.Errorf("%s: %w", name, err)}
	}
	return value, nil
}

// isRefusal tells an answer about us, our bucket or its region from one about the store's own health, and from none.
func isRefusal(err error) bool {
	if errors.Is(err, collection.ErrStoreDenied) {
		return true
	}
	response, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok || response.Response == nil {
		return false
	}
	status := response.HTTPStatusCode()
	return status >= http.StatusMultipleChoices && status < http.StatusInternalServerError && status != http.StatusTooManyRequests
}

// refusal is an error that is a collection.ErrDestinationRefused and says no more than itself.
type refusal struct{ error }

// Is says so.
func (refusal) Is(target error) bool { return target == collection.ErrDestinationRefused }

// Unwrap gives the error.
func (r refusal) Unwrap() error { return r.error }
