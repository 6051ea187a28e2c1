package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/demo"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/workers"
)

func TestWorker(t *testing.T) {
	t.Parallel()
	var got workers.Options
	f := &fakes{work: func(_ context.Context, o workers.Options) error {
		got = o
		o.Logger.Info("hello")
		return nil
	}}
	s := in(testWorld(t), f.edges(), "worker", "--role", "collect,parse", "--source", "bookshop", "--metrics-address", "127.0.0.1:1", "--log-format", "json")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, []collection.Role{collection.RoleCollect, collection.RoleParse}, got.Roles)
	require.Equal(t, []string{"bookshop"}, got.Sources)
	require.Equal(t, "127.0.0.1:1", got.Config.Worker.MetricsAddress)
	require.Empty(t, s.stdout)
	require.Contains(t, s.stderr, `"msg":"hello"`)
}

func TestWorkerThatCannotStart(t *testing.T) {
	t.Parallel()
	f := &fakes{work: func(context.Context, workers.Options) error { return errors.New("Temporal does not answer") }}
	require.Equal(t, session{code: 1, stderr: "weir: Temporal does not answer\n"}, in(testWorld(t), f.edges(), "worker"))
}

// interrupting is a world whose caller presses Ctrl-C once the channel is closed.
func interrupting(w World) (World, func()) {
	signals := make(chan os.Signal, 1)
	w.Signals = signals
	return w, func() { signals <- os.Interrupt }
}

func TestWorkerStoppedWhileItStarts(t *testing.T) {
	t.Parallel()
	w, press := interrupting(testWorld(t))
	f := &fakes{work: func(ctx context.Context, _ workers.Options) error {
		press()
		<-ctx.Done()
		return errors.New("broken off")
	}}
	require.Zero(t, in(w, f.edges(), "worker").code)
}

// fakeStack runs until it is stopped, or until it dies.
type fakeStack struct {
	done    chan struct{}
	err     error
	stopped bool
}

func (s *fakeStack) Done() <-chan struct{} { return s.done }
func (s *fakeStack) Err() error            { return s.err }
func (s *fakeStack) Stop(context.Context) error {
	s.stopped = true
	return nil
}

var fakeAddresses = stackAddresses{
	Temporal: "127.0.0.1:7233", Namespace: "default", Web: "http://127.0.0.1:8233", S3: "http://127.0.0.1:9000", Bucket: "weir", Region: "us-east-1",
}

func TestDev(t *testing.T) {
	t.Parallel()
	w, press := interrupting(testWorld(t))
	running1 := &fakeStack{done: make(chan struct{})}
	var got stack.Options
	f := &fakes{stack: func(_ context.Context, o stack.Options) (running, stackAddresses, error) {
		got = o
		press()
		return running1, fakeAddresses, nil
	}}
	s := in(w, f.edges(), "dev", "--s3-port", "0", "--devstack", "built")
	require.Zero(t, s.code, s.stderr)
	require.True(t, running1.stopped)
	require.Equal(t, "stopping\n", s.stderr)
	dir := filepath.Join(w.Dir, ".weir")
	requireOwners(t, dir)
	require.Equal(t, text(`
WHAT          WHERE
Temporal      127.0.0.1:7233 (namespace default)
Temporal Web  http://127.0.0.1:8233
S3            http://127.0.0.1:9000 (bucket weir)
data          DIR

To use it, in another terminal:

  . .weir/env

which is:

  export WEIR_TEMPORAL_ADDRESS=127.0.0.1:7233
  export WEIR_TEMPORAL_NAMESPACE=default
  export WEIR_TEMPORAL_TLS_ENABLED=false
  export WEIR_S3_ENDPOINT=http://127.0.0.1:9000
  export WEIR_S3_REGION=us-east-1
  export WEIR_S3_BUCKET=weir
  export WEIR_S3_PATH_STYLE=true
  export WEIR_S3_ACCESS_KEY=file:DIR/s3-access-key
  export WEIR_S3_SECRET_KEY=file:DIR/s3-secret-key

Ctrl-C stops it; what is stored stays.
`), strings.ReplaceAll(s.stdout, dir, "DIR"))
	require.Equal(t, stack.Options{
		Binary: filepath.Join(w.Dir, "built"), Progress: got.Progress, Data: dir, TemporalPort: 7233, WebPort: 8233,
		AccessKey: "weir", SecretKey: got.SecretKey,
	}, got)
	require.GreaterOrEqual(t, len(got.SecretKey), 20)
	require.NotContains(t, s.stdout+s.stderr, got.SecretKey)

	// A second start has the same keys.
	first := got.SecretKey
	w, press = interrupting(w)
	s = in(w, f.edges(), "dev", "-o", "json")
	require.Equal(t, first, got.SecretKey)
	var answer stackAddresses
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &answer))
	require.Equal(t, "http://127.0.0.1:9000", answer.Environment["WEIR_S3_ENDPOINT"])
}

