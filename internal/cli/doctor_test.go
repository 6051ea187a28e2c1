package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/doctor"
)

// ward is a run of doctor whose patient has no Temporal and no bucket.
func ward(t *testing.T, output string, strict bool, only ...string) (session, error) {
	t.Helper()
	w := testWorld(t)
	var out, remarks bytes.Buffer
	w.Stdout, w.Stderr = &out, &remarks
	a := &app{world: w}
	a.output.value = output
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	done := false
	err := a.doctor(cmd, only, strict, func(cfg config.Config, secrets connect.Secrets) (doctor.Patient, func()) {
		p, _ := a.patient(cfg, secrets)
		p.Dial = func(context.Context) (*doctor.Engine, error) { return nil, errors.New("Temporal does not answer") }
		p.Open = func(context.Context) (doctor.Bucket, func() (time.Duration, bool), error) {
			return nil, nil, errors.New("the store does not answer")
		}
		return p, func() { done = true }
	})
	require.True(t, done, "connections are closed")
	return session{code: codeOf(err), stdout: out.String(), stderr: remarks.String()}, err
}

func TestDoctorShowsWhatToMend(t *testing.T) {
	t.Parallel()
	s, _ := ward(t, outputTable, false, "config", "user-agent", "temporal", "namespace")
	require.Equal(t, ExitFailure, s.code)
	require.Equal(t, text(`
CHECK       LEVEL    WHAT
config      ok       valid, with 1 source and 2 customers
user-agent  warn     user_agent is "AGENT", which names the program and not whoever runs it
temporal    fail     Temporal does not answer
namespace   skipped  Temporal could not be asked: see temporal

TO MEND
user-agent  user_agent is "AGENT", which names the program and not whoever runs it
            > write it like example-bot/1.0 (+https://example.com/bot), so that a site's owner can ask before blocking
temporal    Temporal does not answer
            > mend this first: nothing that needs Temporal could be looked at
`), regexp.MustCompile(`"weir/[^"]*"`).ReplaceAllString(s.stdout, `"AGENT"`))
}

func TestDoctorExitCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		only   string
		strict bool
		code   int
	}{
		"fine":             {"config", true, ExitOK},
		"a warning":        {"user-agent", false, ExitOK},
		"a strict warning": {"user-agent", true, ExitFailure},
		"a failure":        {"temporal", false, ExitFailure},
		"not looked at":    {"namespace", true, ExitOK},
	} {
		s, _ := ward(t, outputTable, c.strict, c.only)
		require.Equal(t, c.code, s.code, name)
	}
}

func TestDoctorAsJSON(t *testing.T) {
	t.Parallel()
	s, _ := ward(t, outputJSON, false, "bucket", "lifecycle")
	var found []map[string]string
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &found))
	require.Equal(t, []map[string]string{
		{"check": "bucket", "level": "fail", "what": "the store does not answer", "mend": "mend this first: nothing that needs the bucket could be looked at"},
		{"check": "lifecycle", "level": "skipped", "what": "the bucket could not be asked: see bucket"},
	}, found)
	require.Empty(t, s.stderr)
}

func TestDoctorOfABadConfiguration(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "weir.yaml"), []byte("sources: [{name: x}]\n"), 0o600))
	s := in(w, (&fakes{}).edges(), "doctor")
	require.Equal(t, ExitUsage, s.code)
	require.Contains(t, s.stdout, "config  fail")
	require.Contains(t, s.stdout, "sources[0]")
	require.Empty(t, s.stderr)
}

func TestDoctorUsage(t *testing.T) {
	t.Parallel()
	s := in(testWorld(t), (&fakes{}).edges(), "doctor", "--only", "config,lungs")
	require.Equal(t, ExitUsage, s.code)
	require.Contains(t, s.stderr, `there is no check "lungs": use config, secrets`)
	help := in(testWorld(t), (&fakes{}).edges(), "doctor", "--help").stdout
	for _, c := range doctor.Checks(t.Context(), doctor.Patient{}) {
		require.Contains(t, help, c.Name)
		require.Contains(t, help, c.About)
	}
}

// TestDoctorOfADeadTemporal takes the real edges to addresses where nobody listens.
func TestDoctorOfADeadTemporal(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	w.Env = func(name string) (string, bool) {
		v, ok := map[string]string{
			"WEIR_TEMPORAL_ADDRESS": "127.0.0.1:1", "WEIR_S3_ENDPOINT": "http://127.0.0.1:1", "WEIR_S3_BUCKET": "weir", "WEIR_S3_PATH_STYLE": "true",
			"WEIR_S3_ACCESS_KEY": "env:KEY", "WEIR_S3_SECRET_KEY": "env:KEY", "KEY": "hush",
		}[name]
		return v, ok
	}
	began := time.Now()
	s := in(w, (&fakes{}).edges(), "doctor")
	require.Equal(t, ExitFailure, s.code)
	require.Less(t, time.Since(began), 30*time.Second)
	require.Contains(t, s.stdout, "127.0.0.1:1")
	require.Contains(t, s.stdout, "secrets             ok       all 2 can be read")
	require.NotContains(t, s.stdout+s.stderr, "hush")
}

// TestDoctorListsProblems: each problem of the configuration is a line of its own, once.
func TestDoctorListsProblems(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	file := filepath.Join(w.Dir, "weir.yaml")
	require.NoError(t, os.WriteFile(file, []byte("s3: {bucket: A}\ntempral: {}\n"), 0o600))
	s := in(w, (&fakes{}).edges(), "doctor")
	require.Equal(t, ExitUsage, s.code)
	require.Contains(t, s.stdout, "config  fail   the configuration has 2 problems\n")
	for _, key := range []string{"s3.bucket", "tempral"} {
		require.Equal(t, 1, strings.Count(s.stdout, key+" "), s.stdout)
	}
	require.Contains(t, s.stdout, "\n        > correct it, as weir.example.yaml shows\n")

	s = in(w, (&fakes{}).edges(), "doctor", "-o", "json")
	var found []doctor.Finding
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &found))
	require.Len(t, found, 2)
}
