package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMisspelled: what is misspelled is answered with what was meant, before its flags are blamed.
func TestMisspelled(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"puase shop --reason x":                    `there is no command "puase": did you mean pace or pause?`,
		"--config weir.yaml puase shop --reason x": `there is no command "puase"`,
		"-o json puase --reason x":                 `there is no command "puase"`,
		"--reason x":                               "unknown flag: --reason; see weir --help",
		"--no-color statsu --nope":                 `there is no command "statsu": did you mean status?`,
		"breaker hlod shop --reason x":             `there is no command "hlod": did you mean hold?`,
		"breaker hlod shop":                        `there is no command "hlod": did you mean hold?`,
		"help statsu":                              `there is no command "statsu": did you mean status?`,
		"help breaker hlod":                        `there is no command "hlod": did you mean hold?`,
		"completion fishh":                         `there is no command "fishh": did you mean fish?`,
		"ceiling shop -1":                          `ceiling "-1": use a whole number of requests, 0 to 10000`,
		"ceiling shop -x":                          "unknown shorthand flag: 'x' in -x",
		"pace shop -5/min":                         "pace -5/min: use more than 0",
		"dev --temporal-port abc":                  `invalid argument "abc" for --temporal-port: use a whole number; see weir dev --help`,
		"links a --expires soon":                   `invalid argument "soon" for --expires: use a duration, such as 90s, 15m or 2h`,
		"submit a --wait=perhaps":                  `invalid argument "perhaps" for --wait: use true or false`,
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			s := ask(t, &fakeClient{}, strings.Fields(args)...)
			require.Equal(t, ExitUsage, s.code, s.stdout)
			require.Contains(t, s.stderr, says)
			require.Empty(t, s.stdout)
		})
	}
}

func TestHelpAndCompletion(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"help":              "weir collects records from sources",
		"help breaker hold": "weir breaker hold SOURCE",
		"completion":        "autocompletion",
		"completion fish":   "fish completion",
		"__complete help b": "breaker",
	} {
		s := ask(t, &fakeClient{}, strings.Fields(args)...)
		require.Zero(t, s.code, "%s: %s", args, s.stderr)
		require.Contains(t, s.stdout, says, args)
	}
}

// TestCompletionExamples: every shell's script comes with the line that uses it.
func TestCompletionExamples(t *testing.T) {
	t.Parallel()
	for shell, example := range completionExamples {
		s := ask(t, &fakeClient{}, "completion", shell, "--help")
		require.Zero(t, s.code)
		require.Contains(t, s.stdout, "Examples:\n"+example+"\n")
	}
	require.Contains(t, ask(t, &fakeClient{}, "completion", "--help").stdout, "  weir completion bash\n")
}

// TestExitCodesFitAScreen: and each meaning is told whole.
func TestExitCodesFitAScreen(t *testing.T) {
	t.Parallel()
	text := ask(t, &fakeClient{}, "exit-codes").stdout
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, len(line), 82, line)
	}
	words := strings.Join(strings.Fields(text), " ")
	for _, c := range ExitCodes() {
		require.Contains(t, words, c.Meaning)
	}
}

func TestExitCodesForPrograms(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{}, "exit-codes", "-o", "json")
	var got []ExitCode
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got), s.stdout)
	require.Equal(t, ExitCodes(), got)
	require.Contains(t, ask(t, &fakeClient{}, "exit-codes").stdout, "  130  Ctrl-C")
}
