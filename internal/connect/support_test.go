package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestMain(m *testing.M) { stacktest.Main(m) }

// load writes a configuration with these sections and reads it.
func load(t *testing.T, sections ...string) config.Config {
	t.Helper()
	content := strings.Join(sections, "\n") + `
sources:
  - {name: books, hosts: [books.example], ceiling: 2, parse: {type: json, fields: [{name: title, jq: .title}]}}
customers:
  - {name: acme}
`
	if !strings.Contains(content, "s3:") {
		content = s3Section("http://127.0.0.1:1", "weir") + content
	}
	file := filepath.Join(t.TempDir(), "weir.yaml")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	cfg, err := config.Load(config.Options{File: file, CPUs: 2, Version: "test"})
	require.NoError(t, err)
	return cfg
}

func s3Section(endpoint, bucket string) string {
	return fmt.Sprintf("s3: {endpoint: %q, region: us-east-1, bucket: %q, path_style: true, access_key: \"env:ACCESS\", secret_key: \"env:SECRET\"}\n",
		endpoint, bucket)
}

// secretsOf are secrets in an environment of the test's own.
func secretsOf(env map[string]string) Secrets {
	return Secrets{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }, ReadFile: os.ReadFile}
}

// cleanEnvironment takes away what Temporal's own environment says on this machine.
func cleanEnvironment(t *testing.T) {
	t.Helper()
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "TEMPORAL_") {
			t.Setenv(name, "")
			require.NoError(t, os.Unsetenv(name))
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
}
