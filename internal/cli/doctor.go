package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/doctor"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/telemetry"
	"github.com/weir-collect/weir/starter"
)

const doctorLong = `Look at everything that weir needs, and say how to mend what is not as it should
be. Checks run side by side, each for 20 seconds at most.

To measure, it starts workflows of the type WeirDoctor on a task queue of their
own, and writes objects under doctor/ in the bucket; both are removed at once,
though Temporal may show a removed workflow for a minute. Temporal's dynamic
configuration cannot be read from outside: what can neither be asked for nor
measured is a warning that names the setting. Secrets are read, and never shown.

The exit code is that of the worst finding: 0 where nothing fails, with or
without warnings, 1 where something fails, 2 where the configuration does. With
--strict a warning counts as a failure.

With --output json: [{"check", "level", "what", "mend"}]; the levels are ok,
skipped, warn and fail.

The checks are:

%s`

const doctorExample = `  weir doctor
  weir doctor --only bucket,conditional-writes
  weir doctor --strict --output json | jq -r '.[].mend | values'`

// checkTime bounds every check.
const checkTime = 20 * time.Second

// examine makes a patient of a configuration; tests put another in its place.
type examine func(cfg config.Config, secrets connect.Secrets) (p doctor.Patient, done func())

func (a *app) doctorCommand() *cobra.Command {
	var only []string
	var strict bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Look at everything that weir needs, and say how to mend it", Long: fmt.Sprintf(doctorLong, checksText()),
		Example: doctorExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd, only, strict, a.patient) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&only, "only", nil, "run only these checks, `CHECK,...`")
	flags.BoolVar(&strict, "strict", false, "end with 1 for warnings as well")
	return cmd
}

func checksText() string {
	checks := doctor.Checks(context.Background(), doctor.Patient{})
	widest := 0
	for _, c := range checks {
		widest = max(widest, len(c.Name))
	}
	var b strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&b, "  %-*s  %s\n", widest, c.Name, c.About)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (a *app) doctor(cmd *cobra.Command, only []string, strict bool, examine examine) error {
	if _, err := doctor.Only(doctor.Checks(cmd.Context(), doctor.Patient{}), only); err != nil {
		return usageError{err}
	}
	cfg, err := a.load(cmd.Flags())
	if err != nil {
		// Nothing else can be looked at.
		if err := a.tellProblems(err); err != nil {
			return err
		}
		return verdict(ExitUsage)
	}
	patient, done := examine(cfg, a.secrets())
	defer done()
	checks, err := doctor.Only(doctor.Checks(cmd.Context(), patient), only)
	if err != nil {
		return usageError{err}
	}
	found := doctor.Run(cmd.Context(), checks, cmp.Or(a.edges.checkTime, checkTime))
	if cmd.Context().Err() != nil {
		return errInterrupted
	}
	if err := a.tellFindings(found); err != nil {
		return err
	}
	if worst := doctor.Worst(found); worst == doctor.Fail || strict && worst == doctor.Warn {
		return verdict(ExitFailure)
	}
	return nil
}

var findingStyles = map[doctor.Level]screen.Style{
	doctor.OK: screen.Good, doctor.Skipped: screen.Faint, doctor.Warn: screen.Notice, doctor.Fail: screen.Bad,
}

// tellFindings writes a line for each, and beneath, in full, what is to be mended.
func (a *app) tellFindings(found []doctor.Finding) error {
	return a.answer(found, func() { showDiagnosis(a.answers(), found) })
}

func showDiagnosis(out *screen.Screen, found []doctor.Finding) {
	table := out.NewTable(screen.Column{Title: "CHECK"}, screen.Column{Title: "LEVEL"}, screen.Column{Title: "WHAT"})
	facts, mend := out.NewFacts(), 0
	for _, f := range found {
		table.Row(screen.Text(f.Check), screen.Cell{Text: string(f.Level), Style: findingStyles[f.Level]}, screen.Text(f.What))
		if f.Mend != "" {
			facts.AddCell(f.Check, screen.Cell{Text: f.What, Style: findingStyles[f.Level]})
			facts.Add("", "> "+f.Mend)
			mend++
		}
	}
	table.End()
	if mend > 0 {
		out.Blank()
		out.Line("%s", out.Paint(screen.Strong, "TO MEND"))
		facts.End()
	}
}

// tellProblems writes what is wrong with the configuration, each problem in a line of its own, and a finding of its own for
// programs.
func (a *app) tellProblems(err error) error {
	problems := []string{err.Error()}
	var invalid *config.InvalidError
	if errors.As(err, &invalid) {
		problems = nil
		for _, p := range invalid.Problems {
			problems = append(problems, p.Error())
		}
	}
	const check, mend = "config", "correct it, as weir.example.yaml shows"
	var found []doctor.Finding
	for _, p := range problems {
		found = append(found, doctor.Finding{Check: check, Level: doctor.Fail, What: p, Mend: mend})
	}
	return a.answer(found, func() { showProblems(a.answers(), check, mend, problems) })
}

func showProblems(out *screen.Screen, check, mend string, problems []string) {
	table := out.NewTable(screen.Column{Title: "CHECK"}, screen.Column{Title: "LEVEL"}, screen.Column{Title: "WHAT"})
	table.Row(screen.Text(check), screen.Cell{Text: string(doctor.Fail), Style: findingStyles[doctor.Fail]},
		screen.Text("the configuration has "+screen.Plural(len(problems), "problem")))
	table.End()
	out.Blank()
	out.Line("%s", out.Paint(screen.Strong, "TO MEND"))
	facts, name := out.NewFacts(), check
	for _, p := range problems {
		facts.AddCell(name, screen.Cell{Text: p, Style: findingStyles[doctor.Fail]})
		name = ""
	}
	facts.Add("", "> "+mend)
	facts.End()
}

// patient is the real world.
func (a *app) patient(cfg config.Config, secrets connect.Secrets) (doctor.Patient, func()) {
	secret := secrets.In(cfg).Value
	closers := make(chan func(), 1)
	p := doctor.Patient{
		Config: cfg, Secret: secret, Now: time.Now, Unique: uuid.NewString,
		Dial: func(ctx context.Context) (*doctor.Engine, error) {
			e, stop, err := dialEngine(ctx, cfg, secrets)
			if err == nil {
				closers <- stop
			}
			return e, err
		},
		Open: func(ctx context.Context) (doctor.Bucket, func() (time.Duration, bool), error) {
			return doctor.OpenBucket(ctx, cfg, secret, time.Now)
		},
	}
	return p, func() {
		select {
		case stop := <-closers:
			stop()
		default: // never dialled, or to no avail
		}
	}
}

func dialEngine(ctx context.Context, cfg config.Config, secrets connect.Secrets) (*doctor.Engine, func(), error) {
	silent := telemetry.TemporalLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	c, err := connect.Temporal(ctx, cfg, secrets, connect.TemporalOptions{Logger: silent})
	if err != nil {
		return nil, nil, err
	}
	address, namespace, err := connect.TemporalAddress(cfg, secrets)
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	fleet := starter.New(c, nil, namespace, cfg.Sources)
	return &doctor.Engine{
		Service: c.WorkflowService(), Operator: c.OperatorService(), Address: address, Namespace: namespace,
		Table: func(ctx context.Context) ([]lease.SourceView, error) {
			rows, err := fleet.Sources(ctx)
			if errors.Is(err, starter.ErrNotFound) {
				return nil, nil
			}
			return rows, err
		},
	}, c.Close, nil
}
