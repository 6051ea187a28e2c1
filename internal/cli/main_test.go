package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/starter"
	"github.com/weir-collect/weir/workers"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{usagef("x"), 2},
		{fmt.Errorf("x: %w", usagef("y")), 2},
		{&intake.HeaderError{}, 2},
		{&intake.FileError{}, 2},
		{verdict(3), 3},
		{fmt.Errorf("x: %w", starter.ErrNotFound), 4},
		{errInterrupted, 130},
		{fmt.Errorf("x: %w", context.Canceled), 130},
	} {
		require.Equal(t, c.code, codeOf(c.err), "%v", c.err)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for s, code := range map[collection.State]int{
		collection.StateAccepted: 0, collection.StateProcessing: 0, collection.StateComplete: 0,
		collection.StatePartiallyFailed: 3, collection.StateCancelled: 5, collection.StateFailed: 6,
	} {
		require.Equal(t, code, codeOf(verdictOf(collection.SubmissionStatus{State: s})), s)
	}
	for within, code := range map[bool]int{true: 0, false: 3} {
		result := collection.SubmissionResult{State: collection.StatePartiallyFailed, Tolerance: &collection.ToleranceVerdict{Within: within}}
		require.Equal(t, code, codeOf(verdictOf(collection.SubmissionStatus{State: collection.StatePartiallyFailed, Result: &result})))
	}
	for _, o := range append(collection.Outcomes(), starter.OutcomePending, starter.OutcomeUnknown) {
		code := map[collection.Outcome]int{
			collection.OutcomeDeadLettered: 3, collection.OutcomeRefused: 3, collection.OutcomeInvalid: 3, collection.OutcomeCancelled: 5,
			starter.OutcomeUnknown: 4,
		}[o]
		require.Equal(t, code, codeOf(verdictOfRecord(o)), o)
	}
}

// TestExitCodesAreDocumented: the help topic tells of every code.
func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{}, "help", "exit-codes")
	require.Zero(t, s.code)
	seen := map[int]bool{}
	for _, c := range ExitCodes() {
		require.False(t, seen[c.Code], c.Code)
		seen[c.Code] = true
		require.Contains(t, strings.Join(strings.Fields(s.stdout), " "), fmt.Sprintf("%d %s", c.Code, c.Meaning))
	}
	require.Len(t, seen, 9)
}