// TestDevEnvironment: a shell that reads the file makes weir use the stack, whatever weir.yaml says.
func TestDevEnvironment(t *testing.T) {
	t.Parallel()
	w, press := interrupting(testWorld(t))
	f := &fakes{client: &fakeClient{}, stack: func(context.Context, stack.Options) (running, stackAddresses, error) {
		press()
		return &fakeStack{done: make(chan struct{})}, fakeAddresses, nil
	}}
	require.Zero(t, in(w, f.edges(), "dev", "--dir", "a folder").code)
	out, err := exec.Command("sh", "-c", `. "$1" && env`, "sh", filepath.Join(w.Dir, "a folder", "env")).Output()
	require.NoError(t, err)
	variables := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		variables[name] = value
	}
	w.Signals = nil
	w.Env = func(name string) (string, bool) { v, ok := variables[name]; return v, ok }
	production := testConfig + "temporal: {address: 't.example:7233', api_key: 'env:K'}\ns3: {bucket: production, access_key: 'env:A', secret_key: 'env:B'}\n"
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "weir.yaml"), []byte(production), 0o600))
	s := in(w, f.edges(), "status", "a")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, "127.0.0.1:7233", f.cfg.Temporal.Address)
	require.Equal(t, "weir", f.cfg.S3.Bucket)
	require.True(t, f.cfg.S3.PathStyle)
	require.False(t, f.cfg.Temporal.WantsTLS())
	secret, err := f.cfg.S3.SecretKey.Resolve(w.Env, os.ReadFile)
	require.NoError(t, err)
	require.NotEmpty(t, secret)
}

func TestDevThatDies(t *testing.T) {
	t.Parallel()
	dead := &fakeStack{done: make(chan struct{}), err: errors.New("the embedded stack ended by itself")}
	close(dead.done)
	f := &fakes{stack: func(context.Context, stack.Options) (running, stackAddresses, error) { return dead, fakeAddresses, nil }}
	s := in(testWorld(t), f.edges(), "dev")
	require.Equal(t, 1, s.code)
	require.Equal(t, "weir: the embedded stack ended by itself\n", s.stderr)
}

func TestDevWithoutConfiguration(t *testing.T) {
	t.Parallel()
	w, press := interrupting(testWorld(t))
	require.NoError(t, os.Remove(filepath.Join(w.Dir, "weir.yaml")))
	f := &fakes{stack: func(context.Context, stack.Options) (running, stackAddresses, error) {
		press()
		return &fakeStack{done: make(chan struct{})}, fakeAddresses, nil
	}}
	require.Contains(t, in(w, f.edges(), "dev").stdout, "There is no weir.yaml here yet")
}

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain/a-b.c", "two words", "it's", "$HOME `x` \"y\"", ""} {
		out, err := exec.Command("sh", "-c", "printf %s "+shellQuote(text)).Output()
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	var got demo.Options
	f := &fakes{demo: func(_ context.Context, o demo.Options) error {
		got = o
		o.Screen.Line("hello")
		return nil
	}}
	w.Env = func(name string) (string, bool) {
		if name == envDevstack {
			return "/opt/devstack", true
		}
		return "", false
	}
	s := in(w, f.edges(), "demo", "--exit", "--dir", "d")
	require.Equal(t, session{stdout: "hello\n"}, s)
	require.True(t, got.Exit)
	require.Equal(t, filepath.Join(w.Dir, "d"), got.Dir)
	require.Equal(t, "/opt/devstack", got.Binary)

	f.demo = func(context.Context, demo.Options) error { return demo.ErrDiffers }
	require.Equal(t, session{code: 1, stderr: "weir: not everything is as it must be\n"}, in(w, f.edges(), "demo"))
}

func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
	}{{nil, 0}, {errors.New("broken off"), 130}, {demo.ErrDiffers, 1}} {
		w, press := interrupting(testWorld(t))
		f := &fakes{demo: func(ctx context.Context, _ demo.Options) error {
			press()
			<-ctx.Done()
			return c.err
		}}
		require.Equal(t, c.code, in(w, f.edges(), "demo").code)
	}
}
