package starter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/telemetry"
)

// ErrNotFound says that neither the engine nor the store knows a submission or a record.
var ErrNotFound = errors.New("not found")

// ErrNotPlanned says that a submission is there and has no plan, so that none of its rows is known: it has just begun, or
// it ended before it was planned. It is an ErrNotFound.
var ErrNotPlanned error = notPlanned{}

type notPlanned struct{}

func (notPlanned) Error() string { return "not planned" }
func (notPlanned) Unwrap() error { return ErrNotFound }

// Secrets reads what a configuration only refers to.
type Secrets = connect.Secrets

// SystemSecrets reads secrets from this process's environment and the file system.
func SystemSecrets() Secrets { return connect.SystemSecrets() }

// SignedURL is what a Store signs.
type SignedURL = objectstore.Link

// Store is what the client needs of the bucket.
type Store interface {
	Get(ctx context.Context, key string, limit int64) ([]byte, error)
	GetRange(ctx context.Context, r collection.ObjectRange) ([]byte, error)
	Upload(ctx context.Context, key string, r io.ReadSeeker, size int64, contentType string) (collection.ObjectInfo, error)
	PresignGet(ctx context.Context, key string, expiry time.Duration) (SignedURL, error)
}

// Client submits work and answers questions about it. It is safe for concurrent use.
type Client struct {
	engine client.Client
	// contact is the first one with the engine; nil where it is made.
	contact   *connect.Contact
	store     Store
	sources   []string
	namespace string
}

// Dial makes a client for the engine and the bucket of a configuration, and sends nothing: each is connected to when it is first
// needed, so that one answers without the other as far as it knows. What needs a side that does not answer within 10 s fails with
// an error that names its address and says what to do; a *NoEngineError where it is the engine. Dial's own error is one of the
// configuration. logger receives what the Temporal SDK has to say; nil drops it.
func Dial(ctx context.Context, cfg config.Config, secrets Secrets, logger *slog.Logger) (*Client, error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	engine, contact, err := connect.TemporalWhenNeeded(cfg, secrets, connect.TemporalOptions{Logger: telemetry.TemporalLogger(logger)})
	if err != nil {
		return nil, err
	}
	store, err := connect.StoreWhenNeeded(ctx, cfg, secrets)
	if err != nil {
		engine.Close()
		return nil, err
	}
	_, namespace, err := connect.TemporalAddress(cfg, secrets)
	if err != nil {
		engine.Close()
		return nil, err
	}
	c := New(engine, store, namespace, cfg.Sources)
	c.contact = contact
	return c, nil
}

// New is a client over connections that are already open. sources help to find records by their URL or key.
func New(engine client.Client, store Store, namespace string, sources []collection.Source) *Client {
	c := &Client{engine: engine, store: store, namespace: namespace}
	for _, s := range sources {
		c.sources = append(c.sources, s.Name)
	}
	return c
}

// Close closes the connection to the engine.
func (c *Client) Close() { c.engine.Close() }

// Cancel asks a submission to stop: what runs is stopped, what is delivered stays, and the manifest is written. reason is
// kept in the workflow's history.
func (c *Client) Cancel(ctx context.Context, id, reason string) error {
	if err := c.contact.Make(ctx); err != nil {
		return err
	}
	err := engine.Cancel(ctx, c.engine.WorkflowService(), engine.Cancellation{Namespace: c.namespace, WorkflowID: id, Reason: reason})
	if engine.IsUnknown(err) {
		return fmt.Errorf("submission %s is not running: %w", id, ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("cancel submission %s: %w", id, err)
	}
	return nil
}
