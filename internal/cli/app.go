package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/telemetry"
)

// app is one run of the program.
type app struct {
	world World
	edges edges

	// The flags that every command has.
	configFile string
	output     choice
	noColour   bool
}

// options are how screens look.
func (a *app) options() screen.Options {
	return screen.Options{NoColour: a.noColour || a.world.env("NO_COLOR") != "" || a.world.env("TERM") == "dumb"}
}

// answers is where the answer goes.
func (a *app) answers() *screen.Screen { return screen.New(a.world.Stdout, a.options()) }

// remarks is where everything goes that is not the answer.
func (a *app) remarks() *screen.Screen { return screen.New(a.world.Stderr, a.options()) }

// remark writes a sentence that is not the answer.
func (a *app) remark(text string) { a.remarks().Line("%s", text) }

func (a *app) wantsJSON() bool { return a.output.value == outputJSON }

// writeJSON writes an answer for programs, on one line.
func (a *app) writeJSON(v any) error {
	encoder := json.NewEncoder(a.world.Stdout)
	// Addresses are full of ampersands, and nobody puts this into a page.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// answer gives an answer in the form that was asked for: v to programs, and what show writes to people.
func (a *app) answer(v any, show func()) error {
	if a.wantsJSON() {
		return a.writeJSON(v)
	}
	show()
	return nil
}

// load reads the configuration: everything that is wrong with it is for the caller to correct.
func (a *app) load(flags *pflag.FlagSet) (config.Config, error) {
	cfg, err := config.Load(config.Options{
		File: a.world.path(a.configFile), Dir: a.world.Dir, Env: a.world.Env, Flags: flags,
		CPUs: runtime.GOMAXPROCS(0), Version: telemetry.Version(), CheckParse: checkParse,
	})
	if err != nil {
		return config.Config{}, usageError{err}
	}
	return cfg, nil
}

// checkParse compiles parse rules as the workers do.
func checkParse(parse collection.Parse, schema []byte) error {
	_, err := extract.Compile(parse, schema)
	return err
}

func (a *app) secrets() connect.Secrets {
	return connect.Secrets{Env: a.world.Env, ReadFile: connect.SystemSecrets().ReadFile}
}

// withClient connects, runs a command's question and closes the connection.
func (a *app) withClient(cmd *cobra.Command, ask func(ctx context.Context, c client, cfg config.Config) error) error {
	cfg, err := a.load(cmd.Flags())
	if err != nil {
		return err
	}
	err = a.connected(cmd.Context(), cfg, ask)
	if cmd.Context().Err() != nil && codeOf(err) == ExitFailure {
		// Whatever the last call said: it was broken off.
		return errInterrupted
	}
	return err
}

func (a *app) connected(ctx context.Context, cfg config.Config, ask func(ctx context.Context, c client, cfg config.Config) error) error {
	// What the SDK logs is of no use to somebody who asks a question: errors come back as errors.
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	c, err := a.edges.dial(ctx, cfg, a.secrets(), silent)
	if err != nil {
		return err
	}
	defer c.Close()
	return ask(ctx, c, cfg)
}
