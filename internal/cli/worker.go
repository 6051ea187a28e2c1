package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/telemetry"
	"github.com/weir-collect/weir/workers"
)

const workerLong = `Work until told to stop: plan submissions, collect, parse and deliver records,
settle.

Any number of workers may run. A worker takes every role and every source
unless it is told which:

  workflows  decides what happens next; cheap
  plan       reads submitted files, writes ledgers and manifests
  collect    makes the requests
  parse      turns responses into documents; busy
  deliver    stores documents in weir's bucket, and verifies them there
  fleet      owns the ceilings, and runs the sweep and the janitor; some worker
             must have it, or no request is made

The roles plan, collect and parse need sources, and plan needs customers:
without them in its configuration, a worker with such a role does not start.

SIGINT (Ctrl-C) or SIGTERM lets running work end within worker.shutdown_grace
and hands the rest to other workers; a second signal ends the process at once.
Logs go to stderr, metrics to worker.metrics_address. There is no answer on
stdout.`

const workerExample = `  weir worker
  weir worker --role collect --source bookshop
  weir worker --role workflows,plan --metrics-address 127.0.0.1:9465`

func (a *app) workerCommand() *cobra.Command {
	var roles, sources []string
	cmd := &cobra.Command{
		Use: "worker", Short: "Work on submissions until told to stop", Long: workerLong, Example: workerExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.work(cmd, roles, sources) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&roles, "role", nil, "only these roles, `ROLE,...`")
	flags.StringSliceVar(&sources, "source", nil, "collect only from these sources, `NAME,...`")
	flags.String("metrics-address", "", "`HOST:PORT` for Prometheus; beats worker.metrics_address")
	flags.String("log-level", "", "`LEVEL`: debug, info, warn or error; beats worker.log_level")
	flags.String("log-format", "", "`FORMAT`: text or json; beats worker.log_format")
	bind(flags, map[string]string{
		"metrics-address": "worker.metrics_address", "log-level": "worker.log_level", "log-format": "worker.log_format",
	})
	return cmd
}

func (a *app) work(cmd *cobra.Command, roleNames, sources []string) error {
	if err := a.noJSON(cmd); err != nil {
		return err
	}
	roles, err := workers.ParseRoles(roleNames)
	if err != nil {
		return usageError{err}
	}
	cfg, err := a.load(cmd.Flags())
	if err != nil {
		return err
	}
	if err := workers.CheckNeeds(cfg, roles); err != nil {
		return usagef("%s: %w", a.whereConfigured(), err)
	}
	for _, name := range sources {
		if _, ok := cfg.Source(name); !ok {
			return usagef("source %q is not in the configuration", name)
		}
	}
	logger, err := telemetry.NewLogger(a.world.Stderr, cfg.Worker.LogFormat, cfg.Worker.LogLevel)
	if err != nil {
		return usageError{err}
	}
	err = a.edges.work(cmd.Context(), workers.Options{
		Config: cfg, Roles: roles, Sources: sources, Logger: logger, Secrets: a.secrets(),
	})
	if err != nil && context.Cause(cmd.Context()) != nil {
		logger.Info("stopped before the work began", "error", err)
		return nil
	}
	return err
}

// whereConfigured is the file that a configuration was read from, or should have been.
func (a *app) whereConfigured() string {
	if a.configFile != "" {
		return a.configFile
	}
	file := a.world.path(config.FileName)
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	if _, err := os.Stat(file); err != nil {
		return file + " is not there (--config names another)"
	}
	return file
}

// noJSON refuses a form of answer from a command that has none.
func (a *app) noJSON(cmd *cobra.Command) error {
	if a.wantsJSON() {
		return usagef("%s has no answer that could be JSON: leave out --output", cmd.CommandPath())
	}
	return nil
}
