package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// explainFlag says what is wrong with a flag, in words of the command line and not of the library that reads it. Before a
// flag is blamed, the command must be one: the flags of a misspelled command are unknown to the one above it.
func (a *app) explainFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && cmd.HasSubCommands() {
		if name := firstArgument(cmd, a.world.Args); name != "" {
			if err := unknownCommand(cmd, []string{name}); err != nil {
				return err
			}
		}
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		if wanted := wantedValue[invalid.GetFlag().Value.Type()]; wanted != "" {
			return usagef("invalid argument %q for --%s: use %s; see %s --help", invalid.GetValue(), invalid.GetFlag().Name, wanted, cmd.CommandPath())
		}
	}
	return usagef("%w; see %s --help", err, cmd.CommandPath())
}

// wantedValue is what flags of a type take.
var wantedValue = map[string]string{
	"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number", "duration": "a duration, such as 90s, 15m or 2h",
	"bool": "true or false",
}

// firstArgument is the first argument behind the name of cmd that is neither a flag nor a flag's value: where there are
// commands beneath cmd, it was meant as one of them.
func firstArgument(cmd *cobra.Command, args []string) string {
	above := strings.Fields(cmd.CommandPath())[1:]
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return ""
		case strings.HasPrefix(arg, "-"):
			flag, valued := flagOf(cmd, arg)
			switch {
			case flag == nil && !valued:
				return "" // nobody knows whether a value follows
			case flag != nil && !valued && flag.NoOptDefVal == "":
				i++
			}
		case len(above) > 0 && arg == above[0]:
			above = above[1:]
		default:
			return arg
		}
	}
	return ""
}

// flagOf is the flag that an argument names, nil where there is none, and whether it brings a value of its own.
func flagOf(cmd *cobra.Command, arg string) (flag *pflag.Flag, valued bool) {
	name, _, valued := strings.Cut(arg, "=")
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return cmd.Flag(long), valued
	}
	if len(name) < len("-o") {
		return nil, true
	}
	return cmd.Flags().ShorthandLookup(name[1:2]), valued || len(name) > len("-o")
}

var negativeNumber = regexp.MustCompile(`^[0-9]`)

// belowZero makes a command read -1 as the number that it is, and not as a flag: check says what is wrong with it.
func (a *app) belowZero(cmd *cobra.Command, check func(text string) error) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && negativeNumber.MatchString(unknown.GetSpecifiedShortnames()) {
			if err := check("-" + unknown.GetSpecifiedShortnames()); err != nil {
				return err
			}
		}
		return a.explainFlag(cmd, err)
	})
}

// helpCommand is cobra's own, but for a topic that does not exist: that is an error, and not the general help.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command", Long: "Tell about a command, or a topic such as exit-codes.",
		Example: "  weir help submit\n  weir help exit-codes",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			above, _, err := cmd.Root().Find(args)
			var names []cobra.Completion
			if err == nil {
				for _, c := range above.Commands() {
					if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), begun) {
						names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usageError{err}
			}
			if len(rest) > 0 && topic.HasSubCommands() {
				return unknownCommand(topic, rest)
			}
			topic.InitDefaultHelpFlag()
			topic.InitDefaultVersionFlag()
			return topic.Help()
		},
	}
}

// completionExamples say how the script of each shell is used.
var completionExamples = map[string]string{
	"bash":       "  source <(weir completion bash)",
	"zsh":        "  source <(weir completion zsh)",
	"fish":       "  weir completion fish | source",
	"powershell": "  weir completion powershell | Out-String | Invoke-Expression",
}

// strictCompletion makes the completion of a shell that is not known an error. Scripts go where the output goes by then.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args = unknownCommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.Example = "  weir completion bash"
			for _, shell := range cmd.Commands() {
				shell.Example = completionExamples[shell.Name()]
			}
		}
	}
}