// TestUsageErrors: what the caller has to correct is one line on stderr, and the code 2.
func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		says string
	}{
		{"sbmit", `there is no command "sbmit": did you mean submit?`},
		{"frobnicate", `there is no command "frobnicate": see weir --help`},
		{"status", "ID is missing: weir status ID [RECORD] [flags]; see weir status --help"},
		{"status a b c", `unexpected argument "c"; see weir status --help`},
		{"status a/b", "submission id"},
		{"status a r --wait", "--wait follows a submission"},
		{"status a --output yaml", `invalid argument "yaml" for "-o, --output" flag: use table or json; see weir status --help`},
		{"status a --colour", "unknown flag: --colour; see weir status --help"},
		{"submit", "FILE is missing"},
		{"submit missing.csv --customer acme", "missing.csv: no such file"},
		{"submit . --customer acme", ". is a folder: name a file"},
		{"submit weir.yaml", "who submits? Give --customer NAME: acme, initech"},
		{"submit weir.yaml --customer Acme", `customer "Acme": use 1 to 63 lower-case letters`},
		{"submit weir.yaml --customer acne", `customer "acne" is not in the configuration, which has acme, initech`},
		{"submit weir.yaml --customer acme --source shop", `source "shop" is not in the configuration, which has bookshop`},
		{"submit weir.yaml --customer acme --id a/b", "submission id"},
		{"submit weir.yaml --customer acme --lane fast", "use urgent, normal or bulk"},
		{"submit weir.yaml --customer acme --format xml", "use csv or jsonl"},
		{"records a --outcome lost", "use delivered, gone, refused, dead_lettered, cancelled, invalid, duplicate, pending or unknown"},
		{"records a --reason tired", `there is no reason "tired"; the reasons are auth_required, `},
		{"records a --limit -1", "--limit -1: use a number of rows"},
		{"records ..", "submission id"},
		{"links a --expires 200h", "--expires 200h0m0s: use 1s to 168h0m0s"},
		{"links a --expires 0", "use 1s to"},
		{"links a --expires soon", "use a duration"},
		{"links a..b", "submission id"},
		{"cancel a/b", "submission id"},
		{"sources Shop", `source "Shop": use 1 to 63 lower-case letters`},
		{"sources a b", `unexpected argument "b"`},
		{"pause", "SOURCE is missing: weir pause SOURCE [flags]; see weir pause --help"},
		{"pause shop", "--reason is missing: say why"},
		{"pause shop --reason=", "--reason is missing: say why"},
		{"pause shop --reason " + strings.Repeat("x", 401), "--reason has 401 characters: use at most 400"},
		{"pause Shop --reason x", `source "Shop"`},
		{"resume shop now", `unexpected argument "now"`},
		{"ceiling", "SOURCE is missing: weir ceiling SOURCE N [flags]"},
		{"ceiling shop", "N is missing: weir ceiling SOURCE N [flags]; see weir ceiling --help"},
		{"ceiling shop many", `ceiling "many": use a whole number of requests, 0 to 10000`},
		{"ceiling shop 10001", `ceiling "10001": use a whole number`},
		{"ceiling shop -- -1", `ceiling "-1": use a whole number`},
		{"ceiling shop 2 --reset", "--reset goes back to what is configured: leave out 2"},
		{"ceiling shop --reset --for 1h", "--reset goes back for good: leave out --for"},
		{"ceiling shop 2 --for 0", "--for 0s: use 1s or more"},
		{"ceiling shop 2 --for -1h", "--for -1h0m0s: use 1s or more"},
		{"ceiling Shop 2", `source "Shop"`},
		{"pace shop", "RATE is missing: weir pace SOURCE RATE [flags]"},
		{"pace shop 0", "pace 0 would let no request through: use weir pause for that, or none for no pace"},
		{"pace shop 5/day", `pace "5/day": write it as 5, 0.5, 30/min, 100/h or none`},
		{"pace shop NaN", "pace NaN: use more than 0 and at most 10000 requests per second"},
		{"pace shop 1e-9", "pace 1e-9: use more than 0"},
		{"pace shop 10001", "pace 10001: use more than 0"},
		{"breaker hodl shop", `there is no command "hodl": did you mean hold?`},
		{"breaker hold shop", "--reason is missing"},
		{"breaker release shop", "--reason is missing"},
		{"method", "SOURCE is missing: weir method SOURCE NAME [flags]; see weir method --help"},
		{"method Shop api --reason x", `source "Shop"`},
		{"method shop", "NAME is missing: weir method SOURCE NAME [flags]; see weir method --help"},
		{"method shop api", "--reason is missing: say why"},
		{"method shop api --reset", "--reset goes back to the order of the configuration: leave out api"},
		{"egress london", `unexpected argument "london": weir egress takes none`},
		{"worker all", `unexpected argument "all": weir worker takes none`},
		{"worker --role cook", `role "cook": use workflows, plan, collect, parse, deliver`},
		{"worker --source shop", `source "shop" is not in the configuration`},
		{"worker --log-level loud", "worker.log_level"},
		{"worker -o json", "weir worker has no answer that could be JSON"},
		{"demo -o json", "weir demo has no answer that could be JSON"},
		{"dev --s3-port 70000", "--s3-port 70000: use a port from 1 to 65535, or 0 for a free one"},
		{"dev --dir=", "--dir is empty"},
		{"status a --config none.yaml", "none.yaml"},
		{"status a --temporal-address nonsense", "temporal.address"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			s := ask(t, &fakeClient{}, strings.Fields(c.args)...)
			require.Equal(t, ExitUsage, s.code, s.stderr)
			require.Contains(t, s.stderr, c.says)
			require.True(t, strings.HasPrefix(s.stderr, "weir: "), s.stderr)
			require.LessOrEqual(t, strings.Count(s.stderr, "\n"), 1, "no dump of the usage: %s", s.stderr)
			require.Empty(t, s.stdout)
		})
	}
}

