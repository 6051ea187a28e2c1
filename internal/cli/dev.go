package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/stack"
)

const devLong = `Run Temporal, Temporal Web and an S3 gateway on this machine, over one folder,
until told to stop.

The first start builds them, which takes minutes and needs Go and a clone of
weir; later starts take seconds. Everything listens on 127.0.0.1 only. What is
stored stays in the folder for the next start.

The folder also gets a file env with the variables that make weir use this
stack, whatever weir.yaml says:

  . .weir/env

It names the S3 keys by files beside it, and holds no secret itself.

With --output json, once ready: {"temporal", "namespace", "web", "s3",
"bucket", "region", "data", "environment"}.`

const devExample = `  weir dev
  weir dev --dir /var/tmp/weir --temporal-port 17233 --s3-port 19000`

// envDevstack names a built stack, as --devstack does.
const envDevstack = "WEIR_DEVSTACK"

// devFlags are the flags of dev.
type devFlags struct {
	dir, binary       string
	temporal, web, s3 int
}

func (a *app) devCommand() *cobra.Command {
	f := &devFlags{}
	cmd := &cobra.Command{
		Use: "dev", Short: "Run Temporal and S3 on this machine", Long: devLong, Example: devExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.dev(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.dir, "dir", ".weir", "`FOLDER` of databases and objects; created if it is missing")
	flags.IntVar(&f.temporal, "temporal-port", 7233, "`PORT` of Temporal; 0 picks a free one")
	flags.IntVar(&f.web, "web-port", 8233, "`PORT` of Temporal Web; 0 picks a free one")
	flags.IntVar(&f.s3, "s3-port", 9000, "`PORT` of S3; 0 picks a free one")
	a.devstackFlag(cmd, &f.binary)
	return cmd
}

func (a *app) devstackFlag(cmd *cobra.Command, binary *string) {
	cmd.Flags().StringVar(binary, "devstack", a.world.env(envDevstack), "run this built `BINARY` instead of building one; also "+envDevstack)
}

func (f *devFlags) check() error {
	for _, p := range []struct {
		flag string
		port int
	}{{"temporal-port", f.temporal}, {"web-port", f.web}, {"s3-port", f.s3}} {
		if p.port < 0 || p.port > 65535 {
			return usagef("--%s %d: use a port from 1 to 65535, or 0 for a free one", p.flag, p.port)
		}
	}
	if f.dir == "" {
		return usagef("--dir is empty: name a folder")
	}
	return nil
}

func (a *app) dev(ctx context.Context, f *devFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	dir, err := filepath.Abs(a.world.path(f.dir))
	if err != nil {
		return fmt.Errorf("find the folder %s: %w", f.dir, err)
	}
	keys, err := prepareKeys(dir)
	if err != nil {
		return err
	}
	remarks := a.remarks()
	s, at, err := a.edges.stack(ctx, stack.Options{
		Binary: a.world.path(f.binary), Progress: a.world.Stderr, Data: dir,
		TemporalPort: f.temporal, WebPort: f.web, S3Port: f.s3, AccessKey: keys.access, SecretKey: keys.secret,
	})
	if err != nil {
		return err
	}
	if err := a.announce(dir, f.dir, at, keys); err != nil {
		return stopStack(s, err)
	}
	select {
	case <-s.Done():
		return s.Err()
	case <-ctx.Done():
	}
	remarks.Line("stopping")
	return stopStack(s, nil)
}

// stackStopGrace bounds the stop as a whole; the stack's own bound is shorter.
const stackStopGrace = 30 * time.Second

// stopStack stops the stack, whatever has become of the program's context. The first error counts.
func stopStack(s running, cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stackStopGrace)
	defer cancel()
	if err := s.Stop(ctx); cause == nil {
		return err
	}
	return cause
}

// announce writes the env file and says where everything is.
func (a *app) announce(dir, shown string, at stackAddresses, keys stackKeys) error {
	variables := environment(at, keys)
	file := filepath.Join(dir, "env")
	if err := os.WriteFile(file, envFile(variables), 0o600); err != nil {
		return fmt.Errorf("write the variables for this stack: %w", err)
	}
	at.Environment = map[string]string{}
	for _, v := range variables {
		at.Environment[v.name] = v.value
	}
	return a.answer(at, func() { a.showStack(dir, shown, at, variables) })
}

// showStack says where everything is, and how weir is made to use it.
func (a *app) showStack(dir, shown string, at stackAddresses, variables []variable) {
	s := a.answers()
	table := s.NewTable(screen.Column{Title: "WHAT"}, screen.Column{Title: "WHERE"})
	table.Row(screen.Text("Temporal"), screen.Text(fmt.Sprintf("%s (namespace %s)", at.Temporal, at.Namespace)))
	table.Row(screen.Text("Temporal Web"), screen.Text(at.Web))
	table.Row(screen.Text("S3"), screen.Text(fmt.Sprintf("%s (bucket %s)", at.S3, at.Bucket)))
	table.Row(screen.Text("data"), screen.Text(dir))
	table.End()
	s.Blank()
	s.Line("To use it, in another terminal:")
	s.Blank()
	s.Line("  . %s", shellQuote(filepath.Join(shown, "env")))
	s.Blank()
	s.Line("which is:")
	s.Blank()
	for _, v := range variables {
		s.Line("  export %s=%s", v.name, shellQuote(v.value))
	}
	if _, err := os.Stat(a.world.path("weir.yaml")); err != nil && a.configFile == "" {
		s.Blank()
		s.Line("There is no weir.yaml here yet: weir.example.yaml shows how sources and customers are described.")
	}
	s.Blank()
	s.Line("Ctrl-C stops it; what is stored stays.")
}
