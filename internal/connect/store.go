package connect

import (
	"context"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/objectstore"
)

// Store opens the bucket and checks that it answers and lets us in.
func Store(ctx context.Context, cfg config.Config, secrets Secrets) (*objectstore.Store, error) {
	store, err := open(ctx, cfg, secrets)
	if err != nil {
		return nil, err
	}
	if err := store.Check(ctx); err != nil {
		return nil, err
	}
	return store, nil
}

// open is the bucket before anything was sent to it. Its keys are read again now and then, so that new ones are taken up
// without a restart; keys that cannot be read at all are an error of the configuration, and known at once.
func open(ctx context.Context, cfg config.Config, secrets Secrets) (*objectstore.Store, error) {
	options := objectstore.Options{
		Endpoint: cfg.S3.Endpoint, Region: cfg.S3.Region, Bucket: cfg.S3.Bucket, PathStyle: cfg.S3.PathStyle,
	}
	if !cfg.S3.AccessKey.IsZero() {
		options.Keys = bucketKeys(cfg, secrets.In(cfg).cached())
		if _, _, err := options.Keys(); err != nil {
			return nil, err
		}
	}
	return objectstore.Open(ctx, options)
}

// bucketKeys are the keys of weir's bucket as they are by now.
func bucketKeys(cfg config.Config, secrets *CachedSecrets) func() (access, secret string, err error) {
	return func() (access, secret string, err error) {
		if access, err = secrets.of("s3.access_key", cfg.S3.AccessKey); err != nil {
			return "", "", err
		}
		secret, err = secrets.of("s3.secret_key", cfg.S3.SecretKey)
		return access, secret, err
	}
}
