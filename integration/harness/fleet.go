package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/starter"
)

// Options say what a fleet is configured with.
type Options struct {
	Sources   []Source
	Customers []Customer
	// HeartbeatTimeout is the silence after which a worker counts as lost; 5 s when zero, so that drills are short.
	HeartbeatTimeout time.Duration
	// LeaseTTL is how long permits last without renewal; 3 s when zero.
	LeaseTTL time.Duration
	// S3 is the endpoint to use instead of the stack's own, for instance a proxy in front of it.
	S3 string
	// UserAgent names the fleet to sites; a test's own when empty.
	UserAgent string
	// More are further lines of the configuration, at its top level.
	More []string
	// LogLevel of the workers; "warn" when empty.
	LogLevel string
	// Log receives the workers' log; os.Stderr when nil.
	Log io.Writer
}

// Fleet is a stack with a configuration, a client, and workers that come and go.
type Fleet struct {
	Stack  *stack.Stack
	Config config.Config
	Client *starter.Client
	Engine client.Client
	Store  *objectstore.Store

	options    Options
	dir        string
	configPath string
	workers    []*Worker
}

// New configures a fleet on a running stack. Close ends everything but the stack.
func New(ctx context.Context, s *stack.Stack, o Options) (*Fleet, error) {
	if o.HeartbeatTimeout == 0 {
		o.HeartbeatTimeout = 5 * time.Second
	}
	if o.LeaseTTL == 0 {
		o.LeaseTTL = 3 * time.Second
	}
	if o.LogLevel == "" {
		o.LogLevel = "warn"
	}
	if o.Log == nil {
		o.Log = os.Stderr
	}
	if len(o.Customers) == 0 {
		o.Customers = []Customer{{Name: "acme"}}
	}
	dir, err := os.MkdirTemp("", "weir-fleet-")
	if err != nil {
		return nil, fmt.Errorf("make the fleet's folder: %w", err)
	}
	f := &Fleet{Stack: s, options: o, dir: dir}
	if f.configPath, err = f.writeConfig(); err == nil {
		f.Config, err = loadConfig(f.configPath)
	}
	if err == nil {
		err = f.connect(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return f, nil
}

func (f *Fleet) connect(ctx context.Context) error {
	secrets := f.secrets()
	var err error
	if f.Engine, err = connect.Temporal(ctx, f.Config, secrets, connect.TemporalOptions{Logger: quiet{}}); err != nil {
		return err
	}
	if f.Store, err = connect.Store(ctx, f.Config, secrets); err != nil {
		return err
	}
	f.Client = starter.New(f.Engine, f.Store, f.Stack.Namespace, f.Config.Sources)
	return nil
}

// secrets gives this process the keys of the stack, which workers get in their environment.
func (f *Fleet) secrets() connect.Secrets {
	values := map[string]string{envAccessKey: f.Stack.AccessKey, envSecretKey: f.Stack.SecretKey}
	return connect.Secrets{
		Env:      func(name string) (string, bool) { v, ok := values[name]; return v, ok },
		ReadFile: os.ReadFile,
	}
}

// Close stops the workers and the connections.
func (f *Fleet) Close() error {
	var problems []error
	for _, w := range f.workers {
		problems = append(problems, w.Stop())
	}
	f.Client.Close()
	return errors.Join(append(problems, os.RemoveAll(f.dir))...)
}

// quiet drops the SDK's own log in this process.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(msg string, keyvals ...any) {
	slog.Default().Error(msg, keyvals...)
}
