package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/telemetry"
)

const rootLong = `weir collects records from sources at fleet scale, on Temporal, and delivers
them to S3 with proof.

To see it work, without any set-up:      weir demo
To run Temporal and S3 on this machine:  weir dev
To collect:                              weir worker, and weir submit FILE

Answers go to stdout: tables, or JSON with --output json. Everything else goes
to stderr.

weir reads weir.yaml in the working directory, or --config FILE;
weir.example.yaml explains every key. A variable can set any key outside of
lists: WEIR_S3_BUCKET sets s3.bucket. Where Temporal is can also be said by
Temporal's own variables, such as TEMPORAL_ADDRESS.`

const rootExample = `  weir submit books.csv --customer acme --wait
  weir status acme-3f2a9c1b7e10
  weir records acme-3f2a9c1b7e10 --outcome dead_lettered`

// command is the whole tree of commands.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use: "weir", Short: "Collect records from sources at fleet scale", Long: rootLong, Example: rootExample,
		Version: telemetry.Version(), SilenceUsage: true, SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error { return unknownCommand(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	// Long lines of flags are wrapped beneath their beginning.
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", ".FlagUsagesWrapped 80 "))
	root.SetVersionTemplate("weir {{.Version}}\n")
	root.SetFlagErrorFunc(a.explainFlag)
	root.SetHelpCommand(a.helpCommand())
	a.output = choice{value: outputTable, allowed: []string{outputTable, outputJSON}, name: "table|json"}
	flags := root.PersistentFlags()
	flags.SortFlags = false
	flags.StringVar(&a.configFile, "config", "", "configuration `FILE`; weir.yaml, where there is one, when not given")
	flags.VarP(&a.output, "output", "o", "form of the answer")
	flags.String("temporal-address", "", "Temporal's `HOST:PORT`; beats temporal.address")
	flags.String("namespace", "", "Temporal namespace `NAME`; beats temporal.namespace")
	flags.BoolVar(&a.noColour, "no-color", false, "no colours; so does the variable NO_COLOR")
	bind(flags, map[string]string{"temporal-address": "temporal.address", "namespace": "temporal.namespace"})

	root.AddCommand(a.demoCommand(), a.devCommand(), a.workerCommand(), a.submitCommand(), a.statusCommand(),
		a.recordsCommand(), a.sampleCommand(), a.linksCommand(), a.redeliverCommand(), a.cancelCommand(),
		a.tryCommand(), a.deadCommand(), a.replayCommand(), a.sourcesCommand(), a.pauseCommand(), a.resumeCommand(),
		a.ceilingCommand(), a.paceCommand(), a.breakerCommand(), a.methodCommand(), a.egressCommand(), a.promiseCommand(), a.sizeCommand(),
		a.probeCommand(), a.doctorCommand(), a.sweepCommand(), a.retentionCommand(), a.versionCommand(), a.exitCodesCommand())
	return root
}

// bind makes flags set keys of the configuration. That a flag or a key does not exist is a defect of the program, which
// every test would meet.
func bind(flags *pflag.FlagSet, names map[string]string) {
	if err := config.Bind(flags, names); err != nil {
		panic(err)
	}
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		hint = "did you mean " + strings.Join(similar, " or ") + "?"
	}
	return usagef("there is no command %q: %s", args[0], hint)
}

// needsCommand are the arguments of a command that does nothing by itself: one beneath it must be named.
func needsCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args)
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usagef("%s needs a command: %s; see %[1]s --help", cmd.CommandPath(), strings.Join(names, ", "))
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArguments,
		Long:    "Print the version.\n\nWith --output json: {\"version\": …}.",
		Example: "  weir version",
		RunE: func(*cobra.Command, []string) error {
			if a.wantsJSON() {
				return a.writeJSON(map[string]string{"version": telemetry.Version()})
			}
			_, err := fmt.Fprintf(a.world.Stdout, "weir %s\n", telemetry.Version())
			return err
		},
	}
}

// hint is a remark that shows a command to go on with.
func hint(s *screen.Screen, what, command string) {
	s.Line("%s %s", s.Paint(screen.Faint, what+":"), command)
}
