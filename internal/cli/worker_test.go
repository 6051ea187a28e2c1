package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/workers"
)

// TestWorkerWithoutConfiguration: a worker that knows nobody would take plans, and fail them.
func TestWorkerWithoutConfiguration(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	file := filepath.Join(w.Dir, "weir.yaml")
	started := 0
	f := &fakes{work: func(context.Context, workers.Options) error { started++; return nil }}
	work := func(args ...string) session { return in(w, f.edges(), append([]string{"worker"}, args...)...) }

	_, sources, _ := strings.Cut(testConfig, "sources:")
	require.NoError(t, os.WriteFile(file, []byte("sources:"+sources), 0o600))
	require.Equal(t, session{code: ExitUsage, stderr: "weir: " + file + ": there are no customers in the configuration, and the role plan cannot work without: " +
		"configure them, or take only the roles workflows, collect, parse, deliver, fleet\n"}, work())
	require.Zero(t, work("--role", "collect,parse").code)
	require.Equal(t, 1, started)

	require.NoError(t, os.Remove(file))
	for _, args := range [][]string{nil, {"--role", "plan"}, {"--source", "bookshop"}} {
		s := work(args...)
		require.Equal(t, ExitUsage, s.code)
		require.Contains(t, s.stderr, "weir: "+file+" is not there (--config names another): there are no customers and no sources in the configuration")
	}
	require.Equal(t, 1, started)
	require.Zero(t, work("--role", "workflows,deliver,fleet").code, "these need none")

	other := filepath.Join(w.Dir, "other.yaml")
	require.NoError(t, os.WriteFile(other, []byte("customers: [{name: acme}]\n"), 0o600))
	s := work("--config", "other.yaml", "--role", "parse")
	require.Equal(t, session{code: ExitUsage, stderr: "weir: other.yaml: there are no sources in the configuration, and the role parse cannot work without: configure them\n"}, s)
}
