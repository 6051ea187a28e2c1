package workers

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompareConfigurations: a process says once that its configuration is not in force, and once that it is again.
func TestCompareConfigurations(t *testing.T) {
	t.Parallel()
	const outvoted, inForce = "another configuration is in force", "this process's configuration is in force"
	var log bytes.Buffer
	l := &renewer{logger: slog.New(slog.NewTextHandler(&log, nil)), config: "own", since: 1}
	for _, step := range []struct {
		config   string
		brings   bool
		outvoted int
		inForce  int
	}{
		{"own", false, 0, 0},
		{"", false, 0, 0}, // an owner that does not say
		{"other", true, 0, 0},
		{"other", false, 1, 0},
		{"other", false, 1, 0},
		{"own", false, 1, 1},
		{"own", false, 1, 1},
		{"third", false, 2, 1},
	} {
		l.compare(step.config, step.brings)
		require.Equal(t, step.outvoted, strings.Count(log.String(), outvoted), "%+v", step)
		require.Equal(t, step.inForce, strings.Count(log.String(), inForce), "%+v", step)
	}
	require.Contains(t, log.String(), "own=own in_force=third")

	log.Reset()
	probe := &renewer{logger: l.logger, config: "own"}
	probe.compare("other", false)
	require.Empty(t, log.String(), "a probe has no say in it")
}
