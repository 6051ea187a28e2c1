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

// open is the bucket before anything was sent to it.
func open(ctx context.Context, cfg config.Config, secrets Secrets) (*objectstore.Store, error) {
	secrets = secrets.In(cfg)
	access, err := secrets.of("s3.access_key", cfg.S3.AccessKey)
	if err != nil {
		return nil, err
	}
	secret, err := secrets.of("s3.secret_key", cfg.S3.SecretKey)
	if err != nil {
		return nil, err
	}
	return objectstore.Open(ctx, objectstore.Options{
		Endpoint: cfg.S3.Endpoint, Region: cfg.S3.Region, Bucket: cfg.S3.Bucket, PathStyle: cfg.S3.PathStyle,
		AccessKey: access, SecretKey: secret,
	})
}