func TestConfigurationProblemsAreListed(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	broken := strings.Replace(testConfig, "css: h1", "css: 'h1['", 1) + "s3: {bucket: A}\n"
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "weir.yaml"), []byte(broken), 0o600))
	s := in(w, (&fakes{}).edges(), "status", "a")
	require.Equal(t, ExitUsage, s.code)
	require.Contains(t, s.stderr, "weir: the configuration has 2 problems:\n")
	require.Contains(t, s.stderr, "sources[0].parse.fields[0].css (weir.yaml:8)")
	require.Contains(t, s.stderr, "s3.bucket")
}

func TestLayersOfTheConfiguration(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	w.Env = func(name string) (string, bool) {
		v, ok := map[string]string{"WEIR_S3_BUCKET": "from-env", "WEIR_TEMPORAL_NAMESPACE": "from-env"}[name]
		return v, ok
	}
	other := filepath.Join(w.Dir, "other.yaml")
	require.NoError(t, os.WriteFile(other, []byte(testConfig+"s3: {bucket: from-file, region: from-file}\n"), 0o600))
	f := &fakes{client: &fakeClient{}}
	s := in(w, f.edges(), "status", "a", "--config", "other.yaml", "--namespace", "from-flag", "--temporal-address", "t.example:7233")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, "from-file", f.cfg.S3.Region)
	require.Equal(t, "from-env", f.cfg.S3.Bucket)
	require.Equal(t, "from-flag", f.cfg.Temporal.Namespace)
	require.Equal(t, "t.example:7233", f.cfg.Temporal.Address)
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	f := &fakes{dialErr: errors.New("Temporal does not answer at 127.0.0.1:1")}
	s := in(testWorld(t), f.edges(), "status", "a")
	require.Equal(t, session{code: 1, stderr: "weir: Temporal does not answer at 127.0.0.1:1\n"}, s)
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		s := ask(t, &fakeClient{}, args...)
		require.Zero(t, s.code)
		require.Contains(t, s.stdout, "weir collects records from sources at fleet scale")
		require.Empty(t, s.stderr)
	}
	root := (&app{world: testWorld(t)}).command()
	commands := root.Commands()
	for _, c := range root.Commands() {
		commands = append(commands, c.Commands()...)
	}
	for _, c := range commands {
		if c.Name() == "exit-codes" || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		require.NotEmpty(t, c.Long, c.CommandPath())
		require.NotEmpty(t, c.Example, c.CommandPath())
		path := strings.Fields(c.CommandPath())[1:]
		for line := range strings.Lines(ask(t, &fakeClient{}, append(path, "--help")...).stdout) {
			require.LessOrEqual(t, len(line), 81, "%s: %s", c.CommandPath(), line)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	plain := ask(t, &fakeClient{}, "version")
	require.Regexp(t, `^weir \S+\n$`, plain.stdout)
	require.Equal(t, plain, ask(t, &fakeClient{}, "--version"))
	require.Regexp(t, `^\{"version":"\S+"\}\n$`, ask(t, &fakeClient{}, "version", "-o", "json").stdout)
}

// TestSignals: the first signal asks the work to stop, the second ends the process.
func TestSignals(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	signals := make(chan os.Signal, 2)
	w.Signals = signals
	ended := make(chan int, 1)
	w.Exit = func(code int) { ended <- code }
	f := &fakes{work: func(ctx context.Context, _ workers.Options) error {
		signals <- syscall.SIGTERM
		<-ctx.Done()
		signals <- syscall.SIGTERM
		select {
		case code := <-ended:
			require.Equal(t, ExitInterrupted, code)
		case <-time.After(10 * time.Second):
			t.Error("the second signal does nothing")
		}
		return nil
	}}
	require.Zero(t, in(w, f.edges(), "worker").code)
}
